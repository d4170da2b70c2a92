"""Queries are independent: each alone is worth what it is worth in a set, whatever stands before or after it.

The same query stands in many questions, alone and beside queries of every special kind. Its values are compared with
each other, so nothing is supposed about the convention.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import isclose

from rankspec.conformance.questions.question import Question
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery

_CLOSE = 1e-6
"""Relative, and absolute near 0: how a query is rounded may depend on the batch that it is computed in."""


@dataclass(frozen=True)
class Seen:
    """What a query was worth in a question."""

    question: Question
    query: str
    value: float

    @property
    def queries(self) -> int:
        """How many queries the question has."""
        return len({*self.question.qrels, *self.question.run})


def dependence(answers: Iterable[tuple[Question, Outcome]]) -> str | None:
    """Say on which two questions one query has different values, the one with the fewest queries first.

    Returns:
        A line that names both, and how many queries are concerned; None if every query is worth the same everywhere.
    """
    seen: dict[object, list[Seen]] = {}
    for question, outcome in answers:
        if isinstance(outcome, PerQuery) and not question.measure.family.cuts_by_score:  # TAP looks at all queries
            for query, number in outcome.values.items():
                if query in question.qrels and query in question.run and (value := _double(number)) is not None:
                    seen.setdefault(_content(question, query), []).append(Seen(question, query, value))
    parted = [two for each in seen.values() if (two := _parted(each)) is not None]
    if not parted:
        return None
    alone, beside = min(parted, key=lambda two: (two[0].queries, two[1].queries, two[1].question.id))
    more = f" ({len(parted)} such queries)" if len(parted) > 1 else ""
    return (
        f"a query's value depends on the queries beside it{more}: {alone.question.measure} of {alone.query} is "
        f"{alone.value:.6g} in {alone.question.id} and {beside.value:.6g} in {beside.question.id}"
    )


def _content(question: Question, query: str) -> object:
    grades = tuple(question.qrels.grades(query).items())
    return question.measure, grades, tuple(question.run.documents(query))


def _parted(seen: list[Seen]) -> tuple[Seen, Seen] | None:
    first, *others = sorted(seen, key=lambda each: (each.queries, each.question.id))
    other = next((each for each in others if not _same(first.value, each.value)), None)
    return None if other is None else (first, other)


def _same(first: float, second: float) -> bool:
    both_undefined = first != first and second != second  # noqa: PLR0124 - NaN
    return both_undefined or isclose(first, second, rel_tol=_CLOSE, abs_tol=_CLOSE)


def _double(number: Number) -> float | None:
    value = number.value
    try:
        return float(value) if isinstance(value, Fraction) else float(value.value)
    except (OverflowError, ValueError):
        return None
