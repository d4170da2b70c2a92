"""Measures whose certified values have a form of their own.

Average precision by ratios in fixed point (clauses ap.interpolation.*), DCG and nDCG by enclosed logarithms,
rank-biased precision by enclosed powers.

Whatever is compared (the highest precision from a rank on) is compared exactly: two different ratios i/r with r < 2^19
differ by more than 2^-38, so floor(2^39 * i/r) tells them apart and puts them in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial, reduce
from typing import TYPE_CHECKING, assert_never

import numpy as np
from rankspec.oracle.conventions.axes import Discount, Interpolation, RbpGain, RbpResidual, RecallGrid
from rankspec.oracle.conventions.interpolations import INTERPOLATIONS, At, Traits
from rankspec.oracle.measures.areas.recall_grid import hits_for_level, hits_needed
from rankspec.oracle.measures.choices import DISCOUNTS
from rankspec.oracle.reals.logarithms import WIDTH, reciprocal_log2
from rankspec.oracle.scoring.batch.evaluated import EvaluatedLists, Outcomes, gains_of
from rankspec.oracle.scoring.batch.fixed import (
    BITS,
    LARGEST,
    Fixed,
    Integers,
    Mask,
    Segments,
    Table,
    distinct,
    quotients,
)
from rankspec.oracle.scoring.batch.lists import Places
from rankspec.oracle.scoring.batch.tied_blocks import Blocks, running_sums

if TYPE_CHECKING:
    from rankspec.oracle.measures.terms import Term

# ---- Areas


# Different ratios i/r with r < 2^19 differ by more than 2^-38, so 39 bits compare them exactly.
_COMPARED_BITS = 39


@dataclass(eq=False, repr=False, match_args=False)
class Curves:
    """The hits of many lists, and what their areas are made of."""

    hits: Places  # the relevant documents evaluated; ranks are blocks' ends under `grouped`
    denominators: Integers  # D of each list
    grid: RecallGrid  # how fixed recall levels are reached

    @property
    def segments(self) -> Segments:
        """Return which hits are whose."""
        return self.hits.segments

    @cached_property
    def counts(self) -> Integers:
        """Return the number of hits down to each hit's operating point."""
        return self.hits.counts()

    @cached_property
    def reciprocals(self) -> Table:
        """Return the reciprocals of all ranks that come up."""
        return Table.reciprocals(int(self.hits.ranks.max(initial=0)))

    def precisions(self, hits: Integers, ranks: Integers, factors: Integers, segments: Segments) -> Fixed:
        """Return the sums of factors times hits over ranks; 0 over 0 is 0."""
        return self.reciprocals.sums(hits * factors, ranks, segments)

    def highest(self, places: Integers, segments: Segments) -> Fixed:
        """Return the sums of the highest precisions from some hits on."""
        best = self.best_from[places]
        return self.precisions(self.counts[best], self.hits.ranks[best], np.ones_like(best), segments)

    @cached_property
    def above(self) -> Integers:
        """Return the rank of the operating point before each hit's, 0 before the first."""
        return self.hits.ranks_above()

    def at(self, at: At, taken: Integers | None) -> Fixed:
        """Return the sums of a precision at hits, of those alone that are taken, if that is said."""
        factors = np.ones_like(self.counts) if taken is None else taken
        match at:
            case At.HIT:
                return self.precisions(self.counts, self.hits.ranks, factors, self.segments)
            case At.BEFORE:
                sums = self.precisions(self.hits.counts_above(), self.above, factors, self.segments)
                at_start = self.segments.sums(np.where(self.above == 0, factors, 0))
                return sums.plus(Fixed.whole(at_start))
            case At.HIGHEST:
                return self.highest(np.arange(self.counts.size), self.segments)
            case _:
                assert_never(at)

    @cached_property
    def best_from(self) -> Integers:
        """Return, for each hit, the place of the operating point with the highest precision from there on."""
        queries = self.segments.starts.size - 1
        scaled = (self.counts << _COMPARED_BITS) // self.hits.ranks
        keys = (self.segments.of(np.arange(queries, 0, -1)) << (_COMPARED_BITS + 1)) + scaled
        backwards = keys[::-1]
        highest = np.maximum.accumulate(backwards)
        places = np.maximum.accumulate(np.where(backwards == highest, np.arange(keys.size), 0))
        return keys.size - 1 - places[::-1]


Area = Callable[[Curves], Fixed]


def _over_hits(curves: Curves, traits: Traits) -> Fixed:
    """Return the mean over hits of some precisions each. Clauses ap.interpolation.*."""
    taken = (curves.above > 0).astype(np.int64) if traits.is_unanchored else None
    totals = [curves.at(at, taken) for at in traits.precisions]
    return reduce(Fixed.plus, totals).over(len(totals) * curves.denominators)


def _fixed_levels(curves: Curves, levels: int) -> Fixed:
    """Return the mean of the highest precisions from recall 0, 1/levels, ..., 1 on."""
    of_denominator, index = distinct(curves.denominators)
    table = [hits_needed(curves.grid, levels, int(each)) for each in of_denominator]
    needed = np.maximum(np.array(table, np.int64).reshape(-1, levels + 1)[index], 1)
    reached = needed <= curves.segments.sizes[:, None]
    terms = Segments(np.concatenate(([0], np.cumsum(reached.sum(axis=1)))))
    total = curves.highest((needed + curves.segments.starts[:-1, None] - 1)[reached], terms)
    return total.over(np.full(curves.denominators.size, levels + 1))


AREAS: Mapping[Interpolation, Area] = {
    **{each: partial(_over_hits, traits=traits) for each, traits in INTERPOLATIONS.items() if traits.precisions},
    **{each: partial(_fixed_levels, levels=traits.levels) for each, traits in INTERPOLATIONS.items() if traits.levels},
}
"""Interpolations that are sums of precisions at hits. The exact path has the others: of 1,000 lists of 1,000 documents
2 s (sloped-line), 3 s (all-ranks) and 4 s (all-ranks-padded).
"""


def average_precision(evaluated: EvaluatedLists) -> Outcomes:
    """Return AP, its area in fixed point. Clauses ap.*."""
    convention = evaluated.convention
    # Where the divisor is 0, a rule says the value of the query.
    divisors = np.maximum(evaluated.divisor(convention.denominator), 1)
    most = LARGEST if convention.interpolation is Interpolation.STEP else LARGEST >> 1  # others divide by twice as much
    beyond = divisors > most
    divisors = np.minimum(divisors, most)
    if evaluated.is_undecided and convention.interpolation is Interpolation.STEP:
        hits = evaluated.in_list
        blocks = Blocks.of(hits, np.ones_like(hits.ranks), evaluated.limit)
        mean = blocks.precisions().over(divisors)
        return evaluated.ruled(Outcomes.of(mean).except_for(beyond))
    curves = Curves(evaluated.found, divisors, convention.recall_grid)
    return evaluated.ruled(Outcomes.of(AREAS[convention.interpolation](curves)).except_for(beyond))


def interpolated_precision(evaluated: EvaluatedLists) -> Outcomes:
    """Return the highest precision from the level on. Clause iprec.at."""
    # Rounding is monotone, and different precisions have different doubles, so the highest double is that of the
    # highest.
    level = evaluated.measure.recall or Fraction(0)
    each, index = distinct(np.maximum(evaluated.relevant, 1))
    grid = evaluated.convention.recall_grid
    needed = np.array([hits_for_level(level, int(number), grid) for number in each], np.int64)[index]
    needed = np.maximum(needed, 1)
    hits = evaluated.found
    reached = needed <= evaluated.hits
    none = np.zeros(needed.size, np.int64)
    above, below = none.copy(), none.copy()
    if reached.any():
        curves = Curves(hits, none, grid)
        best = curves.best_from[(hits.segments.starts[:-1] + needed - 1)[reached]]
        above[reached], below[reached] = curves.counts[best], hits.ranks[best]
    return evaluated.ruled(Outcomes.quotients(above, below))


# ---- Weights of ranks

# Units of the last bit that a table's entries are too low by: see `powers`, which proves them.
_POWER_ERROR = 2
_POWER_GUARD_BITS = 40


def discounts(discount: Discount, ranks: Integers) -> tuple[Table, Integers]:
    """Return 1/discount for the ranks that come up, and where in the table each of these ranks stands."""
    from rankspec.oracle.measures.terms import computed  # loads how the oracle reads a definition

    reciprocal = computed(1 / DISCOUNTS[discount])
    each, places = distinct(ranks)
    lower = [_below(reciprocal({"rank": int(rank)}), BITS) for rank in each]
    return Table.of_integers(lower, WIDTH), places


def _below(term: Term, bits: int) -> int:
    """Return a term times 2^bits, rounded down."""
    if isinstance(term, Fraction):
        return (term.numerator << bits) // term.denominator
    return reciprocal_log2(term.argument, bits)[0] * term.gain.numerator // term.gain.denominator


def cumulated_gain(evaluated: EvaluatedLists) -> Outcomes:
    """Return DCG or nDCG. Clauses dcg.at, ndcg.at."""
    gains = gains_of(evaluated)
    if gains is None:
        return Outcomes.nothing(evaluated.lists.queries)
    top = gains.top
    hits = top.segments.sums((top.grades > 0).astype(np.int64))
    found = _discounted(evaluated, top)
    if not evaluated.measure.family.has("ideal"):
        value = found.over(np.full(hits.size, gains.scale))
    else:
        ideal = _discounted(evaluated, gains.ideal)
        empty = (hits == 0) | (ideal.limbs[0] == 0)
        one = Fixed.whole(np.ones_like(hits))
        value = quotients(one.where(empty, found), one.where(empty, ideal))
    outcomes = Outcomes.of(value).except_for(gains.too_much)
    convention = evaluated.convention
    return outcomes.ruled(hits == 0, convention.no_hits).ruled(gains.relevant == 0, convention.no_relevant)


def _discounted(evaluated: EvaluatedLists, places: Places) -> Fixed:
    if evaluated.is_undecided and places.tops is not None:
        blocks = Blocks.of(places, places.grades, evaluated.limit)
        ranks = blocks.ranks()
        table, index = discounts(evaluated.convention.discount, ranks)
        return blocks.weighed(running_sums(ranks, table, index, blocks.last))
    table, index = discounts(evaluated.convention.discount, places.ranks)
    return table.sums(places.grades, index, places.segments)


def powers(p: Fraction, last: int) -> Table:
    """Return (1 - p) * p^(r - 1) for r = 1, ..., last, and 0 for r = 0."""
    # Each step, with 40 bits more, loses less than 1 of them and multiplies what was lost by p: after fewer than 2^19
    # steps less than one unit is lost, and rounding down to it loses another.
    current = ((1 - p) * (1 << BITS + _POWER_GUARD_BITS)).__floor__()
    scaled = [0]
    for _ in range(last):
        scaled.append(current >> _POWER_GUARD_BITS)
        current = current * p.numerator // p.denominator
    return Table.of_integers(scaled, _POWER_ERROR)


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
    zero = Fixed.whole(np.zeros_like(evaluated.length))
    return Outcomes.of(zero.where(CLOSED[evaluated.convention.rbp_residual](evaluated), left))


CLOSED: Mapping[RbpResidual, Callable[[EvaluatedLists], Mask]] = {
    RbpResidual.WITH_TAIL: lambda evaluated: np.zeros(evaluated.length.size, np.bool_),
    RbpResidual.ZERO_IF_ALL_JUDGED: lambda evaluated: evaluated.judged.segments.sizes == evaluated.length,
}
"""Where nothing is taken to be open, the ranks after the list neither."""


def _weighed(evaluated: EvaluatedLists, places: Places, worth: Integers) -> Fixed:
    last = int(places.ranks.max(initial=0))
    table = powers(evaluated.convention.rbp_persistence, last)
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
