"""Real numbers that are a rational multiple of one constant, and a rational number: what endless sums come to.

The weights of the ranks after a list, if readers never stop, add up to values of the Hurwitz zeta function (INST, INSQ)
or to a logarithm (rank-biased overlap). Both are enclosed by bounds that are proved, never by an estimate.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Final

from rankspec.oracle.reals.real import Enclosure, Number, Real, enclosed, quotient

if TYPE_CHECKING:
    import sympy

_GUARD_BITS = 32


class SquaresFrom(Real):
    """1/a^2 + 1/(a+1)^2 + 1/(a+2)^2 + ... without end, a above 0: the Hurwitz zeta function at 2."""

    def __init__(self, start: Fraction) -> None:
        self.start: Final = start

    def enclose(self, bits: int) -> Enclosure:
        """Add the first terms, and the rest by Euler and Maclaurin's formula."""
        low, high = _squares_from(self.start, bits + _GUARD_BITS)
        return low >> _GUARD_BITS, -(-high >> _GUARD_BITS)

    def expression(self) -> sympy.Expr:
        """Return the function, which sympy writes with pi where a is whole."""
        import sympy

        return sympy.zeta(2, sympy.Rational(self.start.numerator, self.start.denominator))


@cache
def _squares_from(start: Fraction, bits: int) -> Enclosure:
    """Return integers below and above the sum times 2^bits."""
    # The rest from x on is 1/x + 1/(2x^2) + the sum over j of B(2j)/x^(2j+1). Since 1/x^2 and all its derivatives keep
    # their signs, what is left out of that sum is less than the first term that is left out.
    from mpmath.libmp import bernfrac

    over, under = start.denominator, start.numerator
    first = bits // 4 + 8
    low = sum((over * over << bits) // (under + place * over) ** 2 for place in range(first))
    errors = first
    rest = Fraction(over, under + first * over)
    for term in (rest, rest**2 / 2):
        low += (term.numerator << bits) // term.denominator
        errors += 1
    for j in count(1):
        above, below = bernfrac(2 * j)
        term = Fraction(above, below) * rest ** (2 * j + 1)
        if abs(term.numerator) << bits < term.denominator:
            return low - 1, low + errors + 1
        low += (term.numerator << bits) // term.denominator
        errors += 1
    raise AssertionError  # the terms fall below any bound long before they rise


class NaturalLogarithm(Real):
    """ln(q), q a rational number above 0."""

    def __init__(self, number: Fraction) -> None:
        self.number: Final = number

    def enclose(self, bits: int) -> Enclosure:
        """Round outwards."""
        from mpmath.libmp import from_rational, mpf_shift, mpi_log, to_int

        precision = bits + _GUARD_BITS
        parts = self.number.numerator, self.number.denominator, precision
        low, high = mpi_log((from_rational(*parts, "f"), from_rational(*parts, "c")), precision)
        return to_int(mpf_shift(low, bits), "f"), to_int(mpf_shift(high, bits), "c")

    def expression(self) -> sympy.Expr:
        """Return the logarithm."""
        import sympy

        return sympy.log(sympy.Rational(self.number.numerator, self.number.denominator))


Constant = SquaresFrom | NaturalLogarithm


class Multiple(Real):
    """A rational number, and a multiple of a constant."""

    def __init__(self, rational: Fraction, factor: Fraction, constant: Constant) -> None:
        self.rational: Final = rational
        self.factor: Final = factor
        self.constant: Final = constant

    def enclose(self, bits: int) -> Enclosure:
        """Add outwards."""
        ends = [self.factor.numerator * end for end in self.constant.enclose(bits)]
        low, high = enclosed(self.rational, bits)
        return low + min(ends) // self.factor.denominator, high - (-max(ends) // self.factor.denominator)

    def expression(self) -> sympy.Expr:
        """Return the sum."""
        import sympy

        rational, factor = (sympy.Rational(each.numerator, each.denominator) for each in (self.rational, self.factor))
        return rational + factor * self.constant.expression()


def with_constant(rational: Fraction, factor: Fraction, constant: Constant) -> Fraction | Multiple:
    """Return a rational number and a multiple of a constant, added; the rational number where the multiple is 0."""
    return Multiple(rational, factor, constant) if factor else rational


def ratio(numerator: Fraction | Multiple, denominator: Fraction | Multiple) -> Number:
    """Return one number over another one that is above 0; a fraction where they are in proportion."""
    if (
        isinstance(numerator, Multiple)
        and isinstance(denominator, Multiple)
        and numerator.constant == denominator.constant
        and numerator.rational * denominator.factor == denominator.rational * numerator.factor
    ):
        return numerator.factor / denominator.factor
    return quotient(numerator, denominator)
