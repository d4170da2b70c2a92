"""Estimators of the area under the precision-recall curve, one class an interpolation.

Every estimator walks the curve from its end to its start, because what interpolation looks at is always the rest of the
list. `back` is given what the later points left behind, and returns what this point leaves and what it adds.
The sum, over the divisor, is the area; `expectation.py` takes the same steps over all orders of a tie.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Interpolation, RecallGrid
from rankspec.oracle.conventions.interpolations import INTERPOLATIONS
from rankspec.oracle.measures.curve import ORIGIN, Point
from rankspec.oracle.measures.recall_grid import hits_needed
from rankspec.oracle.sums import sum_of_fractions

Rest = Hashable
"""What the later points leave behind; None at the end of the list."""


class Estimator(ABC):
    """An estimator for lists of one length and one denominator.

    Args:
        denominator: D, what recall is measured against.
        points: how many operating points there are: n, the length of the list, where every rank is one.
        k: the cutoff, if there is one.
        grid: how fixed recall levels are reached.
    """

    def __init__(self, denominator: int, points: int, k: int | None, grid: RecallGrid) -> None:
        """Keep what recalls are measured against."""
        self.denominator = denominator
        self.points = points
        self.k = k
        self.grid = grid

    @property
    def divisor(self) -> int:
        """Return what the sum is divided by."""
        return self.denominator

    @property
    def divisor_text(self) -> str:
        """Return what the divisor is."""
        return "D"

    @abstractmethod
    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Fraction]:
        """Return what this point leaves for earlier ones, and what it adds to the sum."""


@clause("ap.interpolation.step")
class Step(Estimator):
    """Each increment of recall times the precision there."""

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Fraction]:
        """Add the new hits, each at this precision."""
        return rest, (point.hits - previous.hits) * point.precision


@clause("ap.interpolation.envelope")
class Envelope(Estimator):
    """The same, at the highest precision from here on."""

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Fraction]:
        """Leave the highest precision so far."""
        highest = _higher(rest, point.precision)
        return highest, (point.hits - previous.hits) * highest


class FixedLevels(Estimator):
    """The mean interpolated precision at recall 0, 1/levels, ..., 1."""

    levels: int

    @property
    def divisor(self) -> int:
        """Return the number of recall levels."""
        return self.levels + 1

    @property
    def divisor_text(self) -> str:
        """Return what the divisor is."""
        return "recall levels"

    @property
    def needed(self) -> tuple[int, ...]:
        """The hits that each level needs."""
        return hits_needed(self.grid, self.levels, self.denominator)

    @cached_property
    def reached(self) -> Counter[int]:
        """How many levels need how many hits."""
        return Counter(self.needed)

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Fraction]:
        """Add the highest precision so far for each level that the new hits reach."""
        highest = _higher(rest, point.precision)
        levels = sum(self.reached[hits] for hits in range(previous.hits + 1, point.hits + 1))
        if previous == ORIGIN:
            levels += self.reached[0]
        return highest, levels * highest


@clause("ap.interpolation.11-point", "ap.eleven-point")
class ElevenPoint(FixedLevels):
    """Levels 0, 0.1, ..., 1."""

    levels = INTERPOLATIONS[Interpolation.ELEVEN_POINT].levels


@clause("ap.interpolation.101-point")
class HundredOnePoint(FixedLevels):
    """Levels 0, 0.01, ..., 1."""

    levels = INTERPOLATIONS[Interpolation.HUNDRED_ONE_POINT].levels


@clause("ap.interpolation.trapezoid")
class Trapezoid(Estimator):
    """Trapezoids between operating points, from (0, 1)."""

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Fraction]:
        """Add the new hits, each at the mean of the precisions before and after."""
        before = Fraction(1) if previous == ORIGIN else previous.precision
        return rest, (point.hits - previous.hits) * (before + point.precision) / 2


@clause("ap.interpolation.trapezoid-unanchored")
class TrapezoidUnanchored(Trapezoid):
    """The same from the first operating point."""

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Fraction]:
        """Add nothing before the first point."""
        return (rest, Fraction(0)) if previous == ORIGIN else super().back(rest, previous, point)


@clause("ap.interpolation.all-ranks")
class AllRanks(Estimator):
    """The mean precision over every operating point."""

    @property
    def divisor(self) -> int:
        """Return the number of operating points."""
        return self.points

    @property
    def divisor_text(self) -> str:
        """Return what the divisor is."""
        return "ranks"

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Fraction]:  # noqa: ARG002
        """Add the precision here."""
        return rest, point.precision


@clause("ap.interpolation.all-ranks-padded")
class AllRanksPadded(Estimator):
    """The mean of P@1 to P@k; ranks past the end are misses."""

    @property
    def divisor(self) -> int:
        """Return k."""
        return self.k or self.points

    @property
    def divisor_text(self) -> str:
        """Return what the divisor is."""
        return "k"

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Fraction]:  # noqa: ARG002
        """Add the precision here, and at the end that of the missing ranks."""
        padding = range(self.points + 1, self.divisor + 1) if rest is None else ()
        return "padded", point.precision + sum((Fraction(point.hits, rank) for rank in padding), Fraction(0))


@clause("ap.interpolation.linear-101")
class Linear101(Estimator):
    """The envelope from (0, 1) to (1, 0), joined linearly, by trapezoids over 0, 0.01, ..., 1.

    Where points share a recall, the last of them counts, as numpy.interp has it.
    """

    @property
    def divisor(self) -> int:
        """Return the number of trapezoids."""
        return 100

    @property
    def divisor_text(self) -> str:
        """Return what the divisor is."""
        return "trapezoids"

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Fraction]:
        """Add the levels from this point's recall up to the next one's."""
        recall = Fraction(point.hits, self.denominator)
        after = rest if isinstance(rest, tuple) else (max(Fraction(1), recall), Fraction(0))
        here = (recall, max(point.precision, after[1]))
        added = self._between(here, after)
        if previous == ORIGIN:
            added += self._between((Fraction(0), Fraction(1)), here)
        return here, added

    def _between(self, start: tuple[Fraction, Fraction], end: tuple[Fraction, Fraction]) -> Fraction:
        (left, high), (right, low) = start, end
        levels = range(math.ceil(left * 100), min(math.ceil(right * 100), 101))
        slope = (low - high) / (right - left) if levels else Fraction(0)
        return sum(
            ((high + slope * (Fraction(level, 100) - left)) / (2 if level in {0, 100} else 1) for level in levels),
            Fraction(0),
        )


@clause("ap.interpolation.sloped-line")
class SlopedLine(Estimator):
    """Document 000's: recalls of hits and the midpoints between them, each at the top of its rising segment.

    A rising segment is a run of consecutive hits.
    """

    @property
    def divisor(self) -> int:
        """Return the number of recall points: D of them and D - 1 midpoints."""
        return 2 * self.denominator - 1

    @property
    def divisor_text(self) -> str:
        """Return what the divisor is."""
        return f"recall points, 2 * {self.denominator} - 1"

    def back(self, rest: Rest, previous: Point, point: Point) -> tuple[Rest, Fraction]:
        """Add a hit and the midpoint before it, at the precision of the segment's last hit."""
        if point.hits == previous.hits:
            return None, Fraction(0)
        top = rest if isinstance(rest, Fraction) else point.precision
        return top, top if point.hits == 1 else 2 * top


def _higher(rest: Rest, precision: Fraction) -> Fraction:
    return max(rest, precision) if isinstance(rest, Fraction) else precision


ESTIMATORS: Mapping[Interpolation, Callable[[int, int, int | None, RecallGrid], Estimator]] = {
    Interpolation.STEP: Step,
    Interpolation.ENVELOPE: Envelope,
    Interpolation.ELEVEN_POINT: ElevenPoint,
    Interpolation.HUNDRED_ONE_POINT: HundredOnePoint,
    Interpolation.LINEAR_101: Linear101,
    Interpolation.TRAPEZOID: Trapezoid,
    Interpolation.TRAPEZOID_UNANCHORED: TrapezoidUnanchored,
    Interpolation.ALL_RANKS: AllRanks,
    Interpolation.ALL_RANKS_PADDED: AllRanksPadded,
    Interpolation.SLOPED_LINE: SlopedLine,
}
"""Interpolation -> estimator."""


def additions(estimator: Estimator, points: Sequence[Point]) -> list[Fraction]:
    """Return what each operating point adds to the sum, first to last."""
    added: list[Fraction] = []
    rest: Rest = None
    for place in range(len(points) - 1, -1, -1):
        rest, addition = estimator.back(rest, points[place - 1] if place else ORIGIN, points[place])
        added.append(addition)
    return added[::-1]


def area(estimator: Estimator, points: Sequence[Point]) -> Fraction:
    """Return the area under the curve, as the estimator has it."""
    return sum_of_fractions(additions(estimator, points)) / estimator.divisor
