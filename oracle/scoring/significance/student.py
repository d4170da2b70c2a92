"""The paired t test: t exactly, and its p-value to 200 bits."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rankspec.oracle.clauses import clause
from rankspec.oracle.reals.real import Number
from rankspec.oracle.scoring.significance.integers import Integers, as_integers
from rankspec.oracle.scoring.significance.results import STUDENT, PValue, Side, Student

PRECISION = 200  # Bits of a p-value that are right

_FEWEST = 2
_GUARD_BITS = 64
"""What mpmath loses of them is 2^-246 of the value at most, measured for 1 to 100,000 degrees of freedom."""


@clause("significance.t-test")
def t_test(differences: Sequence[Number], *, side: Side = Side.BOTH) -> PValue:
    """Test whether paired differences have the mean 0, as if they were normally distributed."""
    # Fewer than two differences, and differences that are all the same (0 or not), have no t: the p-value is undefined,
    # and said to be.
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
    square = (low + high) / 2
    two_sided = p_of_square(square, freedom)
    return PValue(STUDENT, _on_side(two_sided, sign, side), student=Student(freedom, sign, square, listed))


def _sign(integers: Integers) -> int:
    total = sum(integers.values)
    return 0 if abs(total) <= integers.slack else 1 if total > 0 else -1


def _on_side(two_sided: Fraction, sign: int, side: Side) -> Fraction:
    if side is Side.BOTH:
        return two_sided
    as_observed = (side is Side.GREATER) == (sign >= 0)
    return two_sided / 2 if as_observed else 1 - two_sided / 2


def _square_bounds(integers: Integers) -> tuple[Fraction, Fraction]:
    """Return bounds of t squared, (n - 1) S**2 / (n Q - S**2) with the sum S and the sum of squares Q."""
    # n Q - S**2 is the sum of all squared differences of two values, D**2, so it is at most the sum of (D + 2
    # error)**2, and at least that of max(0, D - 2 error)**2, of which the largest D alone is one.
    values, error = sorted(integers.values), integers.error
    count = len(values)
    total, slack = abs(sum(values)), error * count
    squares = count * sum(value**2 for value in values) - total**2
    apart = sum((2 * place - count + 1) * value for place, value in enumerate(values))
    fewest = max(squares - 4 * error * apart, (values[-1] - values[0] - 2 * error) ** 2)
    most = squares + 4 * error * apart + 2 * error**2 * count * (count - 1)
    freedom = count - 1
    return Fraction(freedom * max(0, total - slack) ** 2, most), Fraction(freedom * (total + slack) ** 2, fewest)


def p_of_square(square: Fraction, freedom: int) -> Fraction:
    """Return the two-sided p-value of a t with this square, to `PRECISION` bits: an incomplete beta function."""
    from mpmath import betainc, mp, mpf

    with mp.workprec(PRECISION + _GUARD_BITS):
        share = mpf(freedom * square.denominator) / (freedom * square.denominator + square.numerator)
        sign, mantissa, exponent, _ = betainc(mpf(freedom) / 2, mpf(1) / 2, 0, share, regularized=True)._mpf_
    return Fraction(-mantissa if sign else mantissa) * Fraction(2) ** int(exponent)
