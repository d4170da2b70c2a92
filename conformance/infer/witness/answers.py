"""Answers of implementations and conventions, and whether two of them can be one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from rankspec.conformance.judge.agreement import Bound, near
from rankspec.conformance.judge.verdicts import judge
from rankspec.conformance.questions.expectation import Expectation
from rankspec.conformance.run.outcomes import (
    Crashed,
    NotAsked,
    Number,
    Outcome,
    OutOfMemory,
    PerQuery,
    Raised,
    TimedOut,
)
from rankspec.conformance.worker.values import Special

Answer = Outcome | Expectation
"""What an implementation returned, or what a convention demands."""


def differ(first: Answer, second: Answer, bound: Bound) -> bool:
    """Tell whether two answers can't be one: further apart than the error bounds of both, or a number and none.

    The two are of different programs, so more than `agrees` says is taken for one: values a query and their mean, and
    exceptions of different names.
    """
    if isinstance(first, Expectation) and isinstance(second, Expectation):
        return not first.equals(second)
    if isinstance(first, Expectation):
        return differ(second, first, bound)
    if isinstance(second, Expectation):
        return misses(first, second)
    if isinstance(first, _UNANSWERED) or isinstance(second, _UNANSWERED):
        return False
    if isinstance(first, PerQuery) and isinstance(second, PerQuery) and first.values.keys() == second.values.keys():
        return not all(near(number, second.values[query], bound) for query, number in first.values.items())
    numbers = [mean_of(each) for each in (first, second)]
    if numbers[0] is not None and numbers[1] is not None:
        return not near(numbers[0], numbers[1], bound)
    # What an exception is called differs from library to library; that there is one counts.
    return (numbers[0] is None) != (numbers[1] is None) or isinstance(first, Raised) != isinstance(second, Raised)


_UNANSWERED = (TimedOut, NotAsked, Crashed, OutOfMemory)
"""No answer at all, so no difference in what is computed."""


def misses(answer: Outcome, demanded: Expectation) -> bool:
    """Tell whether an implementation answered something else than a convention demands.

    What a set of queries is worth is compared, whether or not the implementation takes the mean itself.
    """
    number = mean_of(answer)
    return not isinstance(answer, _UNANSWERED) and not judge(number or answer, demanded).verdict.conforms


def changed(before: tuple[Answer, Answer], after: tuple[Answer, Answer], bound: Bound) -> bool:
    """Tell whether an implementation gave another answer the second time."""
    return any(
        not isinstance(one, Expectation) and not isinstance(other, Expectation) and differ(one, other, bound)
        for one, other in zip(before, after, strict=True)
    )


def mean_of(outcome: Outcome) -> Number | None:
    """Return the number of an outcome, where there is one a query that of the set, or the mean."""
    if isinstance(outcome, Number):
        return outcome
    if not isinstance(outcome, PerQuery):
        return None
    if outcome.overall is not None:
        return outcome.overall
    numbers = list(outcome.values.values())
    values = [number.value for number in numbers if isinstance(number.value, Fraction)]
    if len(values) < len(numbers) or not numbers:
        return Number(Special.NAN, "float")
    return replace(numbers[0], value=sum(values, Fraction(0)) / len(values))
