"""Exact real numbers, as what they are made of: they can be enclosed as closely as one likes, and written down.

A cumulated gain is a sum of c/log2(i), nDCG a quotient of two such sums, a mean a weighted sum of those. No float is in
them: `enclose(bits)` gives two integers between which the number times 2^bits lies, from outward rounded logarithms.
Numbers that are rational never take this form: the functions here return a `Fraction` for them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from math import lcm
from typing import TYPE_CHECKING, Final

from rankspec.oracle.reals.logarithms import primitive_root, reciprocal_log2

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
