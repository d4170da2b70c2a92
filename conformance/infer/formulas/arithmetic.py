"""Arithmetic on arrays of doubles, by which formulas are sifted, and on arrays of 40 digits, by which they are verified.

One declaration of a formula serves both: it is written in these functions and in operators.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import mpmath
import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[Any]
"""Doubles, or objects of 40 digits."""

_DIGITS = 40
"""More than twice a double's 16, so that a difference of two near numbers is still a double's."""


@cache
def precise() -> Any:
    """Return the context of numbers of 40 digits; it is nobody else's."""
    context = mpmath.MPContext()
    context.dps = _DIGITS
    return context


def is_precise(numbers: Numbers) -> bool:
    """Tell whether an array holds numbers of 40 digits."""
    return numbers.dtype == object


def of_digits(numbers: Any) -> Numbers:
    """Return numbers as objects of 40 digits."""
    plain = np.asarray(numbers, dtype=float)
    made = np.empty(plain.shape, dtype=object)
    for place, number in np.ndenumerate(plain):
        made[place] = precise().mpf(float(number))
    return made


def over(numerator: Any, denominator: Any) -> Numbers:
    """Divide; 0 where there is nothing to divide by."""
    numerators, denominators = np.broadcast_arrays(np.asarray(numerator), np.asarray(denominator))
    nothing = denominators == 0
    quotient: Numbers = np.where(nothing, 0, numerators) / np.where(nothing, 1, denominators)
    return quotient


def log2(numbers: Numbers) -> Numbers:
    """Return logarithms to the base 2; 0 where there is none."""
    return _of_each(numbers, np.log2, lambda number: precise().log(number, 2))


def ln(numbers: Numbers) -> Numbers:
    """Return natural logarithms; 0 where there is none."""
    return _of_each(numbers, np.log, lambda number: precise().log(number))


def log10(numbers: Numbers) -> Numbers:
    """Return logarithms to the base 10; 0 where there is none."""
    return _of_each(numbers, np.log10, lambda number: precise().log(number, 10))


def sqrt(numbers: Numbers) -> Numbers:
    """Return square roots; 0 for negative numbers."""
    return _of_each(numbers, np.sqrt, lambda number: precise().sqrt(number))


def power(base: float, exponents: Numbers) -> Numbers:
    """Return powers of a number."""
    if is_precise(exponents):
        return np.frompyfunc(lambda each: precise().mpf(str(base)) ** each, 1, 1)(exponents)  # type: ignore[no-any-return]
    return np.asarray(float(base) ** exponents)


def floor(numbers: Numbers) -> Numbers:
    """Return whole numbers that are no greater."""
    if is_precise(numbers):
        return np.frompyfunc(lambda each: precise().floor(each), 1, 1)(numbers)  # type: ignore[no-any-return]
    return np.floor(numbers)


def _of_each(numbers: Numbers, in_doubles: Any, in_digits: Any) -> Numbers:
    positive = numbers > 0
    safe = np.where(positive, numbers, 1)
    applied = np.frompyfunc(in_digits, 1, 1)(safe) if is_precise(numbers) else in_doubles(safe)
    return np.where(positive, applied, 0)
