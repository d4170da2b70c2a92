"""The paired t test: t exactly, and its p-value to a guaranteed precision.

For whole degrees of freedom Student's distribution has a closed form (Abramowitz and Stegun 26.7.3 and 26.7.4): powers
of cos(theta) with rational coefficients, where tan(theta) = t / sqrt(freedom). All is computed between bounds, with
more and more digits, until the bounds are close enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from mpmath.libmp import from_man_exp, mpf_atan, pi_fixed, to_fixed
from rankspec.oracle.clauses import clause
from rankspec.oracle.reals.real import Number
from rankspec.oracle.scoring.significance.integers import Integers, as_integers
from rankspec.oracle.scoring.significance.results import STUDENT, PValue, Side, Student

PRECISION = 200
"""Bits of a p-value that are right."""

_MOST_BITS = 2**14
_FEWEST = 2
_GUARD_BITS = 32


@clause("significance.t-test")
def t_test(differences: Sequence[Number], *, side: Side = Side.BOTH) -> PValue:
    """Test whether paired differences have the mean 0, as if they were normally distributed.

    Fewer than two differences, and differences that are all the same (0 or not), have no
    t: the p-value is undefined, and said to be.
    """
    freedom, listed = len(differences) - 1, tuple(differences)
    integers = as_integers(listed)
    sign = _sign(integers)
    nothing = Student(freedom, sign, None, listed)
    if len(listed) < _FEWEST:
        return PValue(STUDENT, None, student=nothing, undefined="the t test needs two queries or more")
    if max(integers.values) - min(integers.values) <= 2 * integers.error:
        reason = "the differences are all the same, so their variance is 0 and t is undefined"
        return PValue(STUDENT, None, student=nothing, undefined=reason)
    low, high = _square_bounds(integers)
    two_sided = _between(low, high, freedom)
    return PValue(STUDENT, _on_side(two_sided, sign, side), student=Student(freedom, sign, (low + high) / 2, listed))


def _sign(integers: Integers) -> int:
    total = sum(integers.values)
    return 0 if abs(total) <= integers.slack else 1 if total > 0 else -1


def _on_side(two_sided: Fraction, sign: int, side: Side) -> Fraction:
    if side is Side.BOTH:
        return two_sided
    as_observed = (side is Side.GREATER) == (sign >= 0)
    return two_sided / 2 if as_observed else 1 - two_sided / 2


def _square_bounds(integers: Integers) -> tuple[Fraction, Fraction]:
    """Return bounds of t squared, (n - 1) S**2 / (n Q - S**2) with the sum S and the sum of squares Q.

    n Q - S**2 is the sum of all squared differences of two values, D**2, so it is at most the sum of (D + 2 error)**2,
    and at least that of max(0, D - 2 error)**2, of which the largest D alone is one.
    """
    values, error = sorted(integers.values), integers.error
    count = len(values)
    total, slack = abs(sum(values)), error * count
    squares = count * sum(value**2 for value in values) - total**2
    apart = sum((2 * place - count + 1) * value for place, value in enumerate(values))
    fewest = max(squares - 4 * error * apart, (values[-1] - values[0] - 2 * error) ** 2)
    most = squares + 4 * error * apart + 2 * error**2 * count * (count - 1)
    freedom = count - 1
    return Fraction(freedom * max(0, total - slack) ** 2, most), Fraction(freedom * (total + slack) ** 2, fewest)


def _between(low: Fraction, high: Fraction, freedom: int) -> Fraction:
    """Return the two-sided p-value of a t whose square lies between bounds, to `PRECISION` bits."""
    bits = 2 * PRECISION
    while True:
        above, below = p_bounds(low, freedom, bits)[1], p_bounds(high, freedom, bits)[0]
        close = (above - below) * 2**PRECISION <= below
        if close or bits > _MOST_BITS:
            return (above + below) / 2
        bits *= 2


def p_bounds(square: Fraction, freedom: int, bits: int) -> tuple[Fraction, Fraction]:
    """Return bounds of the two-sided p-value of a t with this square, about 2**-bits apart.

    Everything is in units of 2**-bits; each step is off by less than one unit more, and all factors are at most 1.
    """
    one = 1 << bits
    cosine_square = (freedom * square.denominator << bits) // (freedom * square.denominator + square.numerator)
    even = freedom % 2 == 0
    term, series = one, 0
    for k in range(1, freedom // 2 + 1):
        series += term
        ratio = (2 * k - 1, 2 * k) if even else (2 * k, 2 * k + 1)
        term = (term * cosine_square * ratio[0] // ratio[1]) >> bits
    sine_square = one - cosine_square
    if even:
        inside = isqrt(sine_square << bits) * series >> bits
    else:
        tangent = isqrt((square.numerator << 2 * bits) // (square.denominator * freedom))
        angle = to_fixed(mpf_atan(from_man_exp(tangent, -bits), bits + _GUARD_BITS), bits)
        inside = (2 * (angle + (isqrt(sine_square * cosine_square) * series >> bits)) << bits) // pi_fixed(bits)
    # The series has at most `freedom` terms below 1, each off by as many units as it has factors; a root of a number
    # that is one unit off is off by less than the root of a unit.
    off = Fraction(4 * (freedom + 2) ** 2 << bits // 2, 1)
    p = one - inside
    return max(Fraction(0), (p - off) / one), min(Fraction(1), (p + off) / one)
