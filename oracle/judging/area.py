"""Values of areas under the curve for many ways to judge, in whole numbers: exact, and soon compared."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from math import lcm, prod

from rankspec.oracle.conventions.axes import Interpolation
from rankspec.oracle.conventions.interpolations import INTERPOLATIONS
from rankspec.oracle.judging.given import Given, Place
from rankspec.oracle.measures.areas.denominators import Counts, denominator
from rankspec.oracle.measures.areas.recall_grid import hits_for_level, hits_needed

Ratio = tuple[int, int]
"""A value as two whole numbers."""


class Area:
    """The sums that an area is made of, in whole numbers: multiples of 1/lcm(1..n)."""

    def __init__(self, given: Given) -> None:
        """Keep what stands in the list that is evaluated."""
        self.given = given
        self.ends = given.ends[: given.seen]
        self.hits = given.hits[: given.seen]
        self.hits_inside = sum(self.hits)
        self.in_list = sum(given.hits[: given.depth])
        self.outside_in_list = sum(at < given.depth for at, _ in given.outside)
        self.length = self.ends[-1] if self.ends else 0
        scale = lcm(*self.ends) if self.ends else 1
        self.shares = [scale // end for end in self.ends]
        self.scale = scale

    def first(self) -> Callable[[int, int], Ratio]:
        """Return the function that gives the value of the first `high` inside, over the D of `low` and none outside."""
        inside = self.given.inside
        sums = list(self._sums_of_first()) if self.is_plain else None

        def value(low: int, high: int) -> Ratio:
            whole = self._denominator(low, 0, 0)
            return (sums[high], whole) if sums is not None else self._value(inside[:high], whole)

        return value

    def last(self) -> Callable[[int, int], Ratio]:
        """Return the function that gives the value of the last `low` inside, over the D of `high` and all outside."""
        inside, outside = self.given.inside, len(self.given.outside)
        sums = list(self._sums_of_last()) if self.is_plain else None

        def value(low: int, high: int) -> Ratio:
            whole = self._denominator(high, outside, self.outside_in_list)
            return (sums[low], whole) if sums is not None else self._value(inside[len(inside) - low :], whole)

        return value

    @property
    def is_plain(self) -> bool:
        """Whether each hit counts the precision at it."""
        given = self.given
        return given.measure.family.is_area and given.convention.interpolation is Interpolation.STEP

    def _sums_of_first(self) -> Iterator[int]:
        """Yield the sums of precisions at the hits with the first 0, 1, 2, ... inside.

        One more hit in a block of x hits, H down to its end, adds the precision there, 1/end for each of the x, and
        1/end for each hit behind, none of which was unjudged.
        """
        hits, found = list(self.hits), list(accumulate(self.hits))
        behind = [
            *accumulate((hit * share for hit, share in zip(hits[::-1], self.shares[::-1], strict=True)), initial=0)
        ]
        total = sum(map(prod, zip(hits, found, self.shares, strict=True)))
        yield total
        for number, (at, _) in enumerate(self.given.inside):
            total += (found[at] + number + hits[at] + 1) * self.shares[at] + behind[len(hits) - 1 - at]
            hits[at] += 1
            yield total

    def _sums_of_last(self) -> Iterator[int]:
        """Yield the same with the last 0, 1, 2, ... inside: those behind are hits, those before are not."""
        hits, found = list(self.hits), list(accumulate(self.hits))
        total = sum(map(prod, zip(hits, found, self.shares, strict=True)))
        yield total
        behind, block, of_block = 0, len(hits), 0
        for at, _ in reversed(self.given.inside):
            while block > at:
                if block < len(hits):
                    behind += hits[block] * self.shares[block]
                block, of_block = block - 1, 0
            total += (found[at] + of_block + hits[at] + 1) * self.shares[at] + behind
            hits[at] += 1
            of_block += 1
            yield total

    def _denominator(self, inside: int, outside: int, in_list: int) -> int:
        given = self.given
        relevant = given.relevant + inside + outside
        if given.is_level:
            return relevant
        cutoff = given.measure.k or self.length
        hits_inside = self.hits_inside + inside
        counts = Counts(relevant, cutoff, self.length, hits_inside, self.in_list + inside + in_list)
        return denominator(given.convention.denominator, counts)

    def _value(self, chosen: Iterable[Place], whole: int) -> Ratio:
        """Return an interpolated value as a ratio, but for the scale that all of them have."""
        hits = list(self.hits)
        for at, _ in chosen:
            hits[at] += 1
        found = list(accumulate(hits))
        precisions = [count * share for count, share in zip(found, self.shares, strict=True)]
        given = self.given
        traits = INTERPOLATIONS[given.convention.interpolation]
        precisions = list(accumulate(reversed(precisions), max))[::-1]
        if given.is_level:
            needed = hits_for_level(given.measure.recall or 0, whole, given.convention.recall_grid)  # type: ignore[arg-type]
            return _reached([needed], found, precisions), 1
        if traits.levels:
            grid = hits_needed(given.convention.recall_grid, traits.levels, whole)
            return _reached(grid, found, precisions), traits.levels + 1
        return sum(count * precision for count, precision in zip(hits, precisions, strict=True)), whole


def _reached(needed: Iterable[int], found: Sequence[int], highest: Sequence[int]) -> int:
    """Add the highest precisions from the first points on that have the hits that levels need."""
    places = (bisect_left(found, hits) for hits in needed)
    return sum(highest[place] for place in places if place < len(highest))
