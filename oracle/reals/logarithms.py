"""1/log2(i), enclosed: the only transcendental numbers in a cumulated gain.

mpmath's interval functions round outwards, so the two integers returned are below and above by construction.
"""

from __future__ import annotations

from functools import cache
from math import isqrt

# Two logarithms and a quotient, each rounded outwards once, cost a few units: 16 bits keep the two ends 2 apart.
_GUARD_BITS = 16


@cache
def primitive_root(number: int) -> tuple[int, int]:
    """Return b and e with number = b^e, e as great as can be; the number is at least 2.

    >>> primitive_root(8), primitive_root(36), primitive_root(12)
    ((2, 3), (6, 2), (12, 1))
    """
    for base in range(2, isqrt(number) + 1):
        power, exponent = base, 1
        while power < number:
            power, exponent = power * base, exponent + 1
        if power == number:
            return base, exponent
    return number, 1


@cache
def reciprocal_log2(number: int, bits: int) -> tuple[int, int]:
    """Return integers below and above 2^bits / log2(number), close together; the number is at least 2."""
    from mpmath.libmp import mpf_shift, mpi_div, to_int

    precision = bits + _GUARD_BITS
    low, high = mpi_div(_log(2, precision), _log(number, precision), precision)
    return to_int(mpf_shift(low, bits), "f"), to_int(mpf_shift(high, bits), "c")


def _log(number: int, precision: int) -> tuple[object, object]:
    from mpmath.libmp import from_int, mpi_log

    exact = from_int(number)
    ends: tuple[object, object] = mpi_log((exact, exact), precision)
    return ends
