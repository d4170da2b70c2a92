"""Fixed-point numbers with a proved error, and the doubles that they are known to round to.

A `Fixed` holds, for each query, an integer F in n limbs of 44 bits, the greatest first. With b = 44n it says:
F <= x * 2^b <= F + width. Two limbs are for doubles, more for decimals of more digits than a double has.

1. T(r) = floor(2^b / r), in limbs of 44 bits, so 0 <= i * 2^b / r - i * T(r) < i for i >= 0.
2. A sum of ratios i/r is the sum of i * T(r); by 1 it is too low by less than the sum of the i: that is its width.
   Other tables (logarithms, powers) say how much lower than the number an entry may be: `error` units instead of 1.
3. A division by D leaves a rest: F = QD + rest, so that x * 2^b / D lies from Q to Q + (rest + width) / D. The width is
   that, rounded up. Dropping limbs is a division by a power of 2^44.
4. Sums of `Fixed` add their widths; a product with a whole number multiplies it.
5. Nothing overflows 63 bits: i, r, D and the number of terms are below 2^19 (`LARGEST`), whatever is larger is refused
   by `fits` and goes to the exact path, but for i <= r < 2^33, which `shares` divides half a limb at a time; limbs
   are carried before products of them are added.
6. The first limb times 2^-44 is a double, since it is at most 2^53 where x <= 2^9 (else `doubles` certifies nothing);
   so is the second times 2^-88. Their sum in doubles is one rounding of an exact number (IEEE 754), to the nearest,
   ties to even. The second limb plus a width of 2^53 or more may be no double, but then the ends are further apart
   than two doubles below 2^9 (2^44 units), and so are those that they round to.
7. Rounding is monotone. If F * 2^-b and (F + width) * 2^-b round to the same double, so does x: it is certified. So it
   is with decimals.
8. If not, nothing is said of x: more limbs or the exact path decide.
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
LIMBS = 2  # The limbs that doubles are certified by
BITS = LIMBS * LIMB
LARGEST = (1 << 19) - 1  # The greatest rank, hits, divisor and number of terms that limbs of 44 bits leave room for
Ends: TypeAlias = tuple[int, int]  # Whole numbers between which a scaled number lies

_LOW = (1 << LIMB) - 1
_HALF = LIMB // 2
# Up to here whole numbers are doubles, so that the upper limb is turned into one without rounding.
_EXACT_HIGH = 1 << 53


class Fixed(NamedTuple):
    """One number a query, enclosed."""

    limbs: tuple[Integers, ...]  # 44 bits each, the greatest first; the others are from 0 to 2^44 - 1
    width: Integers  # units of the last limb that the number may be above them

    @classmethod
    def carried(cls, limbs: Sequence[Integers], width: Integers) -> Fixed:
        """Bring the lower limbs into their range."""
        return cls(_carried(limbs), width)

    @classmethod
    def whole(cls, numbers: Integers, limbs: int = LIMBS) -> Fixed:
        """Return whole numbers below 2^19, exactly."""
        zeros = [np.zeros_like(numbers) for _ in range(limbs)]
        return cls((numbers << LIMB, *zeros[1:]), zeros[0])

    @classmethod
    def ratios(cls, above: Integers, below: Integers, limbs: int = LIMBS) -> Fixed:
        """Return above / below, both at least 0 and at most `LARGEST`; where below is 0, 0."""
        return cls.whole(above, limbs).over(below)

    @classmethod
    def between(cls, ends: Sequence[Ends], limbs: int = LIMBS) -> Fixed:
        """Return numbers from whole ones, scaled by the bits of so many limbs, between which they lie."""
        return cls(
            _limbs([least for least, _ in ends], limbs), np.array([most - least for least, most in ends], np.int64)
        )

    @property
    def bits(self) -> int:
        """Return the bits behind the point."""
        return LIMB * len(self.limbs)

    def over(self, divisors: Integers) -> Fixed:
        """Divide by whole numbers from 1 to `LARGEST`; 0 gives 0."""
        nothing = divisors == 0
        by = np.where(nothing, 1, divisors)
        divided = [self.limbs[0] // by]
        rest = self.limbs[0] - divided[0] * by
        for limb in self.limbs[1:]:
            rest = (rest << LIMB) | limb
            divided.append(rest // by)
            rest = rest - divided[-1] * by
        width = -(-(rest + self.width) // by)
        if nothing.any():
            *divided, width = (np.where(nothing, 0, part) for part in (*divided, width))
        return Fixed(tuple(divided), width)

    @classmethod
    def shares(cls, above: Integers, below: Integers, limbs: int = LIMBS) -> Fixed:
        """Return above / below for 0 <= above <= below < 2^33, half a limb at a time."""
        divided, rest = [], above
        for _ in range(limbs):
            limb = np.zeros_like(above)
            for _ in range(2):
                part = (rest << _HALF) // below
                rest = (rest << _HALF) - part * below
                limb = (limb << _HALF) + part
            divided.append(limb)
        return cls(tuple(divided), np.ones_like(above))

    def summed(self, segments: Segments) -> Fixed:
        """Add each query's numbers, at most `LARGEST` of them."""
        return Fixed.carried([segments.sums(limb) for limb in self.limbs], segments.sums(self.width))

    def plus(self, other: Fixed) -> Fixed:
        """Add."""
        limbs = [mine + others for mine, others in zip(self.limbs, other.limbs, strict=True)]
        return Fixed.carried(limbs, self.width + other.width)

    def minus(self, other: Fixed) -> Fixed:
        """Subtract."""
        *limbs, last = (mine - others for mine, others in zip(self.limbs, other.limbs, strict=True))
        return Fixed.carried([*limbs, last - other.width], self.width + other.width)

    def taken_from(self, numbers: Integers | int) -> Fixed:
        """Return whole numbers below 2^18 minus x."""
        return Fixed.whole(np.zeros_like(self.width) + numbers, len(self.limbs)).minus(self)

    def times(self, factors: Integers) -> Fixed:
        """Multiply by whole numbers from 0 to `LARGEST`."""
        return Fixed.carried([limb * factors for limb in self.limbs], self.width * factors)

    def where(self, chosen: Mask, other: Fixed) -> Fixed:
        """Return these numbers where chosen, the others elsewhere."""
        pairs = zip((*self.limbs, self.width), (*other.limbs, other.width), strict=True)
        *limbs, width = (np.where(chosen, mine, others) for mine, others in pairs)
        return Fixed(tuple(limbs), width)

    def at(self, places: Integers | slice) -> Fixed:
        """Return the numbers at some places."""
        return Fixed(tuple(limb[places] for limb in self.limbs), self.width[places])

    def put(self, places: Integers, other: Fixed) -> Fixed:
        """Return the numbers with others at some places."""
        changed = Fixed(tuple(limb.copy() for limb in self.limbs), self.width.copy())
        for part, others in zip((*changed.limbs, changed.width), (*other.limbs, other.width), strict=True):
            part[places] = others
        return changed

    def narrowed(self, limbs: int) -> Fixed:
        """Return the same numbers in no more than so many limbs."""
        width = self.width
        for limb in self.limbs[: limbs - 1 : -1]:
            width = -(-(limb + width) >> LIMB)  # a limb at a time: rounding up twice is rounding up once
        return Fixed(self.limbs[:limbs], width)

    def doubles(self) -> tuple[Doubles, Mask]:
        """Return the nearest doubles, and which of them are certain."""
        (high, low), width = self.narrowed(LIMBS)
        upper = high * 2.0**-LIMB
        least = upper + low * 2.0**-BITS
        most = upper + (low + width) * 2.0**-BITS
        certain: Mask = (least == most) & (np.abs(high) <= _EXACT_HIGH)
        return least, certain

    def ends(self) -> list[Ends]:
        """Return whole numbers between which each number, times 2^bits, lies."""
        lower = self.limbs[0].tolist()
        for limb in self.limbs[1:]:
            lower = [(upper << LIMB) + low for upper, low in zip(lower, limb.tolist(), strict=True)]
        return [(least, least + width) for least, width in zip(lower, self.width.tolist(), strict=True)]

    def total(self) -> Ends:
        """Return whole numbers between which the sum of all, times 2^bits, lies."""
        least = 0
        for limb in self.limbs:
            least = (least << LIMB) + _sum(limb)
        return least, least + _sum(self.width)


def _carried(limbs: Sequence[Integers]) -> tuple[Integers, ...]:
    """Bring all limbs but the first into their range."""
    lower: list[Integers] = []
    rest = limbs[-1]
    for limb in limbs[-2::-1]:
        lower.append(rest & _LOW)
        rest = limb + (rest >> LIMB)
    return rest, *reversed(lower)


def _limbs(scaled: Sequence[int], limbs: int) -> tuple[Integers, ...]:
    """Return the limbs of whole numbers."""
    shifts = range(LIMB * (limbs - 1), 0, -LIMB)
    first, *others = ([each >> shift for each in scaled] for shift in (*shifts, 0))
    lower = (np.array([each & _LOW for each in other], np.int64) for other in others)
    return np.array(first, np.int64), *lower


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


class Table(NamedTuple):
    """Some function of a rank in fixed point, in limbs: each value is too low by at most `error` units."""

    limbs: tuple[Integers, ...]
    error: int = 1

    @classmethod
    def of_integers(cls, scaled: Sequence[int], error: int, limbs: int = LIMBS) -> Table:
        """Make a table of numbers scaled by the bits of so many limbs, too low by at most so much."""
        return cls(_limbs(scaled, limbs), error)

    @classmethod
    def reciprocals(cls, last: int, limbs: int = LIMBS) -> Table:
        """Return floor(2^bits / r) for r = 1, ..., last; 0 for r = 0."""
        ranks = np.arange(last + 1)
        ranks[0] = 1
        divided, rest = [], np.ones_like(ranks)
        for _ in range(limbs):
            part = (rest << LIMB) // ranks
            rest = (rest << LIMB) - part * ranks
            part[0] = 0
            divided.append(part)
        return cls(tuple(divided))

    def harmonic(self) -> Table:
        """Return the running sums; each is too low by at most `error` units for each of its terms."""
        return Table(_carried([np.cumsum(limb) for limb in self.limbs]), self.error)

    def sums(self, factors: Integers, places: Integers, segments: Segments) -> Fixed:
        """Return each query's sum of factor * value at place; factors, and the sum, lie from 0 to `LARGEST`."""
        width = segments.sums(factors)
        terms: Sequence[Integers] = [limb[places] for limb in self.limbs]
        for part in terms:
            np.multiply(part, factors, out=part)
        if width.size and int(width.max()) > LARGEST:
            terms = _carried(terms)
        return Fixed.carried([segments.sums(part) for part in terms], width * self.error)


# ---- Quotients


def quotients(above: Fixed, below: Fixed) -> Fixed:
    """Return above / below, both positive."""
    pairs = zip(above.ends(), below.ends(), strict=True)
    ends = [((a << above.bits) // d, -((-b << above.bits) // c)) for (a, b), (c, d) in pairs]
    return Fixed.between(ends, len(above.limbs))
