"""What a number tells of how it came about: from singles, or from rounding to so many places."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from rankspec.conformance.judge.agreement import as_single, unit_of
from rankspec.conformance.judge.bounds import UNIT_FLOAT32, UNIT_FLOAT64
from rankspec.conformance.run.outcomes import Number
from rankspec.oracle.values import Exact, Undefined, to_double

_PLACES = range(3, 10)
"""A value of fewer places is often another one by chance; one of more looks like what it would be anyway."""


def is_mean_of_singles(value: Fraction, exact_per_query: Iterable[Exact]) -> bool:
    """Tell whether a double can be the mean, in doubles, of queries that were computed in singles.

    Times the queries it is a sum of singles: a multiple of the spacing that singles have next to the least of them, but
    for the roundings of the sum. A double that did not come from singles is such a multiple by chance alone; where the
    spacing is no wider than these roundings it tells nothing, and such a value is none.
    """
    doubles = [0.0 if isinstance(exact, Undefined) else to_double(exact) for exact in exact_per_query]
    least = min((abs(double) for double in doubles if double), default=0.0)
    if len(doubles) < 2 or not least:  # noqa: PLR2004 - one query has no mean
        return False
    spacing = Fraction(2) ** (Fraction(least).numerator.bit_length() - Fraction(least).denominator.bit_length() - 1)
    spacing *= 2 * UNIT_FLOAT32
    total = value * len(doubles)
    lost = len(doubles) * UNIT_FLOAT64 * abs(total) * 2
    return _TELLING * lost <= spacing and abs(total - round(total / spacing) * spacing) <= lost


_TELLING = 16
"""How much wider than what is lost the spacing has to be."""


def places_of_rounding(number: Number, exact: Fraction) -> int:
    """Return the decimal places to which a number is the exact value rounded, 0 if it is no such number.

    It may have been rounded to a decimal, and that to a double or a single.
    """
    to_type = as_single if unit_of(number) == UNIT_FLOAT32 else float
    try:
        return next((n for n in _PLACES if number.value == Fraction(to_type(round(exact, n)))), 0)
    except OverflowError:
        return 0
