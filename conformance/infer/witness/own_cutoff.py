"""The cutoff that an implementation has where none is stated: found by lists whose only hit is at the last rank.

To who looks at the whole list such a hit is worth something, however far down it is; to who cuts it off, nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

from rankspec.conformance.cases.inputs import QUERY, short_names
from rankspec.conformance.infer.witness.answers import Answer, mean_of
from rankspec.conformance.infer.witness.small_inputs import Size, SmallInput
from rankspec.conformance.questions.expectation import Expectation, expected
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.run import Retrieved
from rankspec.oracle.values import Undefined, to_double

Ask = Callable[[Sequence[SmallInput]], Sequence[tuple[SmallInput, tuple[Answer, Answer]]]]
"""Puts inputs to both sides; those that can't be put are left out."""

_LENGTHS = (1, 2, 3, 4, 5, 6, 9, 10, 11, 15, 16, 20, 21, 30, 31, 50, 51, 100, 101, 1000, 1001)
"""Around the cutoffs that programs have."""


def hit_at(measure: Measure, rank: int) -> SmallInput:
    """Return a list whose last document alone is relevant."""
    names = short_names(rank)
    grades = dict.fromkeys(names, 0) | {names[-1]: max(1, measure.rel)}
    listed = tuple(Retrieved(name, Fraction(rank - place)) for place, name in enumerate(names))
    return SmallInput(Size(rank, 1, 0), "relevance", {QUERY: grades}, {QUERY: listed})


def own_cutoffs(measure: Measure, ask: Ask) -> tuple[int | None, int | None]:
    """Return the ranks after which the two cut a list of their own accord; None for who cuts none, or can't be told."""
    if measure.k is not None or measure.family.cut is not Cut.OPTIONAL:
        return None, None
    if not all(_is_worth_something(measure, length) for length in _LENGTHS[:3]):
        return None, None
    answered = {given.size.documents: answers for given, answers in ask([hit_at(measure, n) for n in _LENGTHS])}
    first, second = ({n: _counts(answers[side]) for n, answers in answered.items()} for side in (0, 1))
    return _cutoff(first, partial(_counted, measure, ask, 0)), _cutoff(second, partial(_counted, measure, ask, 1))


def _is_worth_something(measure: Measure, length: int) -> bool:
    given = hit_at(measure, length)
    exact = expected(measure, given.qrels, given.run, DEFAULT).exact
    return not isinstance(exact, Undefined) and to_double(exact) > 0


def _counts(answer: Answer) -> bool | None:
    """Tell whether the hit was worth something; None if there is no telling."""
    if isinstance(answer, Expectation):
        return True  # a convention cuts where the measure says so
    number = mean_of(answer)
    if number is None or not isinstance(number.value, Fraction) or number.value < 0:
        return None
    return number.value > 0


def _counted(measure: Measure, ask: Ask, side: int, length: int) -> bool | None:
    return next((_counts(answers[side]) for _, answers in ask([hit_at(measure, length)])), None)


def _cutoff(counted: dict[int, bool | None], ask: Callable[[int], bool | None]) -> int | None:
    """Return the last rank that counts, if every one up to it does and none behind it."""
    counts = [length for length, told in counted.items() if told]
    ignored = [length for length, told in counted.items() if told is False]
    if not counts or not ignored or max(counts) > min(ignored) or None in counted.values():
        return None
    last, beyond = max(counts), min(ignored)
    while beyond - last > 1:
        middle = (last + beyond) // 2
        told = ask(middle)
        if told is None:
            return None
        last, beyond = (middle, beyond) if told else (last, middle)
    return last
