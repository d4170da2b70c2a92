"""The reciprocal rank of the first relevant document, and its mean over the orders of a tie."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.looked_at import HIT, Looked
from rankspec.oracle.rankings.ranking import length


@clause("rr.first", "ranking.ties.grouped", "ranking.ties.expected")
def reciprocal_rank(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001 - one signature
    """Return 1/rank of the first hit; there is one (see `no_hits`).

    In random order, the first of a block's r hits among its n documents stands at place j with probability
    C(n-j, r-1) / C(n, r) (McSherry and Najork 2008).
    """
    first = next(place for place, block in enumerate(looked.blocks) if HIT in block)
    before, block = length(looked.blocks[:first]), looked.blocks[first]
    size, found = len(block), block.count(HIT)
    if convention.ties is Ties.GROUPED:
        return Fraction(1, before + size)
    chances = (Fraction(comb(size - j, found - 1), before + j) for j in range(1, size - found + 2))
    return sum(chances, Fraction(0)) / comb(size, found)
