"""The derivation of one list under average precision: rows, denominator, sum, value; or the rule that decides.

It takes the same steps as `measures.average_precision`, and keeps what they see on the way. The tests hold its totals
against `evaluate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Interpolation, Ties
from rankspec.oracle.conventions.interpolations import INTERPOLATIONS
from rankspec.oracle.explaining.closing import least_text
from rankspec.oracle.explaining.listing import DocumentBlocks, Listing, binary
from rankspec.oracle.explaining.steps import Level, ListDerivation, Row
from rankspec.oracle.measures.curve import Point, operating_points
from rankspec.oracle.measures.denominators import LEAST_OF
from rankspec.oracle.measures.estimators import ESTIMATORS, Estimator, FixedLevels, additions
from rankspec.oracle.measures.expectation import expected_additions, expected_terms
from rankspec.oracle.measures.recall_grid import hits_needed
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.rankings.cutting import Blocks
from rankspec.oracle.sums import sum_of_fractions


@clause("ap.form.*", "ap.area")
def average_precision_list(listing: Listing) -> ListDerivation:
    """Derive the value of a list without limits inside its blocks."""
    convention, labels, count = listing.convention, listing.labels, listing.length
    if listing.hits == 0:
        rows = curve_rows(listing.blocks, listing.relevant, [Fraction(0)] * len(labels), ahead=False)
        rule = f"no_hits={convention.no_hits}"
        return ListDerivation(
            listing.probability, rows, RULES[convention.no_hits], rule=rule, left_out=listing.left_out
        )
    denominator, denominator_text = least_text(LEAST_OF[convention.denominator], listing.counts)
    interpolation = convention.interpolation
    undecided = convention.ties is Ties.EXPECTED
    estimator = ESTIMATORS[interpolation](
        denominator, count if undecided else len(labels), listing.limit, convention.recall_grid
    )
    ahead = INTERPOLATIONS[interpolation].looks_ahead and not undecided
    if undecided:
        terms = _expected_terms(estimator, labels, interpolation)
        added = [sum_of_fractions(each) for each in terms]
    else:
        terms = [()] * len(labels)
        added = additions(estimator, listing.points)
    total = sum_of_fractions(added)
    return ListDerivation(
        listing.probability,
        curve_rows(listing.blocks, denominator, added, ahead=ahead, terms=terms),
        total / estimator.divisor,
        denominator,
        denominator_text,
        Fraction(estimator.divisor),
        _divisor_text(interpolation, estimator),
        total,
        _levels(estimator, listing.points) if ahead and isinstance(estimator, FixedLevels) else (),
        left_out=listing.left_out,
    )


def _expected_terms(estimator: Estimator, labels: Blocks, interpolation: Interpolation) -> list[tuple[Fraction, ...]]:
    """Return, block by block, the terms of the closed form, or what the block adds on average."""
    if interpolation is Interpolation.STEP:
        return [tuple(terms) for terms in expected_terms(labels)]
    return [(addition,) for addition in expected_additions(estimator, labels)]


def curve_rows(
    blocks: DocumentBlocks,
    denominator: int,
    added: Sequence[Fraction],
    *,
    ahead: bool,
    terms: Sequence[tuple[Fraction, ...]] = (),
) -> tuple[Row, ...]:
    """Return the rows of a measure that looks at the curve; with `ahead`, at the highest precision from a row on."""
    points = operating_points(binary(blocks))
    highest = _highest(points) if ahead else [None] * len(points)
    return tuple(
        Row(point.retrieved, block, point.hits, Fraction(point.hits, denominator), top, addition, of_block)
        for point, block, top, addition, of_block in zip(
            points, blocks, highest, added, terms or [()] * len(points), strict=True
        )
    )


def _highest(points: Sequence[Point]) -> list[Fraction | None]:
    """Return the highest precision from each point on."""
    highest: list[Fraction | None] = []
    best = Fraction(0)
    for point in reversed(points):
        best = max(best, point.precision)
        highest.append(best)
    return highest[::-1]


def _levels(estimator: FixedLevels, points: Sequence[Point]) -> tuple[Level, ...]:
    needed = hits_needed(estimator.grid, estimator.levels, estimator.denominator)
    return tuple(
        Level(
            Fraction(level, estimator.levels),
            count,
            max((point.precision for point in points if point.hits >= count), default=Fraction(0)),
        )
        for level, count in enumerate(needed)
    )


def _divisor_text(interpolation: Interpolation, estimator: Estimator) -> str:
    texts = {
        Interpolation.ELEVEN_POINT: "recall levels",
        Interpolation.HUNDRED_ONE_POINT: "recall levels",
        Interpolation.LINEAR_101: "trapezoids",
        Interpolation.ALL_RANKS: "ranks",
        Interpolation.ALL_RANKS_PADDED: "k",
        Interpolation.SLOPED_LINE: f"recall points, 2 * {estimator.denominator} - 1",
    }
    return texts.get(interpolation, "D")
