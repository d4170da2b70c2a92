"""The areas under one decided list's curve as doubles: what can't be a printed number needs no exact value.

Every area here is a sum of at most a few terms a relevant document, none of them negative, each off by a few units of
2^-53 of itself; `fsum` adds nothing to that. So an area is off by less than 2^-49 of itself, which is far less than
what `resolve` allows for. They decide what is looked at exactly, never an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import fsum
from typing import NamedTuple

from rankspec.oracle.conventions.axes import Interpolation
from rankspec.oracle.rankings.cutting import Blocks

_LEVELS = 100


class Rise(NamedTuple):
    """An operating point with new hits, and the point before it (0, 0 at the start)."""

    retrieved_before: int
    hits_before: int
    retrieved: int
    hits: int

    @property
    def precision(self) -> float:
        """Return hits / retrieved."""
        return self.hits / self.retrieved

    @property
    def precision_before(self) -> float:
        """Return that of the point before; 0 before the first document."""
        return self.hits_before / self.retrieved_before if self.retrieved_before else 0.0


@dataclass
class NearAreas:
    """The areas under the curve of a list with a hit, nearly.

    Attributes:
        blocks: the list; each block is one operating point.
        k: the cutoff, if there is one.
    """

    blocks: Blocks
    k: int | None
    rises: list[Rise] = field(init=False)
    retrieved: int = field(init=False, default=0)
    hits: int = field(init=False, default=0)
    _sums: dict[Interpolation, float] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Find the points with new hits; most documents are none, and the other points follow from these."""
        self.rises = []
        retrieved = hits = 0
        for block in self.blocks:
            size = len(block)
            new = block.count(1)
            if new:
                self.rises.append(Rise(retrieved, hits, retrieved + size, hits + new))
                hits += new
            retrieved += size
        self.retrieved, self.hits = retrieved, hits

    @cached_property
    def highest(self) -> list[float]:
        """The highest precision from each rise on: no point between two rises has a higher one than the first."""
        found: list[float] = []
        best = 0.0
        for rise in reversed(self.rises):
            best = max(best, rise.precision)
            found.append(best)
        return found[::-1]

    @cached_property
    def _best_with_hits(self) -> list[float]:
        """Hits -> the highest precision of the points with at least that many."""
        best = [self.highest[0]]
        for rise, highest in zip(self.rises, self.highest, strict=True):
            best += [highest] * (rise.hits - rise.hits_before)
        return best

    def sum(self, interpolation: Interpolation) -> float:
        """Return the sum whose quotient by the denominator, or by what does not depend on it, is the area."""
        if interpolation not in self._sums:
            self._sums[interpolation] = fsum(TERMS[interpolation](self))
        return self._sums[interpolation]

    def at_levels(self, needed: tuple[int, ...]) -> float:
        """Return the mean of the highest precisions with at least so many hits, 0 where there are none."""
        best, hits = self._best_with_hits, self.hits
        return fsum(best[count] for count in needed if count <= hits) / len(needed)

    def linear(self, denominator: int) -> float:
        """Return the area under the envelope joined linearly. Clause ap.interpolation.linear-101."""
        parts = [
            _between(
                (rise.hits_before, max(rise.precision_before, highest) if rise.retrieved_before else 1.0),
                (rise.hits, highest),
                denominator,
            )
            for rise, highest in zip(self.rises, self.highest, strict=True)
        ]
        parts.append(_between((self.hits, self.hits / self.retrieved), (denominator, 0.0), denominator))
        return fsum(parts) / _LEVELS


def _step(areas: NearAreas) -> Iterator[float]:
    """Each new hit at the precision there."""
    return ((rise.hits - rise.hits_before) * rise.precision for rise in areas.rises)


def _envelope(areas: NearAreas) -> Iterator[float]:
    """Each at the highest precision from there on."""
    pairs = zip(areas.rises, areas.highest, strict=True)
    return ((rise.hits - rise.hits_before) * highest for rise, highest in pairs)


def _trapezoid(areas: NearAreas) -> Iterator[float]:
    """Each at the mean of the precisions before and after, from (0, 1)."""
    for rise in areas.rises:
        before = rise.precision_before if rise.retrieved_before else 1.0
        yield (rise.hits - rise.hits_before) * (before + rise.precision) / 2


def _trapezoid_unanchored(areas: NearAreas) -> Iterator[float]:
    """The same from the first point on."""
    for rise in areas.rises:
        if rise.retrieved_before:
            yield (rise.hits - rise.hits_before) * (rise.precision_before + rise.precision) / 2


def _all_ranks(areas: NearAreas) -> Iterator[float]:
    """The precision at every point."""
    retrieved = hits = 0
    for block in areas.blocks:
        retrieved += len(block)
        hits += block.count(1)
        yield hits / retrieved


def _all_ranks_padded(areas: NearAreas) -> Iterator[float]:
    """The same, and those of the ranks that are missing."""
    yield from _all_ranks(areas)
    points = len(areas.blocks)
    yield from (areas.hits / rank for rank in range(points + 1, (areas.k or points) + 1))


def _sloped_line(areas: NearAreas) -> Iterator[float]:
    """Hits and the midpoints before them, at the top of their run of hits."""
    top, following = 0.0, None
    for rise in reversed(areas.rises):
        if following is None or following.retrieved_before != rise.retrieved:
            top = rise.precision
        yield top if rise.hits == 1 else 2 * top
        following = rise


TERMS: Mapping[Interpolation, Callable[[NearAreas], Iterator[float]]] = {
    Interpolation.STEP: _step,
    Interpolation.ENVELOPE: _envelope,
    Interpolation.TRAPEZOID: _trapezoid,
    Interpolation.TRAPEZOID_UNANCHORED: _trapezoid_unanchored,
    Interpolation.ALL_RANKS: _all_ranks,
    Interpolation.ALL_RANKS_PADDED: _all_ranks_padded,
    Interpolation.SLOPED_LINE: _sloped_line,
}
"""Interpolation -> the terms of a sum that does not depend on the denominator."""


def _between(start: tuple[int, float], end: tuple[int, float], denominator: int) -> float:
    """Return what the levels from one recall up to the next add; whole numbers place the levels."""
    (left, high), (right, low) = start, end
    first, last = -(-_LEVELS * left // denominator), min(-(-_LEVELS * right // denominator), _LEVELS + 1)
    if last <= first:
        return 0.0
    width = _LEVELS * (right - left)
    return fsum(
        (high + (low - high) * ((level * denominator - _LEVELS * left) / width)) / (2 if level in {0, _LEVELS} else 1)
        for level in range(first, last)
    )
