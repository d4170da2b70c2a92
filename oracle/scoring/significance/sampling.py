"""Sign vectors drawn at random, reproducibly, and the interval of a proportion that was estimated from them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from rankspec.oracle.scoring.significance.integers import Integers
from rankspec.oracle.scoring.significance.results import Side

CONFIDENCE = Fraction(99, 100)  # How surely the interval holds the exact p-value

_ROWS = 2**14
_LEADING_BITS = 61
_WORD = 64
_OUTWARD = 1e-9
_FAR, _FARTHER = 6, 50
"""Standard deviations, and successes beside them, within which the ends of an interval and all that matters lie."""

Array = npt.NDArray[Any]


def extreme(integers: Integers, side: Side, permutations: int, seed: int) -> int:
    """Draw sign vectors and count those under which the sum is at least as extreme as it is, each decided exactly."""
    # Each draw takes 64-bit words for the differences that are not 0, lowest bit first; a bit that is set turns a sign.
    # The bits are PCG64's own output, a stream that numpy keeps; what a distribution makes of it may change.
    values = [value for value in integers.values if abs(value) > integers.error]
    sizes = [abs(value) for value in values]
    positive = sum(value for value in values if value > 0)
    total = sum(sizes)
    negative = total - positive
    if side is Side.BOTH and abs(positive - negative) <= integers.slack:
        return permutations
    sums = _Sums(sizes)
    smaller = min(positive, negative)
    counted = 0
    below_zero = np.packbits(np.array([value < 0 for value in values], bool), bitorder="little")
    for turned in _drawn(len(sizes), permutations, seed):
        sums.choose(turned ^ below_zero)
        if side is not Side.LESS:
            limit = negative if side is Side.GREATER else smaller
            counted += sums.at_most(limit + integers.slack)
        if side is not Side.GREATER:
            limit = positive if side is Side.LESS else smaller
            counted += sums.at_most(limit + integers.slack, others=True)
    return counted


class _Sums:
    """Sums of chosen sizes, by their leading bits where these decide.

    Rows of choices are packed, eight a byte, lowest bit first: what a byte chooses is looked up among 256 sums, which
    takes a tenth of multiplying bits.
    """

    def __init__(self, sizes: list[int]) -> None:
        self.dropped = max(0, sum(sizes).bit_length() - _LEADING_BITS)
        self.sizes = sizes
        leading = np.zeros(-(-len(sizes) // 8) * 8, np.int64)
        leading[: len(sizes)] = [size >> self.dropped for size in sizes]
        self.total = int(leading.sum())
        bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.int64)
        self.tables = leading.reshape(-1, 8) @ bits.T

    def choose(self, rows: Array) -> None:
        """Take packed rows; bits beyond the sizes choose nothing."""
        self.rows = rows
        self.sums = np.zeros(len(rows), np.int64)
        for table, chosen in zip(self.tables, np.ascontiguousarray(rows.T), strict=True):
            self.sums += table[chosen]

    def at_most(self, limit: int, *, others: bool = False) -> int:
        """Count the rows whose chosen sizes, or the others, add up to at most the limit."""
        sums = self.total - self.sums if others else self.sums
        room = limit >> self.dropped
        if not self.dropped:
            return int(np.count_nonzero(sums <= room))
        certain = sums <= room - len(self.sizes)
        doubtful = np.flatnonzero((sums <= room) & ~certain)
        bits = np.unpackbits(self.rows[doubtful], axis=1, count=len(self.sizes), bitorder="little")
        decided = sum(
            sum(size for size, taken in zip(self.sizes, row, strict=True) if taken != others) <= limit
            for row in bits.tolist()
        )
        return int(np.count_nonzero(certain)) + decided


def _drawn(width: int, permutations: int, seed: int) -> Iterator[Array]:
    """Yield rows of coin tosses, packed, as many in all as there are permutations."""
    source = np.random.PCG64(seed)
    words = -(-width // _WORD)
    for start in range(0, permutations, _ROWS):
        rows = min(_ROWS, permutations - start)
        raw = source.random_raw(rows * words).astype("<u8").reshape(rows, words)
        yield raw.view(np.uint8)[:, : -(-width // 8)]


def interval(successes: int, trials: int) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a proportion, rounded outward."""
    # Its lower end is the proportion under which so many successes or more have half the probability that is left to
    # error, its upper end that under which so many or fewer have it.
    low = 0.0 if successes == 0 else 1 - _upper_end(trials - successes, trials)
    high = 1.0 if successes == trials else _upper_end(successes, trials)
    return max(0.0, low * (1 - _OUTWARD)), min(1.0, high * (1 + _OUTWARD))


def _upper_end(successes: int, trials: int) -> float:
    """Return the proportion under which so many successes or fewer have half the probability left to error."""
    tail = float((1 - CONFIDENCE) / 2)
    low, high = successes / trials, min(1.0, (successes + _FAR * math.sqrt(successes + 1) + _FARTHER) / trials)
    widest = 2 * _FAR * math.sqrt(trials * high + 1) + _FARTHER
    counts = np.arange(max(0, int(successes - widest)), min(trials, int(trials * high + widest)) + 1)
    middle = (low + high) / 2
    while low < middle < high:
        low, high = (middle, high) if _at_most(successes, trials, middle, counts) > tail else (low, middle)
        middle = (low + high) / 2
    return high


def _at_most(successes: int, trials: int, proportion: float, counts: Array) -> float:
    """Return the binomial probability of so many successes or fewer; of other counts than these there is next to none.

    Neighbouring probabilities have simple ratios, and the common factor that is left out cancels.
    """
    odds = proportion / (1 - proportion)
    fewer = counts[counts <= successes][:0:-1]
    more = counts[counts >= successes][:-1]
    below = 1 + float(np.cumprod(fewer / (trials - fewer + 1) / odds).sum())
    above = float(np.cumprod((trials - more) / (more + 1) * odds).sum())
    return below / (below + above)
