"""Fixed-point numbers with a proved error, and the doubles that they are known to round to.

A `Fixed` holds, for each query or document, an integer F in two limbs of 44 bits, the greater first. With b = 88 it
says: F <= x * 2^b <= F + width.

1. A division by D leaves a rest: F = QD + rest, so that x * 2^b / D lies from Q to Q + (rest + width) / D. The width is
   that, rounded up.
2. Sums of `Fixed` add their widths; a product with a whole number multiplies it.
3. Nothing overflows 63 bits: i, r, D and the number of terms are below 2^19 (`LARGEST`), whatever is larger is refused
   by `fits` and goes to the exact path, but for i <= r < 2^33, which `shares` divides half a limb at a time; limbs
   are carried before products of them are added.
4. The first limb times 2^-44 is a double, since it is at most 2^53 where x <= 2^9 (else `doubles` certifies nothing);
   so is the second times 2^-88. Their sum in doubles is one rounding of an exact number (IEEE 754), to the nearest,
   ties to even. The second limb plus a width of 2^53 or more may be no double, but then the ends are further apart
   than two doubles below 2^9 (2^44 units), and so are those that they round to.
5. Rounding is monotone. If F * 2^-b and (F + width) * 2^-b round to the same double, so does x: it is certified. So it
   is with decimals.
6. If not, nothing is said of x: the exact path decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]
Doubles: TypeAlias = NDArray[np.float64]
Item = TypeVar("Item", bound=np.generic)
Mask: TypeAlias = NDArray[np.bool_]

# Limbs of 44 bits leave 19 of an int64's 63 for factors, divisors and the number of terms: `LARGEST`.
LIMB = 44
BITS = 2 * LIMB
LARGEST = (1 << 19) - 1  # The greatest rank, hits, divisor and number of terms that limbs of 44 bits leave room for
Ends: TypeAlias = tuple[int, int]  # Whole numbers between which a scaled number lies
_LOW = (1 << LIMB) - 1
_HALF = LIMB // 2
# Up to here whole numbers are doubles, so that the upper limb is turned into one without rounding.
_EXACT_HIGH = 1 << 53


class Fixed(NamedTuple):
    """One number a query, enclosed."""

    limbs: tuple[Integers, Integers]  # 44 bits each, the greater first; the lower one is from 0 to 2^44 - 1
    width: Integers  # units of the lower limb that the number may be above them

    @classmethod
    def carried(cls, limbs: Sequence[Integers], width: Integers) -> Fixed:
        """Bring the lower limb into its range."""
        high, low = limbs
        return cls((high + (low >> LIMB), low & _LOW), width)

    @classmethod
    def whole(cls, numbers: Integers) -> Fixed:
        """Return whole numbers below 2^19, exactly."""
        zeros = np.zeros_like(numbers)
        return cls((numbers << LIMB, zeros), zeros)

    @classmethod
    def ratios(cls, above: Integers, below: Integers) -> Fixed:
        """Return above / below, both at least 0 and at most `LARGEST`; where below is 0, 0."""
        return cls.whole(above).over(below)

    @classmethod
    def between(cls, ends: Sequence[Ends]) -> Fixed:
        """Return numbers from whole ones, scaled by 2^88, between which they lie."""
        parts = [(least >> LIMB, least & _LOW, most - least) for least, most in ends]
        high, low, width = np.array(parts, np.int64).reshape(-1, 3).T
        return cls((high, low), width)

    def over(self, divisors: Integers) -> Fixed:
        """Divide by whole numbers from 1 to `LARGEST`; 0 gives 0."""
        nothing = divisors == 0
        by = np.where(nothing, 1, divisors)
        high = self.limbs[0] // by
        rest = ((self.limbs[0] - high * by) << LIMB) | self.limbs[1]
        low = rest // by
        width = -(-(rest - low * by + self.width) // by)
        divided = Fixed((high, low), width)
        return Fixed.whole(np.zeros_like(by)).where(nothing, divided) if nothing.any() else divided

    @classmethod
    def shares(cls, above: Integers, below: Integers) -> Fixed:
        """Return above / below for 0 <= above <= below < 2^33, half a limb at a time."""
        halves, rest = [], above
        for _ in range(4):
            halves.append((rest << _HALF) // below)
            rest = (rest << _HALF) - halves[-1] * below
        first, second, third, fourth = halves
        return cls(((first << _HALF) + second, (third << _HALF) + fourth), np.ones_like(above))

    def summed(self, segments: Segments) -> Fixed:
        """Add each query's numbers, at most `LARGEST` of them."""
        return Fixed.carried([segments.sums(limb) for limb in self.limbs], segments.sums(self.width))

    def plus(self, other: Fixed) -> Fixed:
        """Add."""
        return Fixed.carried(
            [mine + others for mine, others in zip(self.limbs, other.limbs, strict=True)], self.width + other.width
        )

    def times(self, factors: Integers) -> Fixed:
        """Multiply by whole numbers from 0 to `LARGEST`."""
        return Fixed.carried([limb * factors for limb in self.limbs], self.width * factors)

    def where(self, chosen: Mask, other: Fixed) -> Fixed:
        """Return these numbers where chosen, the others elsewhere."""
        pairs = zip((*self.limbs, self.width), (*other.limbs, other.width), strict=True)
        high, low, width = (np.where(chosen, mine, others) for mine, others in pairs)
        return Fixed((high, low), width)

    def at(self, places: Integers | slice) -> Fixed:
        """Return the numbers at some places."""
        return Fixed((self.limbs[0][places], self.limbs[1][places]), self.width[places])

    def replaced(self, places: Integers, other: Fixed) -> Fixed:
        """Return the numbers with others at some places."""
        changed = Fixed((self.limbs[0].copy(), self.limbs[1].copy()), self.width.copy())
        for part, others in zip((*changed.limbs, changed.width), (*other.limbs, other.width), strict=True):
            part[places] = others
        return changed

    def doubles(self) -> tuple[Doubles, Mask]:
        """Return the nearest doubles, and which of them are certain."""
        (high, low), width = self
        upper = high * 2.0**-LIMB
        least = upper + low * 2.0**-BITS
        most = upper + (low + width) * 2.0**-BITS
        certain: Mask = (least == most) & (np.abs(high) <= _EXACT_HIGH)
        return least, certain

    def ends(self) -> list[Ends]:
        """Return whole numbers between which each number, times 2^88, lies."""
        rows = zip(*(part.tolist() for part in (*self.limbs, self.width)), strict=True)
        return [((least := (high << LIMB) + low), least + width) for high, low, width in rows]

    def total(self) -> Ends:
        """Return whole numbers between which the sum of all, times 2^88, lies."""
        least = (_sum(self.limbs[0]) << LIMB) + _sum(self.limbs[1])
        return least, least + _sum(self.width)


def _sum(numbers: Integers) -> int:
    """Add without overflow: the two halves of 64 bits by themselves."""
    return (int((numbers >> 32).sum()) << 32) + int((numbers & 0xFFFFFFFF).sum())


@dataclass(eq=False, repr=False, match_args=False)
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

    def selected(self, places: Integers) -> Segments:
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
    """Tell whether all are small enough for fixed point."""
    return all(each.size == 0 or (int(each.max()) <= LARGEST and int(each.min()) >= 0) for each in numbers)


def quotients(above: Fixed, below: Fixed) -> Fixed:
    """Return above / below, both positive."""
    pairs = zip(above.ends(), below.ends(), strict=True)
    return Fixed.between([((a << BITS) // d, -((-b << BITS) // c)) for (a, b), (c, d) in pairs])
