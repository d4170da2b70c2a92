"""Expressions over many lists at once: ratios of whole numbers, and enclosures (`fixed.py`) where they grow large.

Quantities of a list are one number a query, those of a rank one number a document. As long as denominators are of the
list, a sum is one of whole numbers, and the value their quotient; elsewhere terms are enclosed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from rankspec.oracle.definitions.expression import Above, Algebra, Operator
from rankspec.oracle.reals.real import WIDTH, reciprocal_log2
from rankspec.oracle.scoring.batch.fixed import BITS, Fixed, Integers, Segments, distinct, fits

_LARGEST = 1 << 62  # Products of whole numbers stay below it, so that sums of two fit 64 bits with a sign
_LARGEST_SHARE = 1 << 33  # What `Fixed.shares` divides
_ROOM = (1 << 63) - 1  # Upper limbs, and widths, of 64 bits with a sign
_ROOM_BITS = 20  # The lower bits of upper limbs that are left out where only the size of their sum is asked for
_MOST_FACTORS = 64  # of a power that is multiplied out
_POWER_GUARD_BITS, _POWER_ERROR = 40, 2


class TooWideError(Exception):
    """Whole numbers become too large for 64 bits: the exact path decides."""


class Integer(NamedTuple):
    """Whole numbers: one a query, or one a document (of `segments`)."""

    numbers: Integers
    is_of_list: bool

    @property
    def largest(self) -> int:
        """Return the greatest absolute value."""
        return max(abs(int(self.numbers.max(initial=0))), abs(int(self.numbers.min(initial=0))))


def _are_equal(first: Integer, second: Integer) -> bool:
    return first.is_of_list == second.is_of_list and np.array_equal(first.numbers, second.numbers)


def _highest(number: Fixed) -> int:
    """Return more than any upper limb, with what is carried into it, or width."""
    parts = (number.limbs[0], -number.limbs[0], number.width)
    return max(int(part.max(initial=0)) for part in parts) + 1


def _require_room(number: int) -> None:
    """Refuse what has no room in the upper limb of an enclosure."""
    if number > _ROOM:
        raise TooWideError


class Ratio(NamedTuple):
    """Whole numbers over positive ones."""

    above: Integer
    below: Integer


class Logarithm(NamedTuple):
    """log2 of whole numbers from 2 on: only ever a divisor."""

    arguments: Integer


Read = Ratio | Fixed | Logarithm


@dataclass(eq=False, repr=False, match_args=False)
class Arithmetic(Algebra[Read]):
    """Ratios as long as they are small, enclosures beyond."""

    of_list: Mapping[str, Callable[[], Integers | Ratio]]
    of_ranks: Mapping[str, Callable[[], Integers | Ratio]]
    segments: Segments

    def number(self, value: Fraction) -> Read:
        """Return a ratio of numbers that are the same for all lists."""
        return Ratio(self._constant(value.numerator), self._constant(value.denominator))

    def _constant(self, number: int) -> Integer:
        if abs(number) >= _LARGEST:
            raise TooWideError
        return Integer(np.full(self.segments.starts.size - 1, number, np.int64), is_of_list=True)

    def quantity(self, name: str) -> Read:
        """Return a quantity of the lists, or of documents."""
        is_of_list = name in self.of_list
        numbers = (self.of_list if is_of_list else self.of_ranks)[name]()
        return numbers if isinstance(numbers, Ratio) else Ratio(Integer(numbers, is_of_list), self._constant(1))

    def above(self, product: Above) -> Read:
        """Refuse what is no ratio of small numbers."""
        raise TypeError(f"{product} has no reading in whole numbers")

    def operation(self, operator: Operator, operands: tuple[Read, ...]) -> Read:
        """Return what an operator makes of its operands; `TooWideError` if numbers become too large."""
        first, second = operands[0], operands[-1]
        match operator:
            case Operator.ADD:
                return self._sum(first, second, 1)
            case Operator.SUBTRACT:
                return self._sum(first, second, -1)
            case Operator.MULTIPLY:
                return self._product(first, second)
            case Operator.DIVIDE:
                if isinstance(first, Ratio) and isinstance(second, Ratio) and _are_equal(first.below, second.below):
                    one = self._constant(1)  # over the same numbers it is a quotient of whole ones
                    first, second = Ratio(first.above, one), Ratio(second.above, one)
                return self._product(first, self._reciprocal(second))
            case Operator.LEAST | Operator.GREATEST:
                pick = np.minimum if operator is Operator.LEAST else np.maximum
                return self._picked(pick, operands)
            case Operator.LOG2:
                return Logarithm(self._whole(first))
            case _:
                return self._power(first, second)

    def _power(self, base: Read, exponent: Read) -> Read:
        """Return a power of numbers to one exponent, or of one share of 1 to any exponents."""
        exponents = self._whole(exponent).numbers
        most, least = (int(pick(initial=0)) for pick in (exponents.max, exponents.min))
        if most == int(exponents.min(initial=most)) and most < _MOST_FACTORS:
            result: Read = self.number(Fraction(1))
            for _ in range(most):
                result = self._product(result, base)
            return result
        above, below = (self._only(part.numbers) for part in base) if isinstance(base, Ratio) else (1, 0)
        if least < 0 or not 0 <= above <= below:
            raise TooWideError
        # Each step, with 40 bits more, loses less than 1 of them and multiplies what was lost by the share: after fewer
        # than 2^19 steps less than one unit is lost, and rounding down to it loses another.
        power, ends = 1 << BITS + _POWER_GUARD_BITS, []
        for _ in range(most + 1):
            ends.append((power >> _POWER_GUARD_BITS, (power >> _POWER_GUARD_BITS) + _POWER_ERROR))
            power = power * above // below
        return Fixed.between(ends).at(self.spread(self._whole(exponent)).numbers)

    @staticmethod
    def _only(numbers: Integers) -> int:
        """Return the one number that all are."""
        if (numbers != numbers[0]).any():
            raise TooWideError
        return int(numbers[0])

    def spread(self, number: Integer) -> Integer:
        """Return one number a document."""
        return Integer(self.segments.of(number.numbers), is_of_list=False) if number.is_of_list else number

    def _pair(self, first: Integer, second: Integer) -> tuple[Integers, Integers, bool]:
        if first.is_of_list != second.is_of_list:
            first, second = self.spread(first), self.spread(second)
        return first.numbers, second.numbers, first.is_of_list

    def times(self, first: Integer, second: Integer) -> Integer:
        """Multiply whole numbers; `TooWideError` if a product may not fit 64 bits."""
        if first.largest * second.largest >= _LARGEST:
            raise TooWideError
        one, other, is_of_list = self._pair(first, second)
        return Integer(one * other, is_of_list)

    def _sum(self, first: Read, second: Read, sign: int) -> Read:
        if isinstance(first, Ratio) and isinstance(second, Ratio):
            same = _are_equal(first.below, second.below)
            try:
                a = first.above if same else self.times(first.above, second.below)
                b = second.above if same else self.times(second.above, first.below)
                below = first.below if same else self.times(first.below, second.below)
                if below.largest < _LARGEST_SHARE:
                    one, other, is_of_list = self._pair(a, b)
                    return Ratio(Integer(one + sign * other, is_of_list), below)
            except TooWideError:
                pass
        if sign < 0:
            raise TooWideError
        augend, addend = self.fixed(first), self.fixed(second)
        _require_room(_highest(augend) + _highest(addend))
        return augend.plus(addend)

    def _product(self, first: Read, second: Read) -> Read:
        if isinstance(second, Fixed):
            first, second = second, first
        if not isinstance(second, Ratio):
            raise TooWideError
        if isinstance(first, Ratio):
            try:
                ratio = Ratio(self.times(first.above, second.above), self.times(first.below, second.below))
            except TooWideError:
                pass
            else:
                if ratio.below.is_of_list or ratio.below.largest < _LARGEST_SHARE:
                    return ratio
            if not fits(second.above.numbers, second.below.numbers):
                first, second = second, first
        above, below = self.spread(second.above).numbers, self.spread(second.below).numbers
        if not fits(above, below):
            raise TooWideError
        enclosed = self.fixed(first)
        _require_room(_highest(enclosed) * int(above.max(initial=0)))
        return enclosed.times(above).over(below)

    def _reciprocal(self, divisor: Read) -> Read:
        """Return one over a ratio, or a logarithm; 0 where it is 0."""
        if isinstance(divisor, Fixed):
            raise TooWideError
        if isinstance(divisor, Logarithm):
            each, places = distinct(self.spread(divisor.arguments).numbers)
            lower = [reciprocal_log2(int(argument), BITS)[0] for argument in each]
            return Fixed.between([(least, least + WIDTH) for least in lower]).at(places)
        above, below, is_of_list = self._pair(divisor.above, divisor.below)
        if (above < 0).any():
            raise TooWideError
        nothing = above == 0
        return Ratio(Integer(np.where(nothing, 0, below), is_of_list), Integer(np.where(nothing, 1, above), is_of_list))

    def _whole(self, ratio: Read) -> Integer:
        if not isinstance(ratio, Ratio) or (ratio.below.numbers != 1).any():
            raise TooWideError
        return ratio.above

    def _picked(self, pick: Callable[[Integers, Integers], Integers], operands: tuple[Read, ...]) -> Read:
        picked = self._whole(operands[0])
        for operand in operands[1:]:
            one, other, is_of_list = self._pair(picked, self._whole(operand))
            picked = Integer(pick(one, other), is_of_list)
        return Ratio(picked, self._constant(1))

    def fixed(self, number: Read) -> Fixed:
        """Return enclosures, one a document."""
        if isinstance(number, Fixed):
            return number
        if isinstance(number, Logarithm):
            raise TooWideError
        above, below = self.spread(number.above).numbers, self.spread(number.below).numbers
        if fits(above, below):
            return Fixed.ratios(above, below)
        whole = above // below
        if (above < 0).any() or not fits(whole) or number.below.largest >= _LARGEST_SHARE:
            raise TooWideError
        return Fixed.shares(above - whole * below, below).plus(Fixed.whole(whole))

    def total(self, term: Read) -> Read:
        """Add each query's terms: a ratio where the denominators are of the list."""
        if isinstance(term, Ratio) and term.below.is_of_list:
            above = self.spread(term.above)
            if above.largest * int(self.segments.sizes.max(initial=0)) >= _LARGEST:
                raise TooWideError
            return Ratio(Integer(self.segments.sums(above.numbers), is_of_list=True), term.below)
        enclosed = self.fixed(term)
        for part in (enclosed.limbs[0], -enclosed.limbs[0], enclosed.width):
            sums = self.segments.sums((part >> _ROOM_BITS) + 1)
            _require_room(int(sums.max(initial=0)) + 1 << _ROOM_BITS)
        return enclosed.summed(self.segments)
