"""Exact sums of many fractions, fast.

Adding m fractions one by one costs a gcd of ever longer numbers each time. Here blocks are brought over one common
denominator with integers alone, and the block sums are added pairwise in a tree, so that long numbers meet few times.
Speed is the only reason for this module: `sum_of_fractions(xs) == sum(xs)` is its whole contract, and is tested.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

BLOCK = 48  # Terms over one common denominator. 32 to 64 measured best for the terms i/r of average precision.


def sum_of_fractions(terms: Iterable[Fraction]) -> Fraction:
    """Return the exact sum of the terms (0 for none)."""
    pairs = [(term.numerator, term.denominator) for term in terms if term]
    sums = [_over_common_denominator(pairs[start : start + BLOCK]) for start in range(0, len(pairs), BLOCK)]
    while len(sums) > 1:
        sums = [_over_common_denominator(sums[start : start + 2]) for start in range(0, len(sums), 2)]
    return Fraction(*sums[0]) if sums else Fraction(0)


def _over_common_denominator(pairs: list[tuple[int, int]]) -> tuple[int, int]:
    """Add numerator/denominator pairs over the least common multiple of their denominators (not reduced)."""
    common = math.lcm(*(denominator for _, denominator in pairs))
    return sum(numerator * (common // denominator) for numerator, denominator in pairs), common
