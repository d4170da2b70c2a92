"""The areas under one list's curve, for many conventions at once: what they share is computed once.

Most estimators divide a sum that does not depend on the denominator, and the levels of a grid need a few precisions of
the list alone. This is about speed: every area equals the oracle's, and the tests prove it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
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
from rankspec.oracle.sweeps.orders import (
    Orders,
    expected_at_levels,
    expected_envelope,
    expected_linear,
    expected_sloped_line,
)

_MOST_ORDERS = 64  # So many orders of a list are cheaper one by one than in closed form, where doubles are enough


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
    def orders(self) -> Orders:
        """Return the orders of the blocks, counted."""
        return Orders(self.blocks)

    @property
    def is_feasible(self) -> bool:
        """Whether all areas can be had in reasonable time."""
        return not self.undecided or self.orders.is_feasible

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
            if key not in self._known:
                self._known[key] = (
                    expected_at_levels(self.orders, needed)
                    if self.undecided
                    else sum_of_fractions(at_levels(self._best, needed)) / len(needed)
                )
            return self._known[key]
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
            elif number_of_orders(self.blocks) > _MOST_ORDERS:
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

    def _of(self, interpolation: Interpolation, denominator: int, grid: RecallGrid) -> Fraction:
        key = (interpolation, denominator, grid)
        if key not in self._known:
            if self.undecided and interpolation in _EXPECTED:
                self._known[key] = _EXPECTED[interpolation](self, denominator)
            else:
                self._known[key] = self._estimated(interpolation, denominator, grid)
        return self._known[key]

    def _estimated(self, interpolation: Interpolation, denominator: int, grid: RecallGrid) -> Fraction:
        estimator = self._estimator(interpolation, denominator, grid)
        return expected_area(estimator, self.blocks) if self.undecided else area(estimator, self._points)

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


_EXPECTED: Mapping[Interpolation, Callable[[Areas, int], Fraction]] = {
    Interpolation.ENVELOPE: lambda areas, denominator: expected_envelope(areas.orders) / denominator,
    Interpolation.LINEAR_101: lambda areas, denominator: expected_linear(areas.orders, denominator),
    Interpolation.SLOPED_LINE: lambda areas, denominator: expected_sloped_line(areas.orders) / (2 * denominator - 1),
}
"""Interpolation -> the expected area, where a table is faster than following every state."""
