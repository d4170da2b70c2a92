"""Exact real numbers, as what they are made of: they can be enclosed as closely as one likes, and written down.

A cumulated gain is a sum of c/log2(i), nDCG a quotient of two such sums, a mean a weighted sum of those. No float is in
them: `enclose(bits)` gives two integers between which the number times 2^bits lies, from outward rounded logarithms.
Numbers that are rational never take this form: the functions here return a `Fraction` for them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import count
from math import exp2, isqrt, lcm, log2, prod
from typing import TYPE_CHECKING, Final

BLOCK = 48  # Terms over one common denominator. 32 to 64 measured best for the terms i/r of average precision.


def sum_of_fractions(terms: Iterable[Fraction]) -> Fraction:
    """Return the exact sum of the terms (0 for none)."""
    # Adding m fractions one by one costs a gcd of ever longer numbers each time. Blocks are brought over one common
    # denominator with integers alone, and added pairwise in a tree, so that long numbers meet few times.
    pairs = [(term.numerator, term.denominator) for term in terms if term]
    sums = [_over_common_denominator(pairs[start : start + BLOCK]) for start in range(0, len(pairs), BLOCK)]
    while len(sums) > 1:
        sums = [_over_common_denominator(sums[start : start + 2]) for start in range(0, len(sums), 2)]
    return Fraction(*sums[0]) if sums else Fraction(0)


def _over_common_denominator(pairs: list[tuple[int, int]]) -> tuple[int, int]:
    """Add numerator/denominator pairs over the least common multiple of their denominators (not reduced)."""
    # Of lists: a generator takes a call a number.
    common = math.lcm(*[denominator for _, denominator in pairs])
    return sum([numerator * (common // denominator) for numerator, denominator in pairs]), common


if TYPE_CHECKING:
    import sympy

Enclosure = tuple[int, int]  # Two integers: a number times 2^bits lies between them, ends included


class Real(ABC):
    """An exact real number that is not known to be rational."""

    @abstractmethod
    def enclose(self, bits: int) -> Enclosure:
        """Return integers below and above this number times 2^bits. They are close, how close is not promised."""

    @abstractmethod
    def expression(self) -> sympy.Expr:
        """Return the number as an exact sympy expression."""

    def __eq__(self, other: object) -> bool:
        """Tell whether another one is made of the same: equal numbers may be made otherwise."""
        return self is other or (type(other) is type(self) and vars(other) == vars(self))

    def __hash__(self) -> int:
        """Return the same number for those that are made of the same."""
        return hash((type(self), *vars(self).values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, vars(self).values()))})"


Number = Fraction | Real


class LogSum(Real):
    """A sum of c/log2(b) over distinct b that are no powers, the b of 2 being the rational part."""

    def __init__(self, terms: tuple[tuple[int, Fraction], ...]) -> None:
        self.terms: Final = terms

    def enclose(self, bits: int) -> Enclosure:
        """Add the terms over one common denominator."""
        common = lcm(*(coefficient.denominator for _, coefficient in self.terms))
        low = high = 0
        for base, coefficient in self.terms:
            factor = coefficient.numerator * (common // coefficient.denominator)
            below, above = reciprocal_log2(base, bits)
            low += factor * (below if factor > 0 else above)
            high += factor * (above if factor > 0 else below)
        return low // common, -(-high // common)

    def expression(self) -> sympy.Expr:
        """Return the sum of c*log(2)/log(b)."""
        import sympy

        return sympy.Add(*(_rational(coefficient) * sympy.log(2) / sympy.log(base) for base, coefficient in self.terms))


class Quotient(Real):
    """One number over another one, both above 0."""

    def __init__(self, numerator: Real, denominator: Real) -> None:
        self.numerator: Final = numerator
        self.denominator: Final = denominator

    def enclose(self, bits: int) -> Enclosure:
        """Divide outwards."""
        finer = bits
        while (least := self.denominator.enclose(finer)[0]) <= 0:  # too coarse to tell the denominator from 0
            finer *= 2
        (low, high), most = self.numerator.enclose(finer), self.denominator.enclose(finer)[1]
        return (low << bits) // most, -((-high << bits) // least)

    def expression(self) -> sympy.Expr:
        """Return the quotient."""
        return self.numerator.expression() / self.denominator.expression()


class WeightedSum(Real):
    """A rational number and weighted real ones, added: a mean over queries, an expectation over orders."""

    def __init__(self, rational: Fraction, parts: tuple[tuple[Fraction, Real], ...]) -> None:
        self.rational: Final = rational
        self.parts: Final = parts

    def enclose(self, bits: int) -> Enclosure:
        """Add outwards."""
        low, high = enclosed(self.rational, bits)
        for weight, part in self.parts:
            ends = [weight.numerator * end for end in part.enclose(bits)]
            low += min(ends) // weight.denominator
            high += -(-max(ends) // weight.denominator)
        return low, high

    def expression(self) -> sympy.Expr:
        """Return the sum."""
        import sympy

        return sympy.Add(
            _rational(self.rational), *(_rational(weight) * part.expression() for weight, part in self.parts)
        )


def enclosed(number: Number, bits: int) -> Enclosure:
    """Return whole numbers between which a number times 2^bits lies."""
    if not isinstance(number, Fraction):
        return number.enclose(bits)
    above = number.numerator << bits
    return above // number.denominator, -(-above // number.denominator)


def log_sum(terms: Iterable[tuple[Fraction | int, int]]) -> Number:
    """Return the sum of c/log2(i) over pairs (c, i) with i >= 2."""
    # Each i is a power b^e of a b that is none; c/log2(b^e) = (c/e)/log2(b) makes equal sums look equal.
    coefficients: defaultdict[int, Fraction] = defaultdict(Fraction)
    for coefficient, argument in terms:
        base, exponent = primitive_root(argument)
        coefficients[base] += Fraction(coefficient) / exponent
    kept = tuple(sorted((base, coefficient) for base, coefficient in coefficients.items() if coefficient))
    if all(base == 2 for base, _ in kept):  # noqa: PLR2004 - 1/log2(2) = 1
        return sum((coefficient for _, coefficient in kept), Fraction(0))
    return LogSum(kept)


def quotient(numerator: Number, denominator: Number) -> Number:
    """Return a number over another one that is above 0. Sums in proportion have a rational quotient."""
    if isinstance(denominator, Fraction):
        return scaled(numerator, 1 / denominator)
    if numerator == 0:
        return Fraction(0)
    above = LogSum(((2, numerator),)) if isinstance(numerator, Fraction) else numerator
    most, least = _terms(above), _terms(denominator)
    if len(most) == len(least):
        ratio = most[0][1] / least[0][1]
        pairs = zip(most, least, strict=True)
        if ratio and all(part == other and weight == ratio * its for (part, weight), (other, its) in pairs):
            return ratio
    return Quotient(above, denominator)


def _terms(number: Real) -> tuple[tuple[object, Fraction], ...]:
    """Return what a sum adds up, with its weights; another number by itself."""
    if isinstance(number, WeightedSum):
        return (*((part, weight) for weight, part in number.parts), (None, number.rational))
    return number.terms if isinstance(number, LogSum) else ((number, Fraction(1)),)


def scaled(number: Number, factor: Fraction) -> Number:
    """Return a multiple of a number."""
    return weighted_sum([(factor, number)])


def weighted_sum(parts: Iterable[tuple[Fraction, Number]]) -> Number:
    """Return the sum of numbers with weights. Sums of reciprocal logarithms are added term by term."""
    rational = Fraction(0)
    logs: list[tuple[Fraction, int]] = []
    weights: defaultdict[Real, Fraction] = defaultdict(Fraction)
    for weight, number in parts:
        if isinstance(number, Fraction):
            rational += weight * number
        elif isinstance(number, LogSum):
            logs += [(weight * coefficient, base) for base, coefficient in number.terms]
        elif isinstance(number, WeightedSum):
            rational += weight * number.rational
            for own, part in number.parts:
                weights[part] += weight * own
        else:
            weights[number] += weight
    if logs:
        total = log_sum([*logs, (rational, 2)])
        if not any(weights.values()):
            return total
        rational = Fraction(0)
        if isinstance(total, Fraction):
            rational = total
        else:
            weights[total] += 1
    kept = tuple((weight, part) for part, weight in weights.items() if weight)
    return WeightedSum(rational, kept) if kept else rational


def as_sympy(number: Number) -> sympy.Expr:
    """Return a number as an exact sympy expression."""
    return number.expression() if isinstance(number, Real) else _rational(number)


@cache
def _rational(number: Fraction) -> sympy.Expr:
    import sympy  # it takes a second to load, and few answers need it

    rational: sympy.Expr = sympy.Rational.from_coprime_ints(number.numerator, number.denominator)
    return rational


# ---- Constants of which rational multiples are what endless sums come to
#
# The weights of the ranks after a list, if readers never stop, add up to values of the Hurwitz zeta function (INST,
# INSQ) or to a logarithm (rank-biased overlap). Both are enclosed by bounds that are proved, never by an estimate.

_CONSTANT_GUARD_BITS = 32


class SquaresFrom(Real):
    """1/a^2 + 1/(a+1)^2 + 1/(a+2)^2 + ... without end, a above 0: the Hurwitz zeta function at 2."""

    def __init__(self, start: Fraction) -> None:
        self.start: Final = start

    def enclose(self, bits: int) -> Enclosure:
        """Add the first terms, and the rest by Euler and Maclaurin's formula."""
        low, high = _squares_from(self.start, bits + _CONSTANT_GUARD_BITS)
        return low >> _CONSTANT_GUARD_BITS, -(-high >> _CONSTANT_GUARD_BITS)

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

        precision = bits + _CONSTANT_GUARD_BITS
        parts = self.number.numerator, self.number.denominator, precision
        low, high = mpi_log((from_rational(*parts, "f"), from_rational(*parts, "c")), precision)
        return to_int(mpf_shift(low, bits), "f"), to_int(mpf_shift(high, bits), "c")

    def expression(self) -> sympy.Expr:
        """Return the logarithm."""
        import sympy

        return sympy.log(as_sympy(self.number))


# ---- Geometric means: the n-th root of a product, exactly where all factors are rational

_ROOT_GUARD_BITS = 64
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

        precision = bits + _ROOT_GUARD_BITS + len(self.factors).bit_length()
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


# ---- 1/log2(i), enclosed: the only transcendental numbers in a cumulated gain
#
# All of it is whole numbers: a logarithm times 2^precision, between two of them. To load mpmath takes as long as to
# read two hundred thousand lines of a run; the tests hold the ends against it.

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
