"""1/log2(i), enclosed: the only transcendental numbers in a cumulated gain.

All of it is whole numbers: a logarithm times 2^precision, between two of them. To load mpmath takes as long as
to read two hundred thousand lines of a run; the tests hold the ends against it.
"""

from __future__ import annotations

from functools import cache
from math import isqrt

# A logarithm is some hundred units wide at most, and a number of n bits takes n of 2: 2^16 units for 65,000 bits.
_GUARD_BITS = 32
_HEAD_BITS = 10  # So a term of the artanh gives 20 bits, and no more than 1,024 heads are remembered
WIDTH = 2  # Units that the ends of a reciprocal logarithm are apart at most


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
    """Return integers below and above 2^bits / log2(number), at most 2 apart; the number is at least 2."""
    precision = bits + _GUARD_BITS
    two_low, two_high = _log_of_2(precision)
    low, high = _log(number, precision)
    return (two_low << bits) // high, -((-two_high << bits) // low)


@cache
def _log(number: int, precision: int) -> tuple[int, int]:
    """Return integers below and above 2^precision * ln(number)."""
    # With h for the number without its last digits, ln(n) = k ln(2) + ln(h) + 2 artanh((n - 2^k h) / (n + 2^k h)).
    if number == 1:
        return 0, 0
    shift = max(number.bit_length() - _HEAD_BITS, 1)
    head = number >> shift
    rest, whole = number - (head << shift), number + (head << shift)
    parts = (_log_of_2(precision), _log(head, precision), _twice_artanh(rest, whole, precision))
    return shift * parts[0][0] + parts[1][0] + parts[2][0], shift * parts[0][1] + parts[1][1] + parts[2][1]


@cache
def _log_of_2(precision: int) -> tuple[int, int]:
    return _twice_artanh(1, 3, precision)


def _twice_artanh(numerator: int, denominator: int, precision: int) -> tuple[int, int]:
    """Return integers below and above 2^precision * 2 artanh(q), with q from 0 to 1/3."""
    # artanh(q) is the sum of q^i / i over odd i. Each power is made of the last one and rounded down, so it is too low
    # by less than 1 + 1/9 + 1/81 + ... < 2 units, and a quotient by less than 3. The powers left out begin below 2
    # units and are less than 3 together.
    power = (numerator << precision + 1) // denominator
    total, odd = 0, 1
    while power:
        total += power // odd
        power = power * numerator**2 // denominator**2
        odd += 2
    return total, total + 3 * (odd // 2) + 3
