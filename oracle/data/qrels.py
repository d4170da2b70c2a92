"""Qrels: which documents were judged for each query, and how."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self, TypeVar

from rankspec.oracle.data.preferences import PreferenceGrade, require_consistent
from rankspec.oracle.errors import InputError


class DecimalGrade(int):
    """A grade that is not whole, such as 0.5, for measures that take grades as gains.

    It compares as the fraction that it is, so that thresholds mean what they say; its whole number is the one below.
    """

    exact: Fraction  # the grade

    @classmethod
    def of(cls, exact: Fraction) -> int:
        """Return a grade: a plain whole number where it is one."""
        if exact.denominator == 1:
            return int(exact)
        made = cls(math.floor(exact))
        made.exact = exact
        return made

    def __eq__(self, other: object) -> bool:
        return self.exact == exactly(other) if isinstance(other, int) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    __lt__, __le__, __gt__, __ge__ = (
        lambda one, other, is_so=is_so: is_so(one.exact, exactly(other))
        for is_so in (operator.lt, operator.le, operator.gt, operator.ge)
    )

    def __hash__(self) -> int:
        return hash(self.exact)

    def __repr__(self) -> str:
        """Return the decimal, that of a double included, or the fraction where there is none."""
        double = float(self.exact)
        return repr(double) if self.exact in {Fraction(repr(double)), Fraction(double)} else str(self.exact)

    __str__ = __repr__

    def __format__(self, layout: str) -> str:
        return format(str(self), layout)


def exactly(grade: int) -> Fraction | int:
    """Return a grade as a number to compute with."""
    return grade.exact if isinstance(grade, DecimalGrade) else grade


class SubtopicGrade(int):
    """The grade of a document for a topic: the highest of its grades for the subtopics, which are kept.

    Measures that know no subtopics see the whole number, as ndeval's mean average precision does. Two are equal if
    their grades for all subtopics are.
    """

    docno: str  # the document, for ideal rankings that go by name
    by_subtopic: Mapping[str, int]  # subtopic -> grade

    @classmethod
    def of(cls, docno: str, by_subtopic: Mapping[str, int]) -> SubtopicGrade:
        """Make the grade of a document; `InputError` without a subtopic, for one without text, or a grade not whole."""
        if not by_subtopic:
            raise InputError(f"document {docno}: it is judged for no subtopic", code="subtopics-missing")
        for subtopic, grade in by_subtopic.items():
            if not isinstance(subtopic, str):
                raise InputError(f"document {docno}: subtopic {subtopic!r} is not text; quote it", code="id-not-text")
            if isinstance(grade, bool) or not isinstance(grade, int):
                reason = f"document {docno}, subtopic {subtopic}: grade {grade!r} is not a whole number"
                raise InputError(reason, code="grade-not-whole")
        made = cls(max(by_subtopic.values()))
        made.docno, made.by_subtopic = docno, dict(by_subtopic)
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SubtopicGrade) and self.by_subtopic == other.by_subtopic

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(frozenset(self.by_subtopic.items()))

    def __repr__(self) -> str:
        return repr(self.by_subtopic)


TOPIC = "0"  # The one subtopic of a document that was judged for none, as ndeval has it


def grades_by_subtopic(grade: int) -> Mapping[str, int]:
    """Return subtopic -> grade; a plain grade is one for a single subtopic."""
    return grade.by_subtopic if isinstance(grade, SubtopicGrade) else {TOPIC: grade}


T = TypeVar("T")
_SHORT = 6  # Queries and judgments together, up to which they are shown whole


class Remembering:
    """What remembers what functions make of it."""

    @cached_property
    def _memo(self) -> dict[Callable[[Any], Any], Any]:
        return {}

    def once(self, make: Callable[[Self], T]) -> T:
        """Return what a function makes of it, the same for all who ask."""
        if make not in self._memo:
            self._memo[make] = make(self)
        memo: T = self._memo[make]
        return memo


@dataclass(frozen=True, repr=False)
class Qrels(Remembering):
    """Relevance judgments: query -> docno -> grade. Queries keep their order; grades are whole, some negative.

    A grade that is not whole is a `DecimalGrade`, for measures whose gains are grades. A document that was judged for
    subtopics has a `SubtopicGrade`, one of preferences a `PreferenceGrade`.
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

    @cached_property
    def decimal(self) -> tuple[str, str, DecimalGrade] | None:
        """The first grade that is not whole, with its query and document."""
        for query, graded in self.judgments.items():
            for docno, grade in graded.items():
                if isinstance(grade, DecimalGrade):
                    return query, docno, grade
        return None

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
        reason = f"document {docno}: levels of preferences beside grades for subtopics; give one of them"
        raise InputError(reason, code="judgement-kinds-mixed")
    return SubtopicGrade.of(docno, grades)
