"""The effective depth of an implementation: the last rank at which a hit changes its value.

One hit is moved down a long list until nothing changes. The list has this one relevant document, so neither a
denominator that is cut as well nor a few printed digits hide it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction

from rankspec.conformance.infer.interview.inputs import name_of_three, probe
from rankspec.conformance.infer.interview.probe import Probe
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.oracle.conventions.measure import Measure

DEEPEST = 5_001
"""How far down is looked."""
BEYOND = 2 * DEEPEST
"""A cutoff that cuts nothing off here."""


def hit_at(rank: int, length: int, measure: Measure) -> Probe:
    """Return a list with one relevant document, at a rank."""
    return list_of_hits(f"a hit at rank {rank} of {length}", length, range(rank - 1, rank), measure)


def all_hits(length: int, measure: Measure) -> Probe:
    """Return a list of relevant documents alone, so that a denominator that is cut shows."""
    return list_of_hits(f"{length} hits", length, range(length), measure)


def list_of_hits(name: str, length: int, hits: Collection[int], measure: Measure, relevant: int = 0) -> Probe:
    """Return a list without ties that has hits at some places, counted from 0, and so many relevant documents."""
    names = [name_of_three(number) for number in range(length)]
    outside = [name_of_three(number) for number in range(length, length + max(0, relevant - len(hits)))]
    grades = {docno: max(measure.rel, 1) if place in hits else 0 for place, docno in enumerate(names)}
    grades |= dict.fromkeys(outside, max(measure.rel, 1))
    listed = [(docno, str(length - place)) for place, docno in enumerate(names)]
    return probe(name, measure, {"q": grades}, {"q": listed})


def effective_depth(measure: Measure, ask: Callable[[Sequence[Probe]], Sequence[Outcome]]) -> int | None:
    """Return the last rank at which a hit changes the value, None if there is none such down to `DEEPEST`.

    Found by bisection, so it is a guess where a value does not get lower with the rank: verify it on both sides. Values
    that are rounded get lower by one in the last digit, and that is no end of what is looked at.
    """

    def answer(rank: int) -> object:
        outcomes = ask([hit_at(rank, DEEPEST, measure)])
        return None if len(outcomes) == 0 else answer_of(outcomes[0])

    last, first = answer(DEEPEST), answer(1)
    if first is None or first == last or answer(DEEPEST - 1) != last:
        return None
    counts, unseen = 1, DEEPEST - 1
    while unseen - counts > 1:
        middle = (counts + unseen) // 2
        if answer(middle) == last:
            unseen = middle
        else:
            counts = middle
    digits = _digits([number for rank in (*_MANY_DIGITS, counts) for number in _numbers(answer(rank))])
    pairs = list(zip(_numbers(answer(counts)), _numbers(last), strict=False))
    is_rounding = digits > 0 and all(abs(round((one - other) * 10**digits)) <= 1 for one, other in pairs)
    return None if is_rounding else counts


_MANY_DIGITS = (3, 6, 7, 13)
"""Ranks whose inverses and logarithms have many digits, so that rounding shows."""


def _digits(numbers: Sequence[Fraction]) -> int:
    """Return how many digits after the point numbers have that are rounded, 0 if they are not."""
    rounded = (each for each in range(1, _MOST_DIGITS) if all(_has_digits(number, each) for number in numbers))
    return next(rounded, 0) if numbers else 0


def _numbers(answer: object) -> list[Fraction]:
    return [each for each in (answer if isinstance(answer, tuple) else (answer,)) if isinstance(each, Fraction)]


def _has_digits(number: Fraction, digits: int) -> bool:
    return abs(number - round(number, digits)) < Fraction(1, 10**_MOST_DIGITS)


_MOST_DIGITS = 12
"""Values of 1 and less are told from their roundings up to here, in doubles."""


def effective_cutoff(measure: Measure, ask: Callable[[Sequence[Probe]], Sequence[Outcome]]) -> int | None:
    """Return after how many hits at the top one more changes nothing, None if there is no such number below `_MANY`.

    It is a cutoff that a program has by itself, also where the list ends at misses, or a denominator is cut as well.
    """

    def answer(hits: int) -> object:
        outcomes = ask([list_of_hits(f"{hits} hits of {_MANY}", _MANY, range(hits), measure, _MANY)])
        return None if len(outcomes) == 0 else answer_of(outcomes[0])

    last = answer(_MANY)
    if last is None or answer(_MANY - 1) != last:
        return None
    counts, same = 0, _MANY - 1
    while same - counts > 1:
        middle = (counts + same) // 2
        counts, same = (counts, middle) if answer(middle) == last else (middle, same)
    return same


_MANY = 1_001
"""Behind the cutoffs that programs have by themselves: 5, 10, 100, 1,000."""


def both_sides(depth: int, measure: Measure) -> list[Probe]:
    """Return lists that tell a depth from all others: hits on both sides of it, in lists that end near to it."""
    lengths = {depth, depth + 1, 2 * depth + 1, DEEPEST}
    moved = [
        hit_at(rank, length, measure)
        for length in sorted(lengths)
        for rank in (depth - 1, depth, depth + 1, length)
        if 1 <= rank <= length <= DEEPEST
    ]
    return [*moved, all_hits(min(2 * depth + 1, DEEPEST), measure)]


def answer_of(outcome: Outcome) -> object:
    """Return what was answered, so that two answers can be compared."""
    match outcome:
        case Number(value):
            return value
        case PerQuery(values, overall):
            return (*(number.value for number in values.values()), overall and overall.value)
        case _:
            return type(outcome).__name__
