"""Means of products of factors that are drawn without replacement, and weighted sums of these means.

Of m factors f, the sum of the products of all C(m, p) choices of p is a coefficient of P(x), the product of (1 + f x).
With D(x) that of (1 + f x) over the different ones, D P' = N P, N of a degree below that of D: a coefficient follows
from as many as there are different factors. Over a common denominator all are whole numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import lcm


def means_of_products(factors: Sequence[Fraction | int], most: int) -> list[Fraction]:
    """Return the mean products of 0, 1, 2, ... of the factors, at most so many."""
    sums, scale = _sums_of_products(factors, most)
    means, orders = [], 1
    for size, summed in enumerate(sums):
        means.append(Fraction(summed, orders * scale**size))
        orders = orders * (len(factors) - size) // (size + 1)
    return means


def sum_of_product_means(weights: Sequence[Fraction], factors: Sequence[Fraction | int]) -> Fraction:
    """Return the sum of weights[p] times the mean product of p of the m factors, for p = 0, 1, ..., m at most.

    All numbers C(m, p) divide L = lcm(1, ..., m + 1) / (m + 1) (Farhi 2009), so that the terms have a denominator with
    O(m) digits in common: as many additions of such numbers as there are weights, and one gcd.
    """
    sums, scale = _sums_of_products(factors, len(weights) - 1)
    common = lcm(*(weight.denominator for weight in weights))
    drawn_from = len(factors)
    multiple = lcm(*range(1, drawn_from + 2)) // (drawn_from + 1)
    share, total = multiple, 0
    for size, (weight, summed) in enumerate(zip(weights, sums, strict=True)):
        total = total * scale + weight.numerator * (common // weight.denominator) * share * summed
        share = share * (size + 1) // max(drawn_from - size, 1)
    return Fraction(total, common * multiple * scale ** (len(weights) - 1))


def _sums_of_products(factors: Sequence[Fraction | int], most: int) -> tuple[list[int], int]:
    """Return the sums of the products of 0, 1, 2, ... factors times a number, and that number: times its powers."""
    scale = lcm(*(factor.denominator for factor in factors))
    numbers = Counter(int(factor * scale) for factor in factors)
    below = [1]
    for factor in numbers:
        below = _times(below, factor)
    above = [0] * len(below)
    for factor, number in numbers.items():
        beside = [1]
        for other in numbers:
            beside = beside if other == factor else _times(beside, other)
        above = [one + number * factor * each for one, each in zip(above, [*beside, 0], strict=True)]
    sums = [1]
    for size in range(1, min(most, len(factors)) + 1):
        last = range(1, min(len(below), size + 1))
        added = sum(
            above[back - 1] * sums[size - back] - below[back] * (size - back) * sums[size - back] for back in last
        )
        sums.append(added // size)
    return sums, scale


def _times(polynomial: Sequence[int], factor: int) -> list[int]:
    """Multiply a polynomial by 1 + factor * x."""
    return [one + factor * other for one, other in zip([*polynomial, 0], [0, *polynomial], strict=True)]
