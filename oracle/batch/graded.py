"""Measures whose terms weigh a rank: DCG and nDCG by enclosed logarithms, rank-biased precision by enclosed powers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from rankspec.oracle.batch.binary import EvaluatedLists
from rankspec.oracle.batch.far_ranks import with_far_ranks
from rankspec.oracle.batch.fixed import BITS, LARGEST, Fixed, Integers, Mask, Segments, Table, distinct
from rankspec.oracle.batch.lists import Judged, Places
from rankspec.oracle.batch.outcomes import Outcomes
from rankspec.oracle.batch.quotients import quotients
from rankspec.oracle.conventions.axes import Discount, Gain, Ideal, RbpGain, RbpResidual
from rankspec.oracle.measures.cumulated_gain import DISCOUNTS
from rankspec.oracle.measures.worth import gain_of
from rankspec.oracle.reals.logarithms import reciprocal_log2

_LOGARITHM_ERROR = 2
_POWER_ERROR = 2
_POWER_GUARD_BITS = 40
_MOST_GAIN = 1 << 17
"""Sums of gains stay below 2^19, as `Table.sums` needs, up to this many for a query: see `_too_much`."""


def discounts(discount: Discount, ranks: Integers) -> tuple[Table, Integers]:
    """Return 1/discount for the ranks that come up, and where in the table each of these ranks stands.

    `reciprocal_log2` rounds outwards at 16 bits more than asked for: its two ends are at most 2 apart.
    """
    argument = DISCOUNTS[discount].argument
    each, places = distinct(ranks)
    lower = [reciprocal_log2(argument(int(rank)), BITS)[0] for rank in each]
    return Table.of_integers(lower, _LOGARITHM_ERROR), places


def cumulated_gain(looked: EvaluatedLists) -> Outcomes:
    """Return DCG or nDCG. Clauses dcg.at, ndcg.at."""
    places, judged = looked.lists.places, _whole(looked)
    gains = _gains(looked, places.grades, judged.grades)
    if gains is None:
        return Outcomes.nothing(looked.lists.queries)
    listed, of_judged, scale = gains
    relevant = judged.segments.sums((of_judged > 0).astype(np.int64))
    there = Places(places.segments, places.ranks, places.tops, listed)
    top = there if looked.measure.k is None else there.up_to(looked.measure.k)
    hits = top.segments.sums((top.grades > 0).astype(np.int64))
    found = _discounted(looked, top.grades, top.ranks, top.segments)
    if not looked.measure.family.has("ideal"):
        value = found.over(np.full(hits.size, scale))
    else:
        ideal = _ideal(looked, there, top, (of_judged, judged.segments))
        empty = (hits == 0) | (ideal.high == 0)
        one = Fixed.whole(np.ones_like(hits))
        value = quotients(one.where(empty, found), one.where(empty, ideal))
    known = _too_much(listed, places.segments) | _too_much(of_judged, judged.segments)
    outcomes = Outcomes.of(value).except_for(known)
    convention = looked.convention
    return outcomes.ruled(hits == 0, convention.no_hits).ruled(relevant == 0, convention.no_relevant)


def _whole(looked: EvaluatedLists) -> Judged:
    judged = looked.lists.judged
    return judged if isinstance(judged, Judged) else judged.whole


def _gains(looked: EvaluatedLists, listed: Integers, judged: Integers) -> tuple[Integers, Integers, int] | None:
    """Return what the grades gain, as whole numbers, and what they are multiples of 1 over; None if too large."""
    gained = gain_of(looked.measure, looked.convention.gain)
    grades, places = distinct(np.concatenate((listed, judged)))
    if grades.size and int(grades.max()) >= LARGEST.bit_length() and looked.convention.gain not in _SLOW_GAINS:
        return None
    each = [Fraction(gained(int(grade))) for grade in grades]
    scale = math.lcm(*(gain.denominator for gain in each))
    scaled = [int(gain * scale) for gain in each]
    if max(scaled, default=0) > _MOST_GAIN or scale > LARGEST:
        return None
    worth = np.array(scaled, np.int64)[places] if scaled else places
    return worth[: listed.size], worth[listed.size :], scale


_SLOW_GAINS = frozenset({Gain.LINEAR, Gain.BINARY})
"""Gains that grow no faster than grades. Others may be beyond a computer's memory where the grade is large."""


def _too_much(gains: Integers, segments: Segments) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    return segments.sums(gains) > LARGEST


def _discounted(looked: EvaluatedLists, gains: Integers, ranks: Integers, segments: Segments) -> Fixed:
    table, places = discounts(looked.convention.discount, ranks)
    return table.sums(gains, places, segments)


def _ideal(looked: EvaluatedLists, there: Places, top: Places, judged: tuple[Integers, Segments]) -> Fixed:
    """Return the gain of the ideal ranking. Clauses ndcg.ideal.*."""
    gains, segments, limit = IDEALS[looked.convention.ideal](
        GainedLists(judged, (there.grades, there.segments), (top.grades, top.segments), looked)
    )
    gaining = np.flatnonzero(gains > 0)
    of_query = segments.of(np.arange(segments.starts.size - 1))[gaining]
    worth = gains[gaining]
    most = int(worth.max(initial=0)) + 1
    best_first = np.sort(of_query * most + (most - 1 - worth))
    worth = most - 1 - best_first % most
    inside = segments.kept(gaining)
    ranked = Places(inside, inside.counting(), None, worth)
    if limit is not None:
        ranked = ranked.up_to(limit)
    return _discounted(looked, ranked.grades, ranked.ranks, ranked.segments)


class GainedLists(NamedTuple):
    """The gains of all judged documents, of the lists before the cutoff and of those looked at, and which are whose."""

    judged: tuple[Integers, Segments]
    there: tuple[Integers, Segments]
    top: tuple[Integers, Segments]
    looked: EvaluatedLists


IDEALS: Mapping[Ideal, Callable[[GainedLists], tuple[Integers, Segments, Integers | int | None]]] = {
    Ideal.JUDGED: lambda given: (*given.judged, given.looked.measure.k),
    Ideal.JUDGED_UNCUT: lambda given: (*given.judged, None),
    Ideal.JUDGED_TO_LENGTH: lambda given: (*given.judged, given.looked.length),
    Ideal.RETRIEVED: lambda given: (*given.there, given.looked.measure.k),
    Ideal.RETRIEVED_TOP: lambda given: (*given.top, None),
}
"""The gains of the ideal ranking, in no order, and how many of them count; as `measures.cumulated_gain.IDEAL`."""


def powers(p: Fraction, last: int) -> Table:
    """Return (1 - p) * p^(r - 1) for r = 1, ..., last, and 0 for r = 0.

    Each step, with 40 bits more, loses less than 1 of them and multiplies what was lost by p: after fewer than 2^19
    steps less than one unit of 2^-88 is lost, and rounding down to it loses another.
    """
    current = ((1 - p) * (1 << BITS + _POWER_GUARD_BITS)).__floor__()
    scaled = [0]
    for _ in range(last):
        scaled.append(current >> _POWER_GUARD_BITS)
        current = current * p.numerator // p.denominator
    return Table.of_integers(scaled, _POWER_ERROR)


def rank_biased_precision(looked: EvaluatedLists) -> Outcomes:
    """Return RBP. Clauses rbp.*."""
    return looked.ruled(RBP_GAINS[looked.convention.rbp_gain](looked))


def _binary(looked: EvaluatedLists) -> Outcomes:
    ones = np.ones_like(looked.found.grades)
    outcomes = Outcomes.of(_weighed(looked, looked.found, ones))
    return with_far_ranks(outcomes, looked.found, ones, looked.convention.rbp_persistence)


def _scaled_by_topic(looked: EvaluatedLists) -> Outcomes:
    places = looked.lists.places
    top = places if looked.measure.k is None else places.up_to(looked.measure.k)
    worth = np.maximum(top.grades, 0)
    highest = looked.lists.judged.highest()
    too_large = (highest > LARGEST) | _too_much(np.minimum(worth, LARGEST), top.segments)
    worth, highest = np.minimum(worth, LARGEST), np.minimum(highest, LARGEST)
    outcomes = Outcomes.of(_weighed(looked, top, worth).over(highest))
    outcomes = with_far_ranks(outcomes, top, worth, looked.convention.rbp_persistence, highest)
    return outcomes.except_for(too_large)


RBP_GAINS: Mapping[RbpGain, Callable[[EvaluatedLists], Outcomes]] = {
    RbpGain.BINARY: _binary,
    RbpGain.SCALED_BY_TOPIC: _scaled_by_topic,
}
"""Clauses rbp.gain.*."""


def residual(looked: EvaluatedLists) -> Outcomes:
    """Return what RBP could still gain: all weights but those of judged documents. Clauses rbp.residual.*."""
    judged = looked.judged
    left = _weighed(looked, judged, np.ones_like(judged.grades)).one_minus()
    zero = Fixed.whole(np.zeros_like(looked.length))
    return Outcomes.of(zero.where(CLOSED[looked.convention.rbp_residual](looked), left))


CLOSED: Mapping[RbpResidual, Callable[[EvaluatedLists], Mask]] = {
    RbpResidual.WITH_TAIL: lambda looked: np.zeros(looked.length.size, np.bool_),
    RbpResidual.ZERO_IF_ALL_JUDGED: lambda looked: looked.judged.segments.sizes == looked.length,
}
"""Where nothing is taken to be open, the ranks after the list neither."""


def _weighed(looked: EvaluatedLists, places: Places, worth: Integers) -> Fixed:
    table = powers(looked.convention.rbp_persistence, int(places.ranks.max(initial=0)))
    return table.sums(worth, places.ranks, places.segments)


GRADED: Mapping[str, Callable[[EvaluatedLists], Outcomes]] = {
    "DCG": cumulated_gain,
    "nDCG": cumulated_gain,
    "RBP": rank_biased_precision,
    "RBPResidual": residual,
}
"""Measure -> its values, in enclosed weights of ranks."""
