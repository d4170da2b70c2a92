"""Fisher's paired randomization test: the p-value as a rational number, counted over all sign vectors, or drawn.

Sums are compared as whole numbers of one unit. Rational differences are brought over their common denominator, which is
exact. Irrational ones (nDCG) become multiples of 2**-1024, each with a bound of how far off it is: sums that differ by
more than the bounds allow are told apart with certainty, and sums that agree as far as that, which is to 300 digits,
are taken to be equal. No proof is known that such sums are equal, and no pair of them is known that is not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, compress, takewhile
from typing import TYPE_CHECKING, Any

from rankspec.oracle.clauses import clause
from rankspec.oracle.reals.real import Number, enclosed
from rankspec.oracle.scoring.significance.results import EXACT, MONTE_CARLO, PValue, Sampling, Side

if TYPE_CHECKING:
    import numpy.typing as npt

BITS = 1024  # The precision of irrational differences
_GUARD_BITS = 64  # Of ends that are finer than the unit, so that less than one lies between them


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
    drawn = permutations or PERMUTATIONS
    extreme = extreme_draws(integers, side, drawn, seed)
    # What was observed is one of the sign vectors itself (Phipson and Smyth 2010).
    estimate = Fraction(extreme + 1, drawn + 1)
    return PValue(MONTE_CARLO, estimate, Sampling(drawn, seed, extreme, interval(extreme, drawn), CONFIDENCE))


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


# ---- Sign vectors drawn at random, reproducibly, and the interval of a proportion that was estimated from them

CONFIDENCE = Fraction(99, 100)  # How surely the interval holds the exact p-value
_ROWS = 2**14  # Sign vectors at a time: a byte for each difference, 0.8 MB for 50 queries
_LEADING_BITS = 61  # Of the sums of sizes: they fit 64 bits, and decide nearly every sign vector
_WORD = 64
_OUTWARD = 1e-9  # More than an interval's ends, found in doubles, are off
_FAR, _FARTHER = 6, 50
"""Standard deviations, and successes beside them, within which the ends of an interval and all that matters lie."""


def extreme_draws(integers: Integers, side: Side, permutations: int, seed: int) -> int:
    """Draw sign vectors and count those under which the sum is at least as extreme as it is, each decided exactly."""
    import numpy as np  # few comparisons need it

    values = [value for value in integers.values if abs(value) > integers.error]
    sizes = [abs(value) for value in values]
    positive = sum(value for value in values if value > 0)
    negative = sum(sizes) - positive
    if side is Side.BOTH and abs(positive - negative) <= integers.slack:
        return permutations
    dropped = max(0, sum(sizes).bit_length() - _LEADING_BITS)
    leading = np.array([size >> dropped for size in sizes], np.int64)
    is_below_zero = np.array([value < 0 for value in values], np.uint8)

    def at_most(chosen: npt.NDArray[Any], limit: int) -> int:
        """Count the rows whose chosen sizes add up to at most the limit."""
        sums, room = chosen @ leading, limit >> dropped
        certain = sums <= room - (len(sizes) if dropped else 0)  # what each size drops is below one unit
        doubtful = chosen[(sums <= room) & ~certain].tolist()
        return int(np.count_nonzero(certain)) + sum(sum(compress(sizes, row)) <= limit for row in doubtful)

    smaller, counted = min(positive, negative), 0
    for turned in _drawn(len(sizes), permutations, seed):
        negated = turned ^ is_below_zero
        if side is not Side.LESS:
            counted += at_most(negated, (negative if side is Side.GREATER else smaller) + integers.slack)
        if side is not Side.GREATER:
            counted += at_most(1 - negated, (positive if side is Side.LESS else smaller) + integers.slack)
    return counted


def _drawn(width: int, permutations: int, seed: int) -> Iterator[npt.NDArray[Any]]:
    """Yield rows of coin tosses, as many in all as there are permutations."""
    # Each row takes 64-bit words for the differences that are not 0, lowest bit first; a bit that is set turns a sign.
    # The bits are PCG64's own output, a stream that numpy keeps; what a distribution makes of it may change.
    import numpy as np

    source = np.random.PCG64(seed)
    words = -(-width // _WORD)
    for start in range(0, permutations, _ROWS):
        rows = min(_ROWS, permutations - start)
        raw = source.random_raw(rows * words).astype("<u8").reshape(rows, words)
        yield np.unpackbits(raw.view(np.uint8), axis=1, count=width, bitorder="little")


def interval(successes: int, trials: int) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a proportion, rounded outward."""
    # Its lower end is the proportion under which so many successes or more have half the probability that is left to
    # error, its upper end that under which so many or fewer have it.
    low = 0.0 if successes == 0 else 1 - _upper_end(trials - successes, trials)
    high = 1.0 if successes == trials else _upper_end(successes, trials)
    return max(0.0, low * (1 - _OUTWARD)), min(1.0, high * (1 + _OUTWARD))


def _upper_end(successes: int, trials: int) -> float:
    """Return the proportion under which so many successes or fewer have half the probability left to error."""
    import numpy as np

    tail = float((1 - CONFIDENCE) / 2)
    low, high = successes / trials, min(1.0, (successes + _FAR * math.sqrt(successes + 1) + _FARTHER) / trials)
    widest = 2 * _FAR * math.sqrt(trials * high + 1) + _FARTHER
    counts = np.arange(max(0, int(successes - widest)), min(trials, int(trials * high + widest)) + 1)
    middle = (low + high) / 2
    while low < middle < high:
        low, high = (middle, high) if _at_most(successes, trials, middle, counts) > tail else (low, middle)
        middle = (low + high) / 2
    return high


def _at_most(successes: int, trials: int, proportion: float, counts: npt.NDArray[Any]) -> float:
    """Return the binomial probability of so many successes or fewer; of other counts than these there is next to none.

    Neighbouring probabilities have simple ratios, and the common factor that is left out cancels.
    """
    import numpy as np

    odds = proportion / (1 - proportion)
    fewer = counts[counts <= successes][:0:-1]
    more = counts[counts >= successes][:-1]
    below = 1 + float(np.cumprod(fewer / (trials - fewer + 1) / odds).sum())
    above = float(np.cumprod((trials - more) / (more + 1) * odds).sum())
    return below / (below + above)
