"""The areas under one list's curve, for many conventions at once: what they share is computed once.

Most estimators divide a sum that does not depend on the denominator, and the levels of a grid need a few precisions of
the list alone. This is about speed: every area equals the oracle's, and the tests prove it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
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
from rankspec.oracle.reals.real import sum_of_fractions

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
    _near_curves: dict[bool, list[list[Point]] | None] = field(default_factory=dict)
    _near_best: list[list[float]] | None = None

    def __post_init__(self) -> None:
        """Count once what every area needs."""
        self.length = length(self.blocks)
        self.hits = hits(self.blocks)

    @cached_property
    def _points(self) -> list[Point]:
        return operating_points(self.blocks)

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
        traits = INTERPOLATIONS[interpolation]
        if traits.precisions:
            return self._of(interpolation, 1, grid) / denominator
        if not traits.is_divided:
            return self._of(interpolation, 1, grid)
        if interpolation is Interpolation.SLOPED_LINE:
            return self._of(interpolation, 1, grid) / self._estimator(interpolation, denominator, grid).divisor
        if traits.levels:
            needed = hits_needed(grid, traits.levels, denominator)
            key = (interpolation, needed)
            if key not in self._known and not self.undecided:
                self._known[key] = sum_of_fractions(at_levels(self._best, needed)) / len(needed)
            return self._of(interpolation, denominator, grid, key)
        return self._of(interpolation, denominator, grid)

    def near(self, interpolation: Interpolation, denominator: int, grid: RecallGrid) -> float:
        """Return `area` as a double that is off by less than 2^-49 of itself."""
        traits = INTERPOLATIONS[interpolation]
        below = hits_needed(grid, traits.levels, denominator) if traits.levels else denominator
        key = (interpolation, below)
        if key not in self._near:
            self._near[key] = self._nearly(interpolation, denominator, grid)
        return self._near[key]

    def _nearly(self, interpolation: Interpolation, denominator: int, grid: RecallGrid) -> float:
        estimator = self._estimator(interpolation, denominator, grid)
        traits = INTERPOLATIONS[interpolation]
        every = not traits.is_divided
        if every not in self._near_curves:
            if not self.undecided:
                orders: list[Blocks] | None = [self.blocks]
            elif not self.is_feasible:
                orders = None
            else:
                orders = [tuple((label,) for label in order) for order in all_orders(self.blocks)]
            curves = None if orders is None else [near_points(each, every=every) for each in orders]
            self._near_curves[every] = curves
        lists = self._near_curves[every]
        if lists is None:
            return float(self.area(interpolation, denominator, grid))
        if traits.levels:
            if self._near_best is None:
                self._near_best = [best_with_hits(points) for points in lists]
            needed = hits_needed(grid, traits.levels, denominator)
            return fsum(fsum(at_levels(best, needed)) for best in self._near_best) / len(lists) / len(needed)
        # All but linear-101 are sums that do not depend on D: they are kept for every denominator.
        key = (interpolation, denominator if interpolation is Interpolation.LINEAR_101 else None)
        if key not in self._sums:
            self._sums[key] = fsum(fsum(additions(estimator, points)) for points in lists) / len(lists)
        return self._sums[key] / estimator.divisor

    def _of(self, interpolation: Interpolation, denominator: int, grid: RecallGrid, name: Hashable = None) -> Fraction:
        """Return the area under an estimator, kept by what it depends on."""
        key = name or (interpolation, denominator, grid)
        if key not in self._known:
            estimator = self._estimator(interpolation, denominator, grid)
            undecided, points = self.undecided, self._points
            self._known[key] = expected_area(estimator, self.blocks) if undecided else area(estimator, points)
        return self._known[key]

    def _estimator(self, interpolation: Interpolation, denominator: int, grid: RecallGrid) -> Estimator:
        points = self.length if self.undecided else len(self._points)
        return ESTIMATORS[interpolation](denominator, points, self.k, grid)

    @cached_property
    def _best(self) -> list[Any]:
        return best_with_hits(self._points)


def at_levels(best: Sequence[Any], needed: Sequence[int]) -> list[Any]:
    """Return the highest precisions with at least so many hits, those alone that are reached."""
    return [best[count] for count in needed if count < len(best)]


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
