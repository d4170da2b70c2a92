"""The areas under one list's curve, for many conventions at once: what they share is computed once.

Most estimators divide a sum that does not depend on the denominator, and the levels of a grid need a few precisions of
the list alone. This is about speed: every area equals the oracle's, and the tests prove it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import fsum
from typing import Any

from rankspec.oracle.conventions.axes import Denominator, Interpolation, RecallGrid
from rankspec.oracle.conventions.interpolations import INTERPOLATIONS
from rankspec.oracle.measures.areas.denominators import Counts, denominator
from rankspec.oracle.measures.areas.estimators import (
    ESTIMATORS,
    Estimator,
    Point,
    additions,
    area,
    near_points,
    operating_points,
)
from rankspec.oracle.measures.areas.expectation import expected_area
from rankspec.oracle.measures.areas.recall_grid import hits_needed
from rankspec.oracle.rankings.ranking import Blocks, all_orders, hits, length, number_of_orders

# So many orders of a list (10 tied documents have at most 252) are gone through one by one, in doubles. Of
# more of them estimators without a closed form are not tried.
_MOST_ORDERS = 256

CLOSED = frozenset(each for each, estimator in ESTIMATORS.items() if estimator(1, 1, 1, RecallGrid.EXACT).is_linear)
"""Interpolations whose mean over the orders of a tie has a closed form."""


@dataclass
class Areas:
    """The areas under the curve of a list with a hit, by whatever estimator and denominator."""

    blocks: Blocks  # the list that is evaluated
    undecided: bool  # areas are means over all orders inside the blocks (ties=expected)
    k: int | None  # the cutoff, if there is one
    _known: dict[Hashable, Fraction] = field(default_factory=dict)
    _near: dict[Hashable, float] = field(default_factory=dict)
    _sums: dict[Hashable, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Count once what every area needs."""
        self.length = length(self.blocks)
        self.hits = hits(self.blocks)

    @cached_property
    def is_feasible(self) -> bool:
        """Whether all areas can be had in reasonable time, those of estimators that look ahead, too."""
        return not self.undecided or number_of_orders(self.blocks) <= _MOST_ORDERS

    def denominator(self, rule: Denominator, relevant: int, hits_in_list: int) -> int:
        """Return D under a rule."""
        counts = Counts(relevant, self.k or self.length, self.length, self.hits, hits_in_list)
        return denominator(rule, counts)

    def area(self, interpolation: Interpolation, denominator: int, grid: RecallGrid) -> Fraction:
        """Return what `estimators.area`, or `expectation.expected_area`, returns for this list."""
        # Sums of precisions at hits are kept for every denominator.
        traits = INTERPOLATIONS[interpolation]
        whole = denominator if traits.is_divided and not traits.precisions else 1
        key = (interpolation, whole, grid)
        if key not in self._known:
            estimator, blocks = self._estimator(interpolation, whole, grid), self.blocks
            of_blocks = expected_area if self.undecided else lambda by, each: area(by, operating_points(each))
            self._known[key] = of_blocks(estimator, blocks)
        return self._known[key] / denominator if traits.precisions else self._known[key]

    def near(self, interpolation: Interpolation, denominator: int, grid: RecallGrid) -> float:
        """Return `area` as a double that is off by less than 2^-49 of itself."""
        traits = INTERPOLATIONS[interpolation]
        below = hits_needed(grid, traits.levels, denominator) if traits.levels else denominator
        key = (interpolation, below)
        if key not in self._near:
            self._near[key] = self._nearly(interpolation, denominator, grid)
        return self._near[key]

    def _nearly(self, interpolation: Interpolation, denominator: int, grid: RecallGrid) -> float:
        if not self.is_feasible:
            return float(self.area(interpolation, denominator, grid))
        traits = INTERPOLATIONS[interpolation]
        if traits.levels:
            needed, lists = hits_needed(grid, traits.levels, denominator), self._best
            return (
                fsum(best[count] for best in lists for count in needed if count < len(best)) / len(lists) / len(needed)
            )
        # All but linear-101 are sums that do not depend on D: they are kept for every denominator.
        estimator = self._estimator(interpolation, denominator, grid)
        key = (interpolation, denominator if interpolation is Interpolation.LINEAR_101 else None)
        if key not in self._sums:
            curves = self._curves if traits.is_divided else [near_points(each, every=True) for each in self._orders()]
            self._sums[key] = fsum(fsum(additions(estimator, points)) for points in curves) / len(curves)
        return self._sums[key] / estimator.divisor

    def _orders(self) -> Iterable[Blocks]:
        if not self.undecided:
            return [self.blocks]
        return (tuple((label,) for label in order) for order in all_orders(self.blocks))

    @cached_property
    def _curves(self) -> list[list[Point]]:
        return [near_points(each, every=False) for each in self._orders()]

    @cached_property
    def _best(self) -> list[list[float]]:
        return [best_with_hits(points) for points in self._curves]

    def _estimator(self, interpolation: Interpolation, denominator: int, grid: RecallGrid) -> Estimator:
        points = self.length if self.undecided else len(self.blocks)
        return ESTIMATORS[interpolation](denominator, points, self.k, grid)


def best_with_hits(points: Sequence[Point]) -> list[Any]:
    """Return hits -> the highest precision of the points with at least that many."""
    best, place, highest = [], len(points) - 1, Point(1, 0)
    for count in range(points[-1].hits if points else 0, -1, -1):
        while place >= 0 and points[place].hits >= count:
            point = points[place]
            if point.hits * highest.retrieved > highest.hits * point.retrieved:
                highest = point
            place -= 1
        best.append(highest.precision)
    return best[::-1]
