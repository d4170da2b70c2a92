"""Deciding about exact reals: the nearest double, and which of two is greater. Precision rises until it is certain."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from rankspec.oracle.reals.real import Enclosure, Number, weighted_sum

_FIRST_BITS = 96  # A double's 53 and 43 more: of 2^40 values hardly one needs a second turn
_MOST_BITS = 12_288  # About 3,700 digits. Two of these numbers that agree so far are taken to be equal.


def _precisions(digits: int = 0) -> Iterator[int]:
    bits = _FIRST_BITS + 4 * digits  # 10 has less than 4
    while bits <= _MOST_BITS + 4 * digits:
        yield bits
        bits *= 2


def nearest_double(number: Number) -> float:
    """Return the double nearest to an exact number: correctly rounded, ties to even."""
    if isinstance(number, Fraction):
        return _double(number.numerator, number.denominator)
    low = high = 0
    for bits in _precisions():
        low, high = number.enclose(bits)
        below, above = _double(low, 1 << bits), _double(high, 1 << bits)
        if below == above:
            return below
    return _double(low + high, 2 << _MOST_BITS)


def _double(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf


def nearest_decimal(number: Number, digits: int) -> int:
    """Return the whole number nearest to an exact one times 10^digits, ties to even."""
    if isinstance(number, Fraction):
        return nearest_quotient(number.numerator * 10**digits, number.denominator)
    low = high = 0
    for bits in _precisions(digits):
        low, high = number.enclose(bits)
        if (found := agreed_decimal((low, high), 1 << bits, digits)) is not None:
            return found
    return nearest_quotient((low + high) * 10**digits, 2 << bits)


def agreed_decimal(ends: Enclosure, divisor: int, digits: int) -> int | None:
    """Return the whole number nearest to all that lies between two ends over a divisor, times 10^digits."""
    # Rounding is monotone: where both ends round to it, so does what lies between. None where they do not.
    below, above = (nearest_quotient(end * 10**digits, divisor) for end in ends)
    return below if below == above else None


def nearest_quotient(above: int, below: int) -> int:
    """Return the whole number nearest to a quotient, ties to even; the divisor is above 0.

    >>> nearest_quotient(5, 2), nearest_quotient(7, 2), nearest_quotient(-5, 2)
    (2, 4, -2)
    """
    whole, rest = divmod(above, below)
    return whole + (2 * rest > below or (2 * rest == below and whole % 2 == 1))


def compare(first: Number, second: Number) -> int:
    """Return -1, 0 or 1, as the first number is less than, equal to or greater than the second."""
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return (first > second) - (first < second)
    if first == second:
        return 0
    difference = weighted_sum([(Fraction(1), first), (Fraction(-1), second)])
    if isinstance(difference, Fraction):
        return (difference > 0) - (difference < 0)
    for bits in _precisions():
        low, high = difference.enclose(bits)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
    return 0


def greater(first: Number, second: Number) -> Number:
    """Return the greater of two numbers."""
    return first if compare(first, second) >= 0 else second


def enclosing_fraction(number: Number, digits: int = 60) -> Fraction:
    """Return a rational number within 10^-digits of an exact one; the number itself where it is rational."""
    if isinstance(number, Fraction):
        return number
    bits = int(digits * 3.33) + 16
    low, high = number.enclose(bits)
    while (high - low) * 10**digits > 1 << bits:
        bits *= 2
        low, high = number.enclose(bits)
    return Fraction(low + high, 2 << bits)
