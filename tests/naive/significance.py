"""Significance by the book: every sign vector, every resample of a formula, over plain fractions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction


def randomization(differences: Sequence[Fraction], side: str = "two-sided") -> Fraction:
    """Return the share of all 2**n sign vectors whose sum is as extreme as the observed one."""
    observed = sum(differences)
    extreme = 0
    for signs in itertools.product((1, -1), repeat=len(differences)):
        total = sum(sign * difference for sign, difference in zip(signs, differences, strict=True))
        if side == "two-sided":
            extreme += bool(abs(total) >= abs(observed))
        elif side == "greater":
            extreme += bool(total >= observed)
        else:
            extreme += bool(total <= observed)
    return Fraction(extreme, 2 ** len(differences))


def drawn(differences: Sequence[Fraction], words: Sequence[int]) -> Fraction:
    """Estimate the p-value from words whose bit j, if set, turns the sign of difference j."""
    observed = abs(sum(differences))
    extreme = 0
    for word in words:
        total = sum(-each if word >> place & 1 else each for place, each in enumerate(differences))
        extreme += abs(total) >= observed
    return Fraction(extreme + 1, len(words) + 1)


def subsets_at_most(weights: Sequence[int], limit: int) -> int:
    """Count the subsets with a sum of at most the limit."""
    taken = itertools.product((0, 1), repeat=len(weights))
    return sum(sum(itertools.compress(weights, each)) <= limit for each in taken)


def t_squared(differences: Sequence[Fraction]) -> Fraction | None:
    """Return the square of mean / (s / sqrt(n)); nothing where s is 0 or can't be had."""
    n = len(differences)
    if n < 2:
        return None
    mean = sum(differences) / Fraction(n)
    variance = sum((difference - mean) ** 2 for difference in differences) / Fraction(n - 1)
    return mean**2 / (variance / n) if variance else None


def bonferroni(p_values: Sequence[Fraction]) -> list[Fraction]:
    """Multiply each by their number."""
    return [min(Fraction(1), p * len(p_values)) for p in p_values]


def holm(p_values: Sequence[Fraction]) -> list[Fraction]:
    """Return, for each, the smallest level at which Holm's steps reject it.

    At a level, the smallest p-value is held against level/m, the next against level/(m - 1) and so on, until one fails.
    """
    m = len(p_values)
    candidates = sorted({min(Fraction(1), p * factor) for p in p_values for factor in range(1, m + 1)})
    answer: list[Fraction] = []
    for place in range(m):
        for level in candidates:
            if place in _rejected(p_values, level):
                answer.append(level)
                break
        else:
            answer.append(Fraction(1))
    return answer


def _rejected(p_values: Sequence[Fraction], level: Fraction) -> set[int]:
    rejected = set()
    for step, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        if p_values[place] > level / (len(p_values) - step):
            break
        rejected.add(place)
    return rejected


def binomial_at_most(successes: int, trials: int, proportion: Fraction) -> Fraction:
    """Return the probability of so many successes or fewer."""
    return sum(
        (math.comb(trials, k) * proportion**k * (1 - proportion) ** (trials - k) for k in range(successes + 1)),
        Fraction(0),
    )
