"""Counting subsets by their sums where there are few different sums: all counts at once, packed in one long integer.

The product of (1 + x**w) over the weights w has, as the coefficient of x**s, the number of subsets whose sum is s.
Written in a base that no coefficient reaches, the polynomial is one integer and a multiplication one shift and one
addition, which is as fast as memory.
"""

from __future__ import annotations

from collections.abc import Sequence


def work(weights: Sequence[int], limit: int) -> int:
    """Return about how many bytes are gone through."""
    return len(weights) * size(weights, limit)


def size(weights: Sequence[int], limit: int) -> int:
    """Return how many bytes the counts take."""
    return (limit + 1) * _width(weights) // 8


def count_at_most(weights: Sequence[int], limit: int) -> int:
    """Return how many subsets of positive weights have a sum of at most the limit."""
    width = _width(weights)
    kept = (1 << (limit + 1) * width) - 1
    counts, largest = 1, 0
    for weight in sorted(weights):
        counts += counts << weight * width
        largest += weight
        if largest > limit:
            counts &= kept
    # The digits add up to 2**n, which is less than the base less one, so casting it out leaves their sum.
    return counts % ((1 << width) - 1)


def _width(weights: Sequence[int]) -> int:
    """Return how many bits a count takes, so that 2**n and 1 more fit."""
    return len(weights) + 2
