"""Exact differences as whole numbers of one unit, so that sums of them are compared by integers alone.

Rational differences are brought over their common denominator, which is exact. Irrational ones (nDCG) become multiples
of 2**-1024, each with a bound of how far off it is: sums that differ by more than the bounds allow are told apart with
certainty, and sums that agree as far as that, which is to 300 digits, are taken to be equal. No proof is known that
such sums are equal, and no pair of them is known that is not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rankspec.oracle.reals.real import Number, enclosed

BITS = 1024  # The precision of irrational differences

_GUARD_BITS = 64


@dataclass(frozen=True)
class Integers:
    """Differences in whole units."""

    values: tuple[int, ...]  # a whole number for each difference
    unit: Fraction  # what 1 stands for
    error: int = 0  # how far off each may be, in units; 0 where all are rational

    @property
    def slack(self) -> int:
        """How far apart two sums of signed differences may be, in units, and still be equal."""
        return 2 * self.error * len(self.values)

    @property
    def signs(self) -> tuple[int, ...]:
        """1, 0 or -1 for each difference."""
        return tuple(0 if abs(value) <= self.error else 1 if value > 0 else -1 for value in self.values)


def as_integers(differences: Sequence[Number]) -> Integers:
    """Return differences as whole numbers of one unit."""
    fractions = [difference for difference in differences if isinstance(difference, Fraction)]
    if len(fractions) == len(differences):
        denominator = math.lcm(*(fraction.denominator for fraction in fractions))
        whole = [fraction.numerator * (denominator // fraction.denominator) for fraction in fractions]
        common = math.gcd(*whole) or 1
        return Integers(tuple(each // common for each in whole), Fraction(common, denominator))
    ends = [enclosed(difference, BITS + _GUARD_BITS) for difference in differences]
    widest = max(high - low for low, high in ends)
    values = tuple((low + high) // 2 >> _GUARD_BITS for low, high in ends)
    return Integers(values, Fraction(1, 2**BITS), error=(widest >> _GUARD_BITS) + 2)
