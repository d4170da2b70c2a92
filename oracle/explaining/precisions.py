"""The derivations of what looks at single precisions: the rank of the first hit, and one recall level."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import RecallGrid, Ties
from rankspec.oracle.conventions.measure import decimal_text
from rankspec.oracle.explaining.closing import Closing
from rankspec.oracle.explaining.curves import curve_rows
from rankspec.oracle.explaining.listing import Listing
from rankspec.oracle.explaining.steps import Row
from rankspec.oracle.measures.estimators import additions
from rankspec.oracle.measures.expectation import expected_additions
from rankspec.oracle.measures.interpolated_precision import OneLevel
from rankspec.oracle.measures.recall_grid import hits_for_level
from rankspec.oracle.sums import sum_of_fractions

_GRIDS = {
    RecallGrid.EXACT: "ceil({level} * {relevant})",
    RecallGrid.FLOAT64: "the least C with C/{relevant} >= {level} in doubles",
    RecallGrid.TREC_EVAL_9: "floor({level} * {relevant} + 0.9) in doubles",
    RecallGrid.TREC_EVAL_10: "{level} * {relevant} in doubles, rounded half away from 0",
}


@clause("rr.first")
def first_hit_rows(listing: Listing) -> tuple[Row, ...]:
    """Return rows of which the first with a hit adds 1/rank, or its mean."""
    terms: list[tuple[Fraction, ...]] = []
    found = False
    for block, point in zip(listing.labels, listing.points, strict=True):
        terms.append(
            () if found or not point.hits else _reciprocals(block.count(1), len(block), point.retrieved, listing)
        )
        found = point.hits > 0
    return listing.rows(
        [sum_of_fractions(each) for each in terms], terms=[each if len(each) > 1 else () for each in terms]
    )


def _reciprocals(found: int, size: int, end: int, listing: Listing) -> tuple[Fraction, ...]:
    """Return 1/rank for each place that the first of a block's hits can have, times the chance that it is there."""
    if listing.convention.ties is Ties.GROUPED:
        return (Fraction(1, end),)
    return tuple(
        Fraction(comb(size - place, found - 1), comb(size, found)) / (end - size + place)
        for place in range(1, size - found + 2)
    )


def first_hit_closing(listing: Listing) -> Closing:
    """Leave the reciprocal rank as it is."""
    grouped = listing.convention.ties is Ties.GROUPED
    return Closing(adds="the first hit adds 1/rank" + (", the rank at the end of its block" if grouped else ""))


@clause("iprec.at")
def level_rows(listing: Listing) -> tuple[Row, ...]:
    """Return rows of which the first with enough hits adds the highest precision from there on."""
    estimator = OneLevel(_needed(listing))
    if listing.convention.ties is Ties.EXPECTED:
        added = expected_additions(estimator, listing.labels)
        return curve_rows(listing.blocks, listing.relevant, added, ahead=False)
    return curve_rows(listing.blocks, listing.relevant, additions(estimator, listing.points), ahead=True)


def level_closing(listing: Listing) -> Closing:
    """Say how many hits the level needs."""
    level = decimal_text(listing.measure.recall or Fraction(0))
    formula = _GRIDS[listing.convention.recall_grid].format(level=level, relevant=listing.relevant)
    return Closing(
        adds="the first row with enough hits adds the highest precision from there on",
        needed=f"{formula} = {_needed(listing)}",
    )


def _needed(listing: Listing) -> int:
    return hits_for_level(listing.measure.recall or Fraction(0), listing.relevant, listing.convention.recall_grid)
