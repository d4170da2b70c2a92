"""Fisher's paired randomization test: the p-value as a rational number, counted over all sign vectors."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, takewhile

from rankspec.oracle.clauses import clause
from rankspec.oracle.reals.real import Number
from rankspec.oracle.scoring.significance.integers import Integers, as_integers
from rankspec.oracle.scoring.significance.results import EXACT, MONTE_CARLO, PValue, Sampling, Side

PERMUTATIONS = 100_000  # How many sign vectors are drawn where not all can be counted

_MOST_SUMS = 2**19
"""The most different subset sums that are counted: enough for any 20 differences, because at most half of the 2**20
subsets have a sum within the limit. So many take half a second and about 130 MiB."""


_NO_LATTICE = 2**40
"""Multiples of a fraction have equal sums where this is far more than the limit; sums of other differences are hardly
ever equal."""


@clause("significance.randomization", "significance.monte-carlo")
def randomization_test(
    differences: Sequence[Number], *, side: Side = Side.BOTH, permutations: int | None = None, seed: int = 0
) -> PValue:
    """Test whether the signs of paired differences, one a query, are coin tosses; those that are 0 say nothing."""
    # The p-value is the share of all 2**n sign vectors under which the sum is at least as extreme as it is. It is
    # counted exactly for 20 differences whatever they are, and for hundreds where they are multiples of one not too
    # small fraction, such as those of P@10. Otherwise, or if a number of permutations is given, sign vectors are drawn:
    # the same ones for the same seed, number and differences, on every machine.
    integers = as_integers(differences)
    if permutations is None and (counted := exact_p(integers, side)) is not None:
        return PValue(EXACT, counted)
    from rankspec.oracle.scoring.significance import sampling

    drawn = permutations or PERMUTATIONS
    extreme = sampling.extreme(integers, side, drawn, seed)
    interval = sampling.interval(extreme, drawn)
    # What was observed is one of the sign vectors itself (Phipson and Smyth 2010).
    estimate = Fraction(extreme + 1, drawn + 1)
    return PValue(MONTE_CARLO, estimate, Sampling(drawn, seed, extreme, interval, sampling.CONFIDENCE))


def exact_p(integers: Integers, side: Side) -> Fraction | None:
    """Return the share of sign vectors that are as extreme; None if there are too many different sums."""
    # With P the sum of the positive differences and N that of the negative ones' sizes, a sign vector that flips the
    # differences of a set F has the sum P + N - 2 |F|, where |F| adds sizes. It is at least the observed P - N where
    # |F| is at most N, and at most that where the size of the others is at most P. So subsets are counted.
    values = [value for value in integers.values if abs(value) > integers.error]
    weights = [abs(value) for value in values]
    positive = sum(value for value in values if value > 0)
    negative = sum(-value for value in values if value < 0)
    if side is Side.BOTH and abs(positive - negative) <= integers.slack:
        return Fraction(1)
    limit = {Side.BOTH: min(positive, negative), Side.GREATER: negative, Side.LESS: positive}[side] + integers.slack
    counted = _count_at_most(weights, limit)
    if counted is None:
        return None
    return Fraction(counted * (2 if side is Side.BOTH else 1), 2 ** len(weights))


def _count_at_most(weights: list[int], limit: int) -> int | None:
    """Count subsets with a sum of at most the limit; None if they have too many different sums."""
    total = sum(weights)
    if 2 * limit > total:
        # What a subset leaves out is the smaller part; a limit below 0 leaves nothing to count.
        others = _count_at_most(weights, total - limit - 1)
        return None if others is None else int(2 ** len(weights)) - others
    if limit >= _NO_LATTICE and _has_too_many_small(weights, limit):
        return None
    ways = {0: 1} if limit >= 0 else {}
    for weight in weights:
        for subset_sum, number in list(ways.items()):
            if (longer := subset_sum + weight) <= limit:
                ways[longer] = ways.get(longer, 0) + number
        if len(ways) > _MOST_SUMS:
            return None
    return sum(ways.values())


def _has_too_many_small(weights: list[int], limit: int) -> bool:
    """Tell without counting whether so many of the smallest add up to the limit that their subsets alone are too many.

    To find that out by counting takes half a second a pair of runs, and nearly every comparison of 50 queries is so.
    """
    added = accumulate(sorted({*weights}))
    return 1 << sum(1 for _ in takewhile(lambda total: total <= limit, added)) > _MOST_SUMS
