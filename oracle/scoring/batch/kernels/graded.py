"""Measures whose terms weigh a rank: DCG and nDCG by enclosed logarithms, rank-biased precision by enclosed powers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rankspec.oracle.conventions.axes import Discount, RbpGain, RbpResidual
from rankspec.oracle.measures.choices import DISCOUNTS
from rankspec.oracle.reals.logarithms import WIDTH, reciprocal_log2
from rankspec.oracle.scoring.batch.evaluated import EvaluatedLists, Outcomes, gains_of
from rankspec.oracle.scoring.batch.fixed import (
    LARGEST,
    LIMB,
    LIMBS,
    Fixed,
    Integers,
    Mask,
    Segments,
    Table,
    distinct,
    quotients,
)
from rankspec.oracle.scoring.batch.lists import Places
from rankspec.oracle.scoring.batch.spread import Blocks, running_sums

if TYPE_CHECKING:
    from rankspec.oracle.measures.terms import Term

# Expected reciprocal rank of many lists: readers who stop at a document with a chance that its grade says.
#
# A reader gets to a document with the product of 1 - s over those above it; 1 - s is a whole number over 2^max, so
# that a product is enclosed by a multiplication and a division a document.
#
# In a block of undecided order, of n documents behind N others, M(t) is the mean product over t of them, and a reader
# stops at the next one with chance M(t) - M(t + 1). Over the m places that count, the block adds
#
#     sum (M(t) - M(t+1)) / (N+t+1) = M(0)/(N+1) - sum M(t) / ((N+t) (N+t+1)) - M(m)/(N+m),
#
# the sums over t = 0, ..., m - 1 and t = 1, ..., m - 1. Where none of p documents has a grade, M is 1. One more
# document, with 1 - s = f, is among t of p + 1 with chance t/(p + 1):
#
#     M'(t) = ((p + 1 - t) M(t) + t f M(t - 1)) / (p + 1).
#
# No difference is taken on the way, so that an enclosure gets wider by a few units a document. All of it is linear in
# M(0), for which the chance to get to the block is put. Of n documents r with a grade it takes n r steps.

_HIGHEST = 18  # The highest grade that factors of at most 2^19 leave room for


def expected_reciprocal_rank(evaluated: EvaluatedLists) -> Outcomes:
    """Return ERR. Clauses err.*; a grade beyond the highest one is an error, which the exact path says."""
    highest, lists = evaluated.convention.err_max_grade, evaluated.lists
    if highest > _HIGHEST:
        return Outcomes.nothing(lists.queries, evaluated.limbs)
    gaining = evaluated.within(lists.places.chosen(lists.places.grades > 0))
    goes_on = (1 << highest) + 1 - (1 << np.minimum(gaining.grades, highest))
    if evaluated.is_undecided:
        value = _of_blocks(gaining, goes_on, highest, evaluated)
    else:
        reached = _reached(gaining.segments, goes_on, highest, evaluated.limbs)
        stops = reached.times((1 << highest) - goes_on).over(np.full_like(goes_on, 1 << highest))
        value = stops.over(gaining.ranks).summed(gaining.segments)
    convention, relevant = evaluated.convention, lists.judged.relevant(1)
    outcomes = Outcomes.of(value).ruled(gaining.segments.sizes == 0, convention.no_hits)
    return outcomes.ruled(relevant == 0, convention.no_relevant).except_for(lists.judged.highest() > highest)


def _reached(segments: Segments, goes_on: Integers, highest: int, limbs: int) -> Fixed:
    """Return the chance to get to each document: the j-th ones of all lists at once, longest lists first."""
    order = np.argsort(-segments.sizes, kind="stable")
    sizes, starts = segments.sizes[order], segments.starts[:-1][order]
    chance = Fixed.whole(np.ones(order.size, np.int64), limbs)
    reached = Fixed.whole(np.zeros(goes_on.size, np.int64), limbs)
    for place in range(int(sizes.max(initial=0))):
        left = int(np.searchsorted(-sizes, -place, side="left"))
        chance = chance.at(slice(left))
        reached.set(starts[:left] + place, chance)
        if not any(limb.any() for limb in chance.limbs):
            # Below its width in units, which no document further down is above.
            behind = np.repeat(starts[:left] + place, sizes[:left] - place)
            inside = Segments(np.concatenate(([0], np.cumsum(sizes[:left] - place)))).counting() - 1
            reached.set(behind + inside, chance.at(np.repeat(np.arange(left), sizes[:left] - place)))
            break
        chance = chance.times(goes_on[starts[:left] + place]).over(np.full(left, 1 << highest))
    return reached


def _of_blocks(gaining: Places, goes_on: Integers, highest: int, evaluated: EvaluatedLists) -> Fixed:
    """Return the sum over blocks of undecided order, one limb wider: it is a difference of sums over their places."""
    limbs, limit = evaluated.limbs + 1, evaluated.limit
    begins = np.flatnonzero(gaining.begins_block())
    blocks, together = gaining.segments.kept(begins), Segments(np.append(begins, goes_on.size))
    # Those with the most documents that have a grade first: the others are done after fewer steps.
    order = np.argsort(-together.sizes, kind="stable")
    graded, firsts = together.sizes[order], begins[order]
    tops, ends = gaining.ranks_above()[firsts], gaining.ranks[firsts]
    last = ends if limit is None else np.minimum(ends, limit if isinstance(limit, int) else blocks.of(limit)[order])
    places = Segments(np.concatenate(([0], np.cumsum(last - tops + 1))))
    inside = places.counting() - 1
    plain = ends - tops - graded
    reached = _reached(gaining.segments, goes_on, highest, limbs).at(firsts)
    none = Fixed.whole(np.zeros_like(inside), limbs)
    means = reached.at(np.repeat(np.arange(order.size), places.sizes)).where(inside <= places.of(plain), none)
    for number in range(int(graded.max(initial=0))):
        left = int(np.searchsorted(-graded, -number, side="left"))
        end = int(places.starts[left])
        within = Segments(places.starts[: left + 1])
        documents = within.of(plain[:left] + number + 1)
        factors = within.of(goes_on[firsts[:left] + number])
        above, here = inside[:end], means.at(slice(end))
        shifted = here.at(np.maximum(np.arange(end) - 1, 0))
        with_it = shifted.times(factors).over(np.full(end, 1 << highest)).times(above)
        means.set(slice(end), with_it.plus(here.times(np.maximum(documents - above, 0))).over(documents))
    ranks = places.of(tops) + inside
    is_last = np.zeros(inside.size, np.bool_)
    is_last[places.starts[1:] - 1] = True
    # 0 is divided by for t = 0, which is left out.
    divided = means.over(np.where(inside > 0, ranks, 0))
    lost = divided.where(is_last, divided.over(ranks + 1)).summed(places)
    added = means.at(places.starts[:-1]).over(tops + 1).minus(lost)
    back = np.empty_like(order)
    back[order] = np.arange(order.size)
    return added.at(back).summed(blocks)


# Units of the last bit that a table's entries are too low by: see `powers`, which proves them.
_POWER_ERROR = 2
_POWER_GUARD_BITS = 40
_FAR_GUARD_BITS = 8  # What the factors of a weight lose of it stays below 2^-5 units with them (see `powers_at`)
_CUT_ERROR = 2
"""Units that such a weight is too low by: one in being cut, and less than another of what its factors lost."""
_WIDE_LIMBS = 25
_NOTHING_EXPONENT = -1100  # -1075 - 21, and what a double of a logarithm may be off


def discounts(discount: Discount, ranks: Integers, limbs: int = LIMBS) -> tuple[Table, Integers]:
    """Return 1/discount for the ranks that come up, and where in the table each of these ranks stands."""
    from rankspec.oracle.measures.terms import computed  # loads how the oracle reads a definition

    reciprocal = computed(1 / DISCOUNTS[discount])
    each, places = distinct(ranks)
    lower = [_below(reciprocal({"rank": int(rank)}), limbs * LIMB) for rank in each]
    return Table.of_integers(lower, WIDTH, limbs), places


def _below(term: Term, bits: int) -> int:
    """Return a term times 2^bits, rounded down."""
    if isinstance(term, Fraction):
        return (term.numerator << bits) // term.denominator
    return reciprocal_log2(term.argument, bits)[0] * term.gain.numerator // term.gain.denominator


def cumulated_gain(evaluated: EvaluatedLists) -> Outcomes:
    """Return DCG or nDCG. Clauses dcg.at, ndcg.at."""
    gains = gains_of(evaluated)
    if gains is None:
        return Outcomes.nothing(evaluated.lists.queries, evaluated.limbs)
    top = gains.top
    hits = top.segments.sums((top.grades > 0).astype(np.int64))
    found = _discounted(evaluated, top)
    if not evaluated.measure.family.has("ideal"):
        value = found.over(np.full(hits.size, gains.scale))
    else:
        ideal = _discounted(evaluated, gains.ideal)
        empty = (hits == 0) | (ideal.limbs[0] == 0)
        one = Fixed.whole(np.ones_like(hits), evaluated.limbs)
        value = quotients(one.where(empty, found), one.where(empty, ideal))
    outcomes = Outcomes.of(value).except_for(gains.too_much)
    convention = evaluated.convention
    return outcomes.ruled(hits == 0, convention.no_hits).ruled(gains.relevant == 0, convention.no_relevant)


def _discounted(evaluated: EvaluatedLists, places: Places) -> Fixed:
    if evaluated.is_undecided and places.tops is not None:
        blocks = Blocks.of(places, places.grades, evaluated.limit)
        ranks = blocks.ranks()
        table, index = discounts(evaluated.convention.discount, ranks, evaluated.limbs)
        return blocks.weighed(running_sums(ranks, table, index, blocks.last))
    table, index = discounts(evaluated.convention.discount, places.ranks, evaluated.limbs)
    return table.sums(places.grades, index, places.segments)


def powers(p: Fraction, last: int, limbs: int = LIMBS) -> Table:
    """Return (1 - p) * p^(r - 1) for r = 1, ..., last, and 0 for r = 0."""
    # Each step, with 40 bits more, loses less than 1 of them and multiplies what was lost by p: after fewer than 2^19
    # steps less than one unit is lost, and rounding down to it loses another.
    current = ((1 - p) * (1 << limbs * LIMB + _POWER_GUARD_BITS)).__floor__()
    scaled = [0]
    for _ in range(last):
        scaled.append(current >> _POWER_GUARD_BITS)
        current = current * p.numerator // p.denominator
    return Table.of_integers(scaled, _POWER_ERROR, limbs)


def powers_at(p: Fraction, ranks: Integers, limbs: int) -> tuple[Table, Integers]:
    """Return the weights of the ranks that come up after the point, and where in the table each of these ranks stands.

    A weight (1 - p) p^(r - 1) loses less than r 2^(3 - bits) of itself: 2^(2 - bits) for each factor (see `_power`) and
    2^(1 - bits) for each rank on the way. It is at most 1/r, since the weights above it are no lower and all of them
    are 1 together. So it loses less than 2^(3 - bits), however far down.
    """
    each, index = distinct(ranks)
    weights = scaled_weights(p, each.tolist(), limbs * LIMB + _FAR_GUARD_BITS)
    return Table.of_integers([number >> shift - limbs * LIMB for number, shift in weights], _CUT_ERROR, limbs), index


def scaled_weights(p: Fraction, ranks: Sequence[int], bits: int) -> list[tuple[int, int]]:
    """Return (1 - p) * p^(r - 1) for ascending ranks: numbers of so many bits, and by which power they are scaled."""
    shift = bits + (1 - p).denominator.bit_length()
    scaled, at = [], 1
    current = _cut(((1 - p) * (1 << shift)).__floor__(), shift, bits)
    for rank in ranks:
        if rank > at:
            power, exponent = _power(p, rank - at, bits)
            current = _cut(current[0] * power, current[1] + exponent, bits)
        at = rank
        scaled.append(current)
    return scaled


def _power(p: Fraction, exponent: int, bits: int) -> tuple[int, int]:
    """Return a power of p as a number of so many bits and the power of 2 it is scaled by."""
    # A product is too low by at most what its factors are, and 2^(1 - bits) of itself, so that a power loses less than
    # 2^(2 - bits) of itself for each factor.
    if exponent == 1:
        shift = bits + p.denominator.bit_length()
        return _cut((p.numerator << shift) // p.denominator, shift, bits)
    half, scale = _power(p, exponent // 2, bits)
    power = _cut(half * half, 2 * scale, bits)
    if exponent % 2:
        one, scale = _power(p, 1, bits)
        power = _cut(power[0] * one, power[1] + scale, bits)
    return power


def _cut(number: int, exponent: int, bits: int) -> tuple[int, int]:
    """Return a number of so many bits, rounded down."""
    excess = number.bit_length() - bits
    return (number >> excess if excess > 0 else number << -excess), exponent - excess


def rank_biased_precision(evaluated: EvaluatedLists) -> Outcomes:
    """Return RBP. Clauses rbp.*."""
    return evaluated.ruled(RBP_GAINS[evaluated.convention.rbp_gain](evaluated))


def _binary(evaluated: EvaluatedLists) -> Outcomes:
    return _rank_biased(evaluated, evaluated.found, np.ones_like(evaluated.found.grades))


def _of_grades(evaluated: EvaluatedLists, *, is_scaled: bool) -> Outcomes:
    places = evaluated.lists.places
    top = evaluated.within(places)
    worth = np.maximum(top.grades, 0)
    highest = evaluated.lists.judged.highest()
    too_large = (highest > LARGEST) | (top.segments.sums(np.minimum(worth, LARGEST)) > LARGEST)
    worth, highest = np.minimum(worth, LARGEST), np.minimum(highest, LARGEST)
    return _rank_biased(evaluated, top, worth, highest if is_scaled else None).except_for(too_large)


def _rank_biased(
    evaluated: EvaluatedLists, places: Places, worth: Integers, divisors: Integers | None = None
) -> Outcomes:
    """Return the sums of weights times worth, over the divisors."""

    def found(limbs: int) -> Fixed:
        weighed = _weighed(replace(evaluated, limbs=limbs), places, worth)
        return weighed if divisors is None else weighed.over(divisors)

    outcomes = Outcomes.of(found(evaluated.limbs))
    if outcomes.certain.all() or evaluated.limbs > LIMBS:
        return outcomes
    # Hits far down weigh less than 88 bits can tell from 0: 1100 bits tell 2^-1000, ...
    doubles, certain, left = outcomes.doubles.copy(), outcomes.certain.copy(), np.flatnonzero(~outcomes.certain)
    wide = found(_WIDE_LIMBS).at(left)
    for place, (least, most) in zip(left.tolist(), wide.ends(), strict=True):
        doubles[place] = least / (1 << wide.bits)  # Python divides whole numbers with one rounding
        certain[place] = doubles[place] == most / (1 << wide.bits)
    # ... and from 2^-1075 down numbers round to 0; sums are below 2^21 times the weight of the first hit.
    hits = places.chosen(worth > 0)
    there, above = hits.segments.sizes > 0, hits.ranks_above()
    is_nothing = np.zeros(there.size, np.bool_)
    exponents = above[hits.segments.starts[:-1][there]] * np.log2(float(evaluated.convention.rbp_persistence))
    is_nothing[there] = exponents < _NOTHING_EXPONENT
    return outcomes._replace(doubles=np.where(is_nothing, 0.0, doubles), certain=certain | is_nothing)


RBP_GAINS: Mapping[RbpGain, Callable[[EvaluatedLists], Outcomes]] = {
    RbpGain.BINARY: _binary,
    RbpGain.SCALED_BY_TOPIC: partial(_of_grades, is_scaled=True),
    RbpGain.GRADE: partial(_of_grades, is_scaled=False),
}
"""Clauses rbp.gain.*."""


def residual(evaluated: EvaluatedLists) -> Outcomes:
    """Return what RBP could still gain: all weights but those of judged documents. Clauses rbp.residual.*."""
    judged = evaluated.judged
    left = _weighed(evaluated, judged, np.ones_like(judged.grades)).taken_from(1)
    zero = Fixed.whole(np.zeros_like(evaluated.length), evaluated.limbs)
    return Outcomes.of(zero.where(CLOSED[evaluated.convention.rbp_residual](evaluated), left))


CLOSED: Mapping[RbpResidual, Callable[[EvaluatedLists], Mask]] = {
    RbpResidual.WITH_TAIL: lambda evaluated: np.zeros(evaluated.length.size, np.bool_),
    RbpResidual.ZERO_IF_ALL_JUDGED: lambda evaluated: evaluated.judged.segments.sizes == evaluated.length,
}
"""Where nothing is taken to be open, the ranks after the list neither."""


def _weighed(evaluated: EvaluatedLists, places: Places, worth: Integers) -> Fixed:
    p, last = evaluated.convention.rbp_persistence, int(places.ranks.max(initial=0))
    if last > LARGEST:
        far, index = powers_at(p, places.ranks, evaluated.limbs)
        return far.sums(worth, index, places.segments)
    table = powers(p, last, evaluated.limbs)
    if evaluated.is_undecided:
        return Blocks.of(places, worth, evaluated.limit).weighed(table.harmonic())
    return table.sums(worth, places.ranks, places.segments)


GRADED: Mapping[str, Callable[[EvaluatedLists], Outcomes]] = {
    "DCG": cumulated_gain,
    "nDCG": cumulated_gain,
    "ERR": expected_reciprocal_rank,
    "RBP": rank_biased_precision,
    "RBPResidual": residual,
}
"""Measure -> its values, in enclosed weights of ranks and chances to get there."""


# ---- nDCG averaged over points: a quotient of two enclosed sums a point. The lists are in strict order

# Of 1,000 lists of 1,000 documents, 50 of each judged, the exact path takes 16 s (nDCGRel) and 10 s (RnDCG); this 0.4.


class Points(NamedTuple):
    """Places in lists at which nDCG is taken."""

    segments: Segments  # which points are whose
    found: Integers  # the documents down to each that gain
    ideal: Integers  # the ranks of the ideal ranking down to each
    weights: Integers  # how often each counts

    @classmethod
    def with_ends(
        cls, points: tuple[Segments, Integers, Integers], ends: tuple[Integers, Integers, Integers]
    ) -> Points:
        """Return points that count once, and behind those of each list its end, which counts as often as it says."""
        segments, found, ideal = points
        last = segments.starts[1:]
        counts = zip((found, ideal, np.ones_like(found)), ends, strict=True)
        return cls(
            Segments(segments.starts + np.arange(segments.starts.size)),
            *(np.insert(each, last, at_end) for each, at_end in counts),
        )


def gain_at_points(evaluated: EvaluatedLists) -> Outcomes:
    """Return nDCGRel or RnDCG. Clauses ndcg.at-relevant, ndcg.at-levels."""
    gains = gains_of(evaluated)
    if gains is None:
        return Outcomes.nothing(evaluated.lists.queries, evaluated.limbs)
    listed, best = gains.top.chosen(gains.top.grades > 0), gains.ideal
    points = POINTS[evaluated.measure.name](listed, best, evaluated.length)
    convention = evaluated.convention
    found = gained(listed, points.segments, points.found, convention.discount, evaluated.limbs)
    ideal = gained(best, points.segments, points.ideal, convention.discount, evaluated.limbs)
    is_nothing = (points.found == 0) | (points.ideal == 0)
    one = Fixed.whole(np.ones_like(points.found), evaluated.limbs)
    shares = quotients(one.where(is_nothing, found), one.where(is_nothing, ideal))
    weighed = shares.times(np.where(is_nothing, 0, points.weights)).summed(points.segments)
    outcomes = Outcomes.of(weighed.over(points.segments.sums(points.weights))).except_for(gains.too_much)
    return outcomes.ruled(listed.segments.sizes == 0, convention.no_hits).ruled(
        gains.relevant == 0, convention.no_relevant
    )


def gained(places: Places, points: Segments, counts: Integers, discount: Discount, limbs: int) -> Fixed:
    """Return the cumulated gain of the first documents of each list, so many at each of its points."""
    # It is a difference of running sums over all lists, whose overflow does no harm (see `Segments.sums`); the width is
    # that of `Table.sums`.
    table, index = discounts(discount, places.ranks, limbs)
    starts = points.of(places.segments.starts[:-1])
    terms = (*(limb[index] * places.grades for limb in table.limbs), places.grades * table.error)
    running = [np.concatenate(([0], np.cumsum(each))) for each in terms]
    *sums, width = (each[starts + counts] - each[starts] for each in running)
    return Fixed.carried(sums, width)


def _at_relevant(listed: Places, best: Places, _: Integers) -> Points:
    """Return the documents that gain; those that are not in the list are at its end."""
    hits, relevant = listed.segments.sizes, best.segments.sizes
    ideal = np.minimum(listed.ranks, listed.segments.of(relevant))
    return Points.with_ends((listed.segments, listed.segments.counting(), ideal), (hits, relevant, relevant - hits))


def _at_levels(listed: Places, best: Places, lengths: Integers) -> Points:
    """Return the ranks at which the ideal gain falls, and the end if at least two documents stand beyond the last."""
    hits, relevant = listed.segments.sizes, best.segments.sizes
    falls = np.append(best.grades[1:] != best.grades[:-1], True)[: best.grades.size]
    falls[best.segments.starts[1:][relevant > 0] - 1] = True
    chosen = np.flatnonzero(falls)
    segments, ranks = best.segments.kept(chosen), best.ranks[chosen]
    # List and rank in one number, so that one search finds where each point stands among the documents.
    most = max(int(listed.ranks.max(initial=0)), int(ranks.max(initial=0)))
    lists = np.arange(hits.size) * most
    down_to = np.searchsorted(listed.segments.of(lists) + listed.ranks, segments.of(lists) + ranks, side="right")
    found = down_to - segments.of(listed.segments.starts[:-1])
    return Points.with_ends((segments, found, ranks), (hits, relevant, (lengths > relevant + 1).astype(np.int64)))


POINTS: Mapping[str, Callable[[Places, Places, Integers], Points]] = {"nDCGRel": _at_relevant, "RnDCG": _at_levels}
"""Measure -> its points, by the documents that gain, the ideal ranking, and the lengths of the lists."""
