"""Interpolated precision at one recall level: the highest precision from there on."""

from __future__ import annotations

from fractions import Fraction

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import RecallGrid, Ties
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure, decimal_text
from rankspec.oracle.measures.areas.estimators import Estimator, Point, Rest
from rankspec.oracle.measures.areas.expectation import area_of, estimator_rows
from rankspec.oracle.measures.areas.recall_grid import GRIDS, hits_for_level
from rankspec.oracle.measures.derivations import ListDerivation, Listing, Row
from rankspec.oracle.measures.evaluated_list import EvaluatedList


@clause("iprec.at")
class OneLevel(Estimator):
    """The highest precision of a point with enough hits."""

    def __init__(self, needed: int) -> None:
        super().__init__(1, 0, None, RecallGrid.EXACT)
        self.needed = needed

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Fraction]:
        """Leave the highest precision so far; add it at the first point that has enough."""
        highest = point.precision if rest is None else max(rest, point.precision)
        is_first = not previous.retrieved or previous.hits < self.needed
        return highest, highest if is_first and point.hits >= self.needed else Fraction(0)


@clause("iprec.at")
def interpolated_precision(evaluated: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Fraction:
    """Return the highest precision at a recall of at least the level, 0 if none is reached."""
    return area_of(
        level_of(evaluated, measure, convention), evaluated.binary, undecided=convention.ties is Ties.EXPECTED
    )


def level_of(evaluated: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> OneLevel:
    """Return what reads a list off at the level."""
    return OneLevel(hits_for_level(measure.recall or Fraction(0), evaluated.relevant, convention.recall_grid))


def level_rows(listing: Listing) -> tuple[Row, ...]:
    """Return rows of which the first with enough hits adds the highest precision from there on."""
    estimator = level_of(listing.evaluated, listing.measure, listing.convention)
    return estimator_rows(estimator, listing, looks_ahead=True)


def level_closing(listing: Listing) -> ListDerivation:
    """Say how many hits the level needs."""
    level = decimal_text(listing.measure.recall or Fraction(0))
    formula = GRIDS[listing.convention.recall_grid].formula.format(level=level, relevant=listing.relevant)
    return ListDerivation(
        adds="the first row with enough hits adds the highest precision from there on",
        needed=f"{formula} = {level_of(listing.evaluated, listing.measure, listing.convention).needed}",
    )
