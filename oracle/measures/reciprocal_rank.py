"""The reciprocal rank of the first relevant document, and its mean over the orders of a tie."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.looked_at import HIT, EvaluatedList
from rankspec.oracle.measures.working import Closing, Listing, Part
from rankspec.oracle.rankings.ranking import length


@clause("rr.first", "ranking.ties.grouped", "ranking.ties.expected")
def reciprocal_rank(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001 - one signature
    """Return 1/rank of the first hit; there is one (see `no_hits`).

    In random order, the first of a block's r hits among its n documents stands at place j with probability
    C(n-j, r-1) / C(n, r) (McSherry and Najork 2008).
    """
    first = next(place for place, block in enumerate(looked.blocks) if HIT in block)
    return sum(reciprocals(looked, first, convention.ties), Fraction(0))


def reciprocals(looked: EvaluatedList, first: int, ties: Ties) -> tuple[Fraction, ...]:
    """Return 1/rank for each place that the first hit can have in its block, times the chance that it is there."""
    before, block = length(looked.blocks[:first]), looked.blocks[first]
    size, found = len(block), block.count(HIT)
    if ties is Ties.GROUPED:
        return (Fraction(1, before + size),)
    return tuple(
        Fraction(comb(size - j, found - 1), comb(size, found)) / (before + j) for j in range(1, size - found + 2)
    )


def first_hit_parts(listing: Listing) -> tuple[Part, ...]:
    """Return parts of which the first with a hit adds 1/rank, or its mean."""
    blocks = listing.looked.blocks
    first = next((place for place, block in enumerate(blocks) if HIT in block), None)
    terms = [
        reciprocals(listing.looked, place, listing.convention.ties) if place == first else ()
        for place in range(len(blocks))
    ]
    return listing.parts(
        [sum(each, Fraction(0)) for each in terms], terms=[each if len(each) > 1 else () for each in terms]
    )


def first_hit_closing(listing: Listing) -> Closing:
    """Leave the reciprocal rank as it is."""
    grouped = listing.convention.ties is Ties.GROUPED
    return Closing(adds="the first hit adds 1/rank" + (", the rank at the end of its block" if grouped else ""))
