"""Measures whose terms weigh a rank: DCG and nDCG by enclosed logarithms, rank-biased precision by enclosed powers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

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
    Table,
    distinct,
    quotients,
)
from rankspec.oracle.scoring.batch.lists import Places
from rankspec.oracle.scoring.batch.tied_blocks import Blocks, running_sums

if TYPE_CHECKING:
    from rankspec.oracle.measures.terms import Term

# Units of the last bit that a table's entries are too low by: see `powers`, which proves them.
_POWER_ERROR = 2
_POWER_GUARD_BITS = 40


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


def rank_biased_precision(evaluated: EvaluatedLists) -> Outcomes:
    """Return RBP. Clauses rbp.*."""
    return evaluated.ruled(RBP_GAINS[evaluated.convention.rbp_gain](evaluated))


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
    weighed = _weighed(evaluated, places, worth)
    return Outcomes.of(weighed if divisors is None else weighed.over(divisors))


RBP_GAINS: Mapping[RbpGain, Callable[[EvaluatedLists], Outcomes]] = {
    RbpGain.BINARY: lambda lists: _rank_biased(lists, lists.found, np.ones_like(lists.found.grades)),
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
    last = int(places.ranks.max(initial=0))
    table = powers(evaluated.convention.rbp_persistence, last, evaluated.limbs)
    if evaluated.is_undecided:
        return Blocks.of(places, worth, evaluated.limit).weighed(table.harmonic())
    return table.sums(worth, places.ranks, places.segments)


GRADED: Mapping[str, Callable[[EvaluatedLists], Outcomes]] = {
    "DCG": cumulated_gain,
    "nDCG": cumulated_gain,
    "RBP": rank_biased_precision,
    "RBPResidual": residual,
}
"""Measure -> its values, in enclosed weights of ranks."""
