"""Estimators of the area under the precision-recall curve, one class a form.

Every estimator walks the curve from its end to its start, because what interpolation looks at is always the rest of the
list. `back` is given what the later points left behind, and returns what this point leaves and what it adds.
The sum, over the divisor, is the area; `expectation.py` takes the same steps over all orders of a tie.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate
from operator import truediv
from typing import Any, NamedTuple, assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import INTERPOLATIONS, At, Interpolation, RecallGrid, Traits
from rankspec.oracle.measures.areas.denominators import hits_needed
from rankspec.oracle.rankings.ranking import Block
from rankspec.oracle.reals.real import sum_of_fractions


class Point(NamedTuple):
    """An operating point: so many documents retrieved, so many of them relevant."""

    retrieved: int
    hits: int
    # returns the quotient of two counts: exactly, or as the nearest double where a search only needs that
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
    """Return the curve with doubles for quotients: every point, or those with new hits and the ones before them."""
    # Between two points with new hits precision falls, so that no estimator but the mean over all ranks sees the
    # others.
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


Rest = Any  # hashable
"""What the later points leave behind; None at the end of the list."""
_NOTHING = Fraction(0)
_NO_TRAITS = Traits()


@dataclass(frozen=True)
class Estimator(ABC):
    """An estimator for lists of one length and one denominator."""

    denominator: int  # D, what recall is measured against
    points: int  # how many operating points there are: n, the length of the list, where every rank is one
    k: int | None  # the cutoff, if there is one
    grid: RecallGrid  # how fixed recall levels are reached
    traits: Traits = _NO_TRAITS  # those of the interpolation

    @cached_property
    def is_linear(self) -> bool:
        """Whether its mean over the orders of a tie has a closed form; see `Traits`."""
        return self.traits.is_linear

    @property
    def divisor(self) -> int:
        """Return what the sum is divided by."""
        return self.divided_by()[0]

    def divided_by(self) -> tuple[int, str]:
        """Return what the sum is divided by, and what that is."""
        return self.denominator, "D"

    @abstractmethod
    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Any]:
        """Return what this point leaves for earlier ones, and what it adds to the sum."""

    def leave(self, rest: Rest, previous: Point, point: Point) -> Rest:
        """Return what this point leaves for earlier ones."""
        return self.back(rest, previous, point)[0]


@clause("ap.interpolation.envelope", "ap.interpolation.step-unanchored")
@clause("ap.interpolation.step", "ap.form.*", "ap.missed-relevant")
@clause("ap.interpolation.trapezoid", "ap.interpolation.trapezoid-unanchored")
class SumOverHits(Estimator):
    """Each increment of recall times the mean of some precisions: there, before, or the highest from there on."""

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Any]:
        """Add the new hits, each at its precisions, which need not be known where there are none."""
        highest = rest if self.is_linear else _higher(rest, point.precision)
        new = point.hits - previous.hits
        if not new or (self.traits.is_unanchored and not previous.retrieved):
            return highest, _NOTHING
        added = [_precision(at, highest, previous, point) for at in self.traits.precisions]
        return highest, new * added[0] if len(added) == 1 else new * sum(added) / len(added)


def _precision(at: At, highest: Rest, previous: Point, point: Point) -> Any:
    match at:
        case At.HIT:
            return point.precision
        case At.BEFORE:
            return previous.precision if previous.retrieved else 1
        case At.HIGHEST:
            return highest
        case _:
            assert_never(at)


@clause("ap.interpolation.11-point", "ap.eleven-point", "ap.interpolation.101-point")
class FixedLevels(Estimator):
    """The mean interpolated precision at recall 0, 1/levels, ..., 1."""

    def divided_by(self) -> tuple[int, str]:
        """Return the number of recall levels."""
        return self.traits.levels + 1, "recall levels"

    @property
    def needed(self) -> tuple[int, ...]:
        """The hits that each level needs."""
        return hits_needed(self.grid, self.traits.levels, self.denominator)

    @cached_property
    def reached(self) -> Counter[int]:
        """How many levels need how many hits."""
        return Counter(self.needed)

    def leave(self, rest: Rest, previous: Point, point: Point) -> Rest:  # noqa: ARG002
        """Leave the highest precision so far."""
        return _higher(rest, point.precision)

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Any]:
        """Add the highest precision so far for each level that the new hits reach."""
        highest = self.leave(rest, previous, point)
        levels = sum(self.reached[hits] for hits in range(previous.hits + 1, point.hits + 1))
        if not previous.retrieved:
            levels += self.reached[0]
        return highest, levels * highest


@clause("ap.interpolation.all-ranks")
class AllRanks(Estimator):
    """The mean precision over every operating point."""

    def divided_by(self) -> tuple[int, str]:
        """Return the number of operating points."""
        return self.points, "ranks"

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Any]:  # noqa: ARG002
        """Add the precision here."""
        return rest, point.precision


@clause("ap.interpolation.all-ranks-padded")
class AllRanksPadded(Estimator):
    """The mean of P@1 to P@k; ranks past the end are misses."""

    def divided_by(self) -> tuple[int, str]:
        """Return k."""
        return self.k or self.points, "k"

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Any]:  # noqa: ARG002
        """Add the precision here, and at the end that of the missing ranks."""
        padding = range(self.points + 1, self.divisor + 1) if rest is None else ()
        return "padded", point.precision + sum(point.share(point.hits, rank) for rank in padding)


@clause("ap.interpolation.linear-101")
class Linear101(Estimator):
    """The envelope from (0, 1) to (1, 0), joined linearly, by trapezoids over 0, 0.01, ..., 1.

    Where points share a recall, the last of them counts, as numpy.interp has it.
    """

    def divided_by(self) -> tuple[int, str]:
        """Return the number of trapezoids."""
        return 100, "trapezoids"

    def leave(self, rest: Rest, previous: Point, point: Point) -> Rest:  # noqa: ARG002
        """Leave the hits here, and the highest precision so far."""
        return point.hits, point.precision if rest is None else max(point.precision, rest[1])

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Any]:
        """Add the levels from this point's recall up to the next one's."""
        after = rest or (max(point.hits, self.denominator), 0)
        here = self.leave(rest, previous, point)
        added = between(here, after, self.denominator)
        if not previous.retrieved:
            added += between((0, 1), here, self.denominator)
        return here, added


@clause("ap.interpolation.linear-101")
def between(start: tuple[int, Any], end: tuple[int, Any], denominator: int) -> Any:
    """Return what the levels from one recall (hits) up to the next add; it is linear in the heights at both."""
    (left, high), (right, low) = start, end
    levels = range(-(-100 * left // denominator), min(-(-100 * right // denominator), 101))
    width = 100 * (right - left)
    return sum(
        (high + (low - high) * (level * denominator - 100 * left) / width) / (2 if level in {0, 100} else 1)
        for level in levels
    )


@clause("ap.interpolation.sloped-line")
class SlopedLine(Estimator):
    """Document 000's: recalls of hits and the midpoints between them, each at the top of its rising segment.

    A rising segment is a run of consecutive hits.
    """

    def divided_by(self) -> tuple[int, str]:
        """Return the number of recall points: D of them and D - 1 midpoints."""
        return 2 * self.denominator - 1, f"recall points, 2 * {self.denominator} - 1"

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Any]:
        """Add a hit and the midpoint before it, at the precision of the segment's last hit."""
        if point.hits == previous.hits:
            return None, 0
        top = point.precision if rest is None else rest
        return top, top if point.hits == 1 else 2 * top


@clause("iprec.at")
@dataclass(frozen=True)
class OneLevel(Estimator):
    """The highest precision of a point with enough hits; nothing is divided."""

    needed: int = 0  # the hits that the level needs

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Fraction]:
        """Leave the highest precision so far; add it at the first point that has enough."""
        highest = _higher(rest, point.precision)
        is_first = not previous.retrieved or previous.hits < self.needed
        return highest, highest if is_first and point.hits >= self.needed else Fraction(0)


def _higher(rest: Rest, precision: Any) -> Any:
    return precision if rest is None else max(rest, precision)


_OTHERS: Mapping[Interpolation, type[Estimator]] = {
    Interpolation.LINEAR_101: Linear101,
    Interpolation.ALL_RANKS: AllRanks,
    Interpolation.ALL_RANKS_PADDED: AllRanksPadded,
    Interpolation.SLOPED_LINE: SlopedLine,
}


ESTIMATORS: Mapping[Interpolation, Callable[[int, int, int | None, RecallGrid], Estimator]] = {
    each: partial(SumOverHits if traits.precisions else FixedLevels if traits.levels else _OTHERS[each], traits=traits)
    for each, traits in INTERPOLATIONS.items()
}
"""Interpolation -> what makes its estimator."""


def additions(estimator: Estimator, points: Sequence[Point]) -> list[Any]:
    """Return what each operating point adds to the sum, first to last."""
    added: list[Any] = []
    rest: Rest = None
    for place in range(len(points) - 1, -1, -1):
        rest, addition = estimator.back(rest, points[place - 1] if place else ORIGIN, points[place])
        added.append(addition)
    return added[::-1]


def area(estimator: Estimator, points: Sequence[Point]) -> Fraction:
    """Return the area under the curve, as the estimator has it."""
    return sum_of_fractions(additions(estimator, points)) / estimator.divisor
