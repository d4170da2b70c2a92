"""The mean over queries, from enclosed values: the double that both ends round to, or nothing said."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from rankspec.oracle.conventions.axes import Aggregate, GeometricZero
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.scoring.batch.fixed import BITS, LIMB, Fixed, Integers
from rankspec.oracle.values import Exact, Undefined

_PRECISION = 192

Ends = tuple[int, int]
"""Whole numbers between which a number times 2^88 lies."""


def ends_of(exact: Exact) -> Ends:
    """Enclose an exact number."""
    if isinstance(exact, Undefined):
        raise TypeError(f"{exact} is not a number")
    if not isinstance(exact, Fraction):
        return exact.enclose(BITS)
    scaled = exact.numerator << BITS
    return scaled // exact.denominator, -(-scaled // exact.denominator)


def mean_double(fixed: Fixed, numbers: Integers, others: Iterable[Exact], convention: Convention) -> float | None:
    """Return the nearest double of the mean; None if the ends round to two.

    Args:
        fixed: enclosed values of all queries.
        numbers: the places of those that are numbers and enclosed; they take part.
        others: exact values that take part as well.
        convention: how values become one.
    """
    parts = [ends_of(value) for value in others]
    chosen = Fixed(fixed.high[numbers], fixed.low[numbers], fixed.width[numbers])
    count = numbers.size + len(parts)
    match convention.aggregate:
        case Aggregate.GEOMETRIC:
            return _geometric(_each(chosen) + parts, convention)
        case Aggregate.MEAN | Aggregate.MICRO:  # of counts, which are not pooled
            least, most = chosen.total()
            least, most = least + sum(low for low, _ in parts), most + sum(high for _, high in parts)
            return _agreed(least, most, count << BITS)
        case _:
            return None


def _agreed(least: int, most: int, divisor: int) -> float | None:
    """Return the double that both ends round to; Python divides whole numbers with one rounding."""
    below, above = least / divisor, most / divisor
    return below if below == above else None


def _each(fixed: Fixed) -> list[Ends]:
    pairs = zip(fixed.high.tolist(), fixed.low.tolist(), fixed.width.tolist(), strict=True)
    return [((high << LIMB) + low, (high << LIMB) + low + width) for high, low, width in pairs]


def _geometric(values: list[Ends], convention: Convention) -> float | None:
    """Return exp of the mean logarithm, outwards. Clauses map.aggregate.geometric, map.geometric-zero.*."""
    from mpmath.libmp import from_int, from_rational, mpf_shift, mpi_add, mpi_div, mpi_exp, mpi_log, to_int

    floor_low, floor_high = ends_of(convention.geometric_floor)
    match convention.geometric_zero:
        case GeometricZero.FLOOR:
            factors = [(max(low, floor_low), max(high, floor_high)) for low, high in values]
        case GeometricZero.ADDED | GeometricZero.ADDED_SUBTRACTED:
            factors = [(low + floor_low, high + floor_high) for low, high in values]
        case _:
            return None
    ends = _product(factors)
    if ends is None:
        return None
    count = from_int(len(factors))
    low, high = mpi_exp(mpi_div(mpi_log(ends, _PRECISION), (count, count), _PRECISION), _PRECISION)
    if convention.geometric_zero is GeometricZero.ADDED_SUBTRACTED:
        floor = convention.geometric_floor
        off = [from_rational(-floor.numerator, floor.denominator, _PRECISION, way) for way in "fc"]
        low, high = mpi_add((low, high), (off[0], off[1]), _PRECISION)
    bits = 4 * BITS
    return _agreed(to_int(mpf_shift(low, bits), "f"), to_int(mpf_shift(high, bits), "c"), 1 << bits)


def _product(factors: list[Ends]) -> tuple[object, object] | None:
    """Multiply from below and from above, keeping so many bits."""
    from mpmath.libmp import from_man_exp

    ends = []
    for end in (0, 1):
        mantissa, exponent = 1, 0
        for factor in factors:
            if factor[end] <= 0:
                return None
            mantissa, exponent = mantissa * factor[end], exponent - BITS
            if (extra := mantissa.bit_length() - _PRECISION) > 0:
                mantissa = mantissa >> extra if end == 0 else -(-mantissa >> extra)
                exponent += extra
        ends.append(from_man_exp(mantissa, exponent))
    return ends[0], ends[1]
