"""Geometric means: the n-th root of a product, exactly where all factors are rational."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp2, log2, prod
from typing import TYPE_CHECKING, Final

from rankspec.oracle.reals.real import Enclosure, Number, Real, as_sympy

if TYPE_CHECKING:
    import sympy

_GUARD_BITS = 64
_ROOT_BITS = 40  # Of a root that its double, made of a double of its logarithm, has right
_FACTORED_BITS = 1024  # Longer numbers are not evaluated through for roots: that can take as long as factoring them


class Root(Real):
    """(product of positive factors)^(1/n) - taken_off, n the number of factors."""

    def __init__(self, factors: tuple[Number, ...], subtracted: Fraction = Fraction(0)) -> None:
        self.factors: Final = factors
        self.subtracted: Final = subtracted

    def enclose(self, bits: int) -> Enclosure:
        """Return exp of the mean of the logarithms, outwards."""
        from mpmath.libmp import from_int, mpf_shift, mpi_add, mpi_div, mpi_exp, mpi_log, to_int

        precision = bits + _GUARD_BITS + len(self.factors).bit_length()
        total = (from_int(0), from_int(0))
        for factor in self.factors:
            total = mpi_add(total, mpi_log(_interval(factor, precision), precision), precision)
        count = from_int(len(self.factors))
        low, high = mpi_exp(mpi_div(total, (count, count), precision), precision)
        off = self.subtracted.numerator << bits
        below, above = to_int(mpf_shift(low, bits), "f"), to_int(mpf_shift(high, bits), "c")
        return below + -off // self.subtracted.denominator, above - off // self.subtracted.denominator

    def expression(self) -> sympy.Expr:
        """Return the root as sympy has it; of a long product as it stands, since sympy would factor it for hours."""
        import sympy

        is_long = False
        if all(isinstance(factor, Fraction) for factor in self.factors):
            product = prod((each for each in self.factors if isinstance(each, Fraction)), start=Fraction(1))
            inner = as_sympy(product)
            is_long = max(product.numerator.bit_length(), product.denominator.bit_length()) > _FACTORED_BITS
        else:
            inner = sympy.Mul(*(as_sympy(factor) for factor in self.factors))
        root = sympy.Pow(inner, sympy.Rational(1, len(self.factors)), evaluate=not is_long)
        return root - as_sympy(self.subtracted)


def geometric_mean(factors: Sequence[Number], subtracted: Fraction = Fraction(0)) -> Number:
    """Return the geometric mean of positive numbers, less something; a `Fraction` where it is one."""
    rational = [factor for factor in factors if isinstance(factor, Fraction)]
    if len(rational) == len(factors):
        # One reduction at the end: one a factor would take a gcd of ever longer numbers each time.
        product = Fraction(prod(each.numerator for each in rational), prod(each.denominator for each in rational))
        above, below = _whole_root(product.numerator, len(factors)), _whole_root(product.denominator, len(factors))
        if above is not None and below is not None:
            return Fraction(above, below) - subtracted
    return Root(tuple(factors), subtracted)


def _whole_root(number: int, degree: int) -> int | None:
    """Return the root of a whole number if it is whole."""
    if degree == 1 or number <= 1:
        return number
    # Doubles give the first bits of the root; what they may be off is added, so that it is begun above. From there
    # Newton's steps fall to its whole part and no further, and each step nearly doubles the bits that are right.
    exponent = log2(number) / degree
    off = 2.0**-_ROOT_BITS + exponent * 2.0**-50
    root = (int(exp2(exponent % 1 + off) * (1 << _ROOT_BITS)) << int(exponent) >> _ROOT_BITS) + 1
    while (nearer := ((degree - 1) * root + number // root ** (degree - 1)) // degree) < root:
        root = nearer
    return root if root**degree == number else None


def _interval(factor: Number, precision: int) -> tuple[object, object]:
    from mpmath.libmp import from_int, from_rational, mpf_shift

    if isinstance(factor, Fraction):
        parts = factor.numerator, factor.denominator, precision
        return from_rational(*parts, "f"), from_rational(*parts, "c")
    bits = precision
    low, high = factor.enclose(bits)
    while low <= 0:  # too coarse to tell the factor from 0
        bits *= 2
        low, high = factor.enclose(bits)
    return (mpf_shift(from_int(low, precision, "f"), -bits), mpf_shift(from_int(high, precision, "c"), -bits))
