"""Average precision of many lists, in fixed point. Clauses ap.interpolation.*.

Whatever is compared (the highest precision from a rank on) is compared exactly: two different ratios i/r with r < 2^19
differ by more than 2^-38, so floor(2^39 * i/r) tells them apart and puts them in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial, reduce
from typing import assert_never

import numpy as np
from rankspec.oracle.conventions.axes import Interpolation, RecallGrid
from rankspec.oracle.conventions.interpolations import INTERPOLATIONS, At, Traits
from rankspec.oracle.measures.areas.recall_grid import hits_for_level, hits_needed
from rankspec.oracle.scoring.batch.evaluated import EvaluatedLists, Outcomes
from rankspec.oracle.scoring.batch.fixed import LARGEST, LIMBS, Fixed, Integers, Segments, Table, distinct
from rankspec.oracle.scoring.batch.lists import Places
from rankspec.oracle.scoring.batch.tied_blocks import Blocks

# Different ratios i/r with r < 2^19 differ by more than 2^-38, so 39 bits compare them exactly.
_COMPARED_BITS = 39


@dataclass(eq=False, repr=False, match_args=False)
class Curves:
    """The hits of many lists, and what their areas are made of."""

    hits: Places  # the relevant documents evaluated; ranks are blocks' ends under `grouped`
    denominators: Integers  # D of each list
    grid: RecallGrid  # how fixed recall levels are reached
    limbs: int = LIMBS  # how wide enclosures are

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
        return Table.reciprocals(int(self.hits.ranks.max(initial=0)), self.limbs)

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
                return sums.plus(Fixed.whole(at_start, self.limbs))
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
        mean = blocks.precisions(evaluated.limbs).over(divisors)
        return evaluated.ruled(Outcomes.of(mean).except_for(beyond))
    curves = Curves(evaluated.found, divisors, convention.recall_grid, evaluated.limbs)
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
    return evaluated.ruled(Outcomes.quotients(above, below, evaluated.limbs))
