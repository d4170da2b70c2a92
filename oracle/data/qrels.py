"""Qrels: which documents were judged for each query, and how."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar

from rankspec.oracle.data.preferences import PreferenceGrade, require_consistent
from rankspec.oracle.data.subtopics import SubtopicGrade
from rankspec.oracle.errors import InputError

T = TypeVar("T")

_SHORT = 6


@dataclass(frozen=True, repr=False)
class Qrels:
    """Relevance judgments: query -> docno -> grade. Queries keep their order; grades are whole, some negative.

    A document that was judged for subtopics has a `SubtopicGrade`, one of preferences a `PreferenceGrade`.
    """

    judgments: Mapping[str, Mapping[str, int]]
    cut: tuple[str, ...] = field(default=(), compare=False)
    """The grades that a program cut to whole numbers, as they were written."""

    @classmethod
    def of(cls, judgments: Mapping[str, Mapping[str, int] | Mapping[str, Mapping[str, Any]]]) -> Qrels:
        """Check and freeze plain dictionaries: query -> {docno: grade}.

        In the place of a grade can stand {subtopic: grade}, or for preferences {judgment group: {subgroup: level}}.

        Raises:
            InputError: a query or docno is not text, or a grade no integer, or preferences contradict themselves.
        """
        return cls(MappingProxyType({query: _frozen(query, graded) for query, graded in judgments.items()}))

    def __repr__(self) -> str:
        """Return what makes it again, if that is short; otherwise how much is in it."""
        count = sum(map(len, self.judgments.values()))
        if count + len(self.judgments) <= _SHORT:
            plain = {query: dict(graded) for query, graded in self.judgments.items()}
            return f"Qrels.of({plain!r})"
        return f"<Qrels: {len(self.judgments)} queries, {count} judgements>"

    def __contains__(self, query: object) -> bool:
        return query in self.judgments

    def __iter__(self) -> Iterator[str]:
        return iter(self.judgments)

    def once(self, make: Callable[[Qrels], T]) -> T:
        """Return what a function makes of the judgments, the same for all runs that are held against them."""
        if make not in self._made:
            self._made[make] = make(self)
        made: T = self._made[make]
        return made

    @cached_property
    def _made(self) -> dict[Callable[[Qrels], Any], Any]:
        return {}

    def grades(self, query: str) -> Mapping[str, int]:
        """Return docno -> grade of one query (empty if it has none)."""
        return self.judgments.get(query, {})


def not_whole(grade: object, how: str = "") -> str:
    """Return why a grade is refused, and what can be done about one that is a number."""
    try:
        is_number = math.isfinite(float(grade)) and not isinstance(grade, bool)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        is_number = False
    way = "; round all grades, or multiply them by one number" if is_number else ""
    return f"grade {grade!r} is not a whole number{how}{way}"


def _frozen(query: object, graded: Mapping[str, int] | Mapping[str, Mapping[str, Any]]) -> Mapping[str, int]:
    if not isinstance(query, str):
        raise InputError(f"qrels: query {query!r} is not text; quote it", code="id-not-text")
    if set(map(type, graded)) <= {str} and set(map(type, graded.values())) <= {int}:
        return MappingProxyType(dict(graded))  # type: ignore[arg-type] # plain grades, of which nothing is to be made
    frozen: dict[str, int] = {}
    for docno, grade in graded.items():
        if not isinstance(docno, str):
            raise InputError(f"qrels, query {query}: document {docno!r} is not text; quote it", code="id-not-text")
        if isinstance(grade, Mapping):
            frozen[docno] = _by_group(docno, grade)
        elif isinstance(grade, bool) or not isinstance(grade, int):
            raise InputError(f"qrels, query {query}, document {docno}: {not_whole(grade)}", code="grade-not-whole")
        else:
            frozen[docno] = grade
    require_consistent(query, frozen)
    return MappingProxyType(frozen)


def _by_group(docno: str, grades: Mapping[str, Any]) -> SubtopicGrade | PreferenceGrade:
    """Read grades for subtopics, or the levels of preferences in subgroups."""
    if any(isinstance(each, Mapping) for each in grades.values()):
        if all(isinstance(each, Mapping) for each in grades.values()):
            return PreferenceGrade.of(docno, grades)
        raise InputError(
            f"document {docno}: levels of preferences beside grades for subtopics; give one of them",
            code="judgement-kinds-mixed",
        )
    return SubtopicGrade.of(docno, grades)
