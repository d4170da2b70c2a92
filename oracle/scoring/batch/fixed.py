"""Fixed-point numbers with a proved error, and the doubles that they are known to round to.

A `Fixed` holds, for each query, integers with F = high * 2^44 + low and says: F <= x * 2^88 <= F + width.

1. T(r) = floor(2^88 / r), in two limbs of 44 bits, so 0 <= i * 2^88 / r - i * T(r) < i for i >= 0.
2. A sum of ratios i/r is the sum of i * T(r); by 1 it is too low by less than the sum of the i: that is its width.
   Other tables (logarithms, powers) say how much lower than the number an entry may be: `error` units instead of 1.
3. floor(F / D) loses less than 1, and the width becomes at most floor(width / D) + 1 more; so width' = width // D + 2.
4. Sums of `Fixed` add their widths; a product with a whole number multiplies it.
5. Nothing overflows 63 bits: i, r, D and the number of terms are below 2^19 (`LARGEST`), whatever is larger is refused
   by `fits` and goes to the exact path; limbs are carried before products of them are added.
6. high * 2^-44 is a double, since high < 2^53 where x < 2^9 (else `doubles` certifies nothing); so is low * 2^-88.
   Their sum in doubles is one rounding of an exact number (IEEE 754), to the nearest, ties to even.
7. Rounding is monotone. If F * 2^-88 and (F + width) * 2^-88 round to the same double, so does x: it is certified.
8. If not, nothing is said of x, and the exact path decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]
Doubles: TypeAlias = NDArray[np.float64]
Item = TypeVar("Item", bound=np.generic)
Mask: TypeAlias = NDArray[np.bool_]

# Two limbs of 44 bits leave 19 of an int64's 63 for factors, divisors and the number of terms: `LARGEST`.
LIMB = 44
BITS = 2 * LIMB
LARGEST = (1 << 19) - 1
"""The greatest rank, hits, divisor and number of terms that two limbs of 44 bits leave room for."""

_LOW = (1 << LIMB) - 1
# Up to here whole numbers are doubles, so that the upper limb is turned into one without rounding.
_EXACT_HIGH = 1 << 53
_CACHED = 1 << 15
"""Terms that are worked on at once, where a sum has a piece-wise form: a few arrays of so many fit a core's cache."""
_MOST_WIDTH = 1 << 43
"""A width beyond it is useless, and low + width would be no exact double."""


@dataclass(frozen=True)
class Fixed:
    """One number a query, enclosed: F <= x * 2^88 <= F + width, F = high * 2^44 + low, 0 <= low < 2^44."""

    high: Integers
    low: Integers
    width: Integers

    @classmethod
    def carried(cls, high: Integers, low: Integers, width: Integers) -> Fixed:
        """Bring the lower limb into its range."""
        return cls(high + (low >> LIMB), low & _LOW, width)

    @classmethod
    def whole(cls, numbers: Integers) -> Fixed:
        """Return whole numbers below 2^19, exactly."""
        zeros = np.zeros_like(numbers)
        return cls(numbers << LIMB, zeros, zeros)

    @classmethod
    def ratios(cls, above: Integers, below: Integers) -> Fixed:
        """Return above / below, both at least 0 and at most `LARGEST`; where below is 0, 0."""
        return cls.whole(above).over(below)

    def over(self, divisors: Integers) -> Fixed:
        """Divide by whole numbers from 1 to `LARGEST`; 0 gives 0."""
        nothing = divisors == 0
        by = np.where(nothing, 1, divisors)
        high = self.high // by
        rest = ((self.high - high * by) << LIMB) | self.low
        low = rest // by
        is_exact = (self.width == 0) & (low * by == rest)
        width = np.where(is_exact, 0, self.width // by + 2)
        if nothing.any():
            high, low, width = (np.where(nothing, 0, part) for part in (high, low, width))
        return Fixed(high, low, width)

    @classmethod
    def shares(cls, above: Integers, below: Integers) -> Fixed:
        """Return above / below for 0 <= above <= below < 2^33, by 30, 30 and 28 bits."""
        first = (above << 30) // below
        rest = (above << 30) - first * below
        second = (rest << 30) // below
        rest = (rest << 30) - second * below
        third = (rest << 28) // below
        return cls.carried((first << 14) + (second >> 16), ((second & 0xFFFF) << 28) + third, np.ones_like(above))

    def summed(self, segments: Segments) -> Fixed:
        """Add each query's numbers, at most `LARGEST` of them."""
        return Fixed.carried(*(segments.sums(part) for part in (self.high, self.low, self.width)))

    def plus(self, other: Fixed) -> Fixed:
        """Add."""
        return Fixed.carried(self.high + other.high, self.low + other.low, self.width + other.width)

    def one_minus(self) -> Fixed:
        """Return 1 - x."""
        return Fixed.carried((1 << LIMB) - self.high, -self.low - self.width, self.width)

    def times(self, factors: Integers) -> Fixed:
        """Multiply by whole numbers from 0 to `LARGEST`."""
        return Fixed.carried(self.high * factors, self.low * factors, self.width * factors)

    def where(self, chosen: Mask, other: Fixed) -> Fixed:
        """Return these numbers where chosen, the others elsewhere."""
        pairs = ((self.high, other.high), (self.low, other.low), (self.width, other.width))
        return Fixed(*(np.where(chosen, mine, others) for mine, others in pairs))

    def doubles(self) -> tuple[Doubles, Mask]:
        """Return the nearest doubles, and which of them are certain."""
        upper = self.high * 2.0**-LIMB
        least = upper + self.low * 2.0**-BITS
        most = upper + (self.low + self.width) * 2.0**-BITS
        certain: Mask = (least == most) & (np.abs(self.high) < _EXACT_HIGH) & (self.width < _MOST_WIDTH)
        return least, certain

    def total(self) -> tuple[int, int]:
        """Return whole numbers between which the sum of all, times 2^88, lies."""
        least = (_sum(self.high) << LIMB) + _sum(self.low)
        return least, least + _sum(self.width)


def _sum(numbers: Integers) -> int:
    """Add without overflow: the two halves of 64 bits by themselves."""
    return (int((numbers >> 32).sum()) << 32) + int((numbers & 0xFFFFFFFF).sum())


@dataclass(frozen=True)
class Segments:
    """Where each query's terms stand in a flat array: from starts[q] up to starts[q + 1]."""

    starts: Integers

    @cached_property
    def sizes(self) -> Integers:
        """Return the number of terms of each query."""
        return np.diff(self.starts)

    def of(self, numbers: NDArray[Item]) -> NDArray[Item]:
        """Spread one number a query over its terms."""
        return np.repeat(numbers, self.sizes)

    def counting(self) -> Integers:
        """Return 1, 2, 3, ... within each query."""
        return np.arange(1, self.starts[-1] + 1) - self.of(self.starts[:-1])

    def sums(self, terms: Integers) -> Integers:
        """Add each query's terms. Overflow in the running sum does no harm, the difference is right modulo 2^64."""
        starts = self.starts[:-1]
        if starts.size and self.sizes.all():
            return np.add.reduceat(terms, starts)
        running = np.zeros(terms.size + 1, np.int64)
        np.cumsum(terms, out=running[1:])
        return running[self.starts[1:]] - running[starts]

    def pieces(self) -> Iterator[tuple[slice, slice, Segments]]:
        """Yield some queries at a time, few enough for a processor's cache: which, their terms, which are whose."""
        steps = np.arange(_CACHED, self.starts[-1], _CACHED)
        bounds = {0, *np.searchsorted(self.starts, steps).tolist(), self.starts.size - 1}
        for first, last in pairwise(sorted(bounds)):
            begin, end = self.starts[first], self.starts[last]
            yield slice(first, last), slice(begin, end), Segments(self.starts[first : last + 1] - begin)

    def kept(self, places: Integers) -> Segments:
        """Return the segments of the terms at these places, which ascend."""
        return Segments(np.searchsorted(places, self.starts))


def distinct(numbers: NDArray[Item]) -> tuple[NDArray[Item], Integers]:
    """Return the different numbers in ascending order, and for each number which of them it is."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    begins = np.ones(ordered.size, np.bool_)
    begins[1:] = ordered[1:] != ordered[:-1]
    index = np.empty(ordered.size, np.int64)
    index[order] = np.cumsum(begins) - 1
    return ordered[begins], index


def fits(*numbers: Integers) -> bool:
    """Tell whether all are small enough for two limbs."""
    return all(each.size == 0 or (int(each.max()) <= LARGEST and int(each.min()) >= 0) for each in numbers)


@dataclass(frozen=True)
class Table:
    """Some function of a rank in fixed point, in two limbs: each value is too low by at most `error` units."""

    high: Integers
    low: Integers
    error: int = 1

    @classmethod
    def of_integers(cls, scaled: Sequence[int], error: int) -> Table:
        """Make a table of numbers times 2^88, too low by at most so much."""
        high = np.array([each >> LIMB for each in scaled], np.int64)
        return cls(high, np.array([each & _LOW for each in scaled], np.int64), error)

    @classmethod
    def reciprocals(cls, last: int) -> Table:
        """Return floor(2^88 / r) for r = 1, ..., last; 0 for r = 0."""
        ranks = np.arange(last + 1)
        ranks[0] = 1
        high = (1 << LIMB) // ranks
        low = (((1 << LIMB) - high * ranks) << LIMB) // ranks
        high[0] = low[0] = 0
        return cls(high, low)

    def harmonic(self) -> Table:
        """Return the running sums; each is too low by less than the number of its terms."""
        low = np.cumsum(self.low)
        return Table(np.cumsum(self.high) + (low >> LIMB), low & _LOW)

    def sums(self, factors: Integers, places: Integers, segments: Segments) -> Fixed:
        """Return each query's sum of factor * value at place; factors, and the sum, lie from 0 to `LARGEST`."""
        width = segments.sums(factors)
        high, low = self._sums(factors, places, segments, carry=width.size > 0 and int(width.max()) > LARGEST)
        return Fixed.carried(high, low, width * self.error)

    def counted_sums(self, places: Integers, segments: Segments) -> Fixed:
        """Return each query's sum of 1 * value at its first place, 2 * value at its second, and so on."""
        width = segments.sizes * (segments.sizes + 1) >> 1
        carry = width.size > 0 and int(width.max()) > LARGEST
        high, low = np.empty_like(width), np.empty_like(width)
        for queries, terms, piece in segments.pieces():
            high[queries], low[queries] = self._sums(piece.counting(), places[terms], piece, carry=carry)
        return Fixed.carried(high, low, width * self.error)

    def _sums(
        self, factors: Integers, places: Integers, segments: Segments, *, carry: bool
    ) -> tuple[Integers, Integers]:
        high, low = self.high[places], self.low[places]
        high *= factors
        low *= factors
        if carry:
            high += low >> LIMB
            low &= _LOW
        return segments.sums(high), segments.sums(low)
