"""The mean over queries, enclosed by the enclosures of their values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from rankspec.oracle.conventions.axes import Aggregate, GeometricZero
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.reals.real import Number, enclosed
from rankspec.oracle.scoring.batch.fixed import Ends, Fixed

_GUARD_BITS = 104
"""Bits of a product beyond those of its factors, so that what is cut off adds less than what the factors leave open."""


def mean_ends(fixed: Fixed, others: Iterable[Number], convention: Convention) -> tuple[Ends, int] | None:
    """Return whole numbers and a divisor that enclose the mean of enclosed and other, exact values; None if unknown."""
    parts = [enclosed(value, fixed.bits) for value in others]
    if convention.aggregate is Aggregate.GEOMETRIC:
        return _geometric(fixed.ends() + parts, fixed.bits, convention)
    least, most = fixed.total()  # others are of counts, which are not pooled
    ends = least + sum(low for low, _ in parts), most + sum(high for _, high in parts)
    return ends, (fixed.width.size + len(parts)) << fixed.bits


def _geometric(values: list[Ends], bits: int, convention: Convention) -> tuple[Ends, int] | None:
    """Return exp of the mean logarithm, outwards. Clauses map.aggregate.geometric, map.geometric-zero.*."""
    from mpmath.libmp import from_int, from_rational, mpf_shift, mpi_add, mpi_div, mpi_exp, mpi_log, to_int

    floor_low, floor_high = enclosed(convention.geometric_floor, bits)
    match convention.geometric_zero:
        case GeometricZero.FLOOR:
            factors = [(max(low, floor_low), max(high, floor_high)) for low, high in values]
        case GeometricZero.ADDED | GeometricZero.ADDED_SUBTRACTED:
            factors = [(low + floor_low, high + floor_high) for low, high in values]
        case _:
            assert_never(convention.geometric_zero)
    precision = bits + _GUARD_BITS
    product = _product(factors, bits, precision)
    if product is None:
        return None
    count = from_int(len(factors))
    low, high = mpi_exp(mpi_div(mpi_log(product, precision), (count, count), precision), precision)
    if convention.geometric_zero is GeometricZero.ADDED_SUBTRACTED:
        floor = convention.geometric_floor
        off = [from_rational(-floor.numerator, floor.denominator, precision, way) for way in "fc"]
        low, high = mpi_add((low, high), (off[0], off[1]), precision)
    shift = 2 * precision
    return (to_int(mpf_shift(low, shift), "f"), to_int(mpf_shift(high, shift), "c")), 1 << shift


def _product(factors: list[Ends], bits: int, precision: int) -> tuple[object, object] | None:
    """Multiply from below and from above, keeping so many bits."""
    from mpmath.libmp import from_man_exp

    ends = []
    for end in (0, 1):
        mantissa, exponent = 1, 0
        for factor in factors:
            if factor[end] <= 0:
                return None
            mantissa, exponent = mantissa * factor[end], exponent - bits
            if (extra := mantissa.bit_length() - precision) > 0:
                mantissa = mantissa >> extra if end == 0 else -(-mantissa >> extra)
                exponent += extra
        ends.append(from_man_exp(mantissa, exponent))
    return ends[0], ends[1]
