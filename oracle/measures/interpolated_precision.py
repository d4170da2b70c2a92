"""Interpolated precision at one recall level: the highest precision from there on."""

from __future__ import annotations

from fractions import Fraction

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import RecallGrid, Ties
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.curve import ORIGIN, Point
from rankspec.oracle.measures.estimators import Estimator, Rest
from rankspec.oracle.measures.expectation import area_of
from rankspec.oracle.measures.looked_at import HIT, Looked
from rankspec.oracle.measures.recall_grid import hits_for_level
from rankspec.oracle.rankings.cutting import Blocks


@clause("iprec.at")
class OneLevel(Estimator):
    """The highest precision of a point with enough hits."""

    def __init__(self, needed: int) -> None:
        """Keep C, the hits that are enough."""
        super().__init__(1, 0, None, RecallGrid.EXACT)
        self.needed = needed

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Fraction]:
        """Leave the highest precision so far; add it at the first point that has enough."""
        highest = max(rest, point.precision) if isinstance(rest, Fraction) else point.precision
        is_first = previous == ORIGIN or previous.hits < self.needed
        return highest, highest if is_first and point.hits >= self.needed else Fraction(0)


@clause("iprec.at")
def interpolated_precision(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:
    """Return the highest precision at a recall of at least the level, 0 if none is reached."""
    needed = hits_for_level(measure.recall or Fraction(0), looked.relevant, convention.recall_grid)
    blocks: Blocks = tuple(tuple(int(label == HIT) for label in block) for block in looked.blocks)
    return area_of(OneLevel(needed), blocks, undecided=convention.ties is Ties.EXPECTED)
