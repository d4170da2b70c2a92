"""The exact precision-recall curve of a list: operating points, in order of growing lists.

Recall is measured against the denominator D: what a recall of 1 is, is a convention. Estimators of the area under the
curve are in `estimators.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from operator import truediv
from typing import Any, NamedTuple

from rankspec.oracle.clauses import clause
from rankspec.oracle.rankings.ranking import Block


class Point(NamedTuple):
    """An operating point: so many documents retrieved, so many of them relevant.

    Attributes:
        share: returns the quotient of two counts: exactly, or as the nearest double where a search only needs that.
    """

    retrieved: int
    hits: int
    share: Callable[[int, int], Any] = Fraction

    @property
    @clause("ap.precision-at-rank")
    def precision(self) -> Any:
        """Return hits / retrieved."""
        return self.share(self.hits, self.retrieved)


ORIGIN = Point(0, 0)
"""Before the first document. Its precision is a convention's (trapezoids take 1), so it is no operating point."""


@clause("ranking.ties.grouped")
def operating_points(blocks: Sequence[Block]) -> list[Point]:
    """Return the curve: a point at the end of each block; a block of one is a rank."""
    sizes = accumulate(len(block) for block in blocks)
    hits = accumulate(block.count(1) for block in blocks)
    return [Point(retrieved, hit) for retrieved, hit in zip(sizes, hits, strict=True)]


def near_points(blocks: Sequence[Block], *, every: bool) -> list[Point]:
    """Return the curve with doubles for quotients: every point, or those with new hits and the ones before them.

    Between two points with new hits precision falls, so that no estimator but the mean over all ranks sees the others.
    """
    points = list[Point]()
    retrieved = hits = last = 0
    for block in blocks:
        new = block.count(1)
        if new or every:
            if last < retrieved:
                points.append(Point(retrieved, hits, truediv))
            last = retrieved + len(block)
            points.append(Point(last, hits + new, truediv))
        retrieved += len(block)
        hits += new
    if last < retrieved:
        points.append(Point(retrieved, hits, truediv))
    return points


@clause("ap.interpolated-precision")
def highest_precision(points: Sequence[Point], hits: int = 0) -> Fraction:
    """Return the highest precision of the points with at least so many hits, 0 if there is none."""
    return max((point.precision for point in points if point.hits >= hits), default=Fraction(0))


def highest_precisions(points: Sequence[Point]) -> list[Fraction]:
    """Return the highest precision from each point on."""
    return list(accumulate((point.precision for point in reversed(points)), max))[::-1]
