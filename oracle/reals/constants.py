"""Constants of which rational multiples are what endless sums come to.

The weights of the ranks after a list, if readers never stop, add up to values of the Hurwitz zeta function (INST, INSQ)
or to a logarithm (rank-biased overlap). Both are enclosed by bounds that are proved, never by an estimate.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Final

from rankspec.oracle.reals.real import Enclosure, Real, as_sympy

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

        return sympy.zeta(2, as_sympy(self.start))


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

        return sympy.log(as_sympy(self.number))
