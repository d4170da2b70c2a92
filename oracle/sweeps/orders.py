"""Expected areas over the orders of large blocks, fast: what they share is one table of expected highest precisions.

The oracle follows every state that the orders of a block can be in, which takes seconds where a hundred documents are
tied. The envelope, the fixed levels and the linear estimator all ask the same thing: the highest precision from a point
on, on average over the orders behind it. Here these are counted once, in whole numbers, for all of them. The values are
the oracle's; the tests prove it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from operator import add, mul

from rankspec.oracle.measures.areas.estimators import between
from rankspec.oracle.rankings.ranking import Blocks
from rankspec.oracle.reals.real import sum_of_fractions

Cell = tuple[int, int]  # A point that some order passes: documents and hits so far

Counts = list[int]
"""Orders, counted in whole numbers of any length: by the highest precision from a cell on, each value and below."""

MOST_COUNTS = 30_000_000
"""Beyond so many counts (cells times different precisions) a table takes too long: some 300 documents tied."""


@dataclass
class Orders:
    """A list with blocks of undecided order, and the expected highest precision from each point on."""

    blocks: Blocks
    _highest: dict[Cell, Fraction] = field(default_factory=dict)
    _before_hit: dict[Cell, Fraction] = field(default_factory=dict)
    _counted: bool = False

    def __post_init__(self) -> None:
        """Lay out the cells: for each number of documents, the hits that some order has by then."""
        self.reachable: list[range] = [range(1)]
        self.after: list[tuple[int, int, int, int]] = []
        hits = 0
        for block in self.blocks:
            size, relevant = len(block), block.count(1)
            for position in range(1, size + 1):
                fewest = max(0, relevant - (size - position))
                self.reachable.append(range(hits + fewest, hits + min(position, relevant) + 1))
                self.after.append((hits, relevant, size, position))
            hits += relevant
        self.length = len(self.after)

    @property
    def is_feasible(self) -> bool:
        """Whether the orders can be counted in reasonable time."""
        return sum(map(len, self.reachable)) ** 2 <= MOST_COUNTS

    def hit_probability(self, rank: int, hits: int) -> Fraction:
        """Return the probability that the document at a rank is relevant and makes so many hits."""
        # The hits of a block down to a position stand at any of these positions alike.
        before, _, _, position = self.after[rank - 1]
        return self.probability(rank, hits) * Fraction(hits - before, position)

    def probability(self, rank: int, hits: int) -> Fraction:
        """Return the probability of so many hits by a rank."""
        if rank == 0:
            return Fraction(hits == 0)
        before, relevant, size, position = self.after[rank - 1]
        taken = hits - before
        if not 0 <= taken <= relevant:
            return Fraction(0)
        orders = math.comb(position, taken) * math.comb(size - position, relevant - taken)
        return Fraction(orders, math.comb(size, relevant))

    @cached_property
    def hit_cells(self) -> list[tuple[int, int, Fraction]]:
        """Rank, hits and probability wherever a relevant document can stand."""
        return [
            (rank, hits, probability)
            for rank in range(1, self.length + 1)
            for hits in self.reachable[rank]
            if (probability := self.hit_probability(rank, hits))
        ]

    @cached_property
    def highest_at_hits(self) -> dict[int, Fraction]:
        """Hits -> the expected highest precision from the document on that makes so many."""
        self._fill()
        terms: dict[int, list[Fraction]] = defaultdict(list)
        for rank, hits, weight in self.hit_cells:
            terms[hits].append(weight * self._highest[rank, hits])
        return {hits: sum_of_fractions(each) for hits, each in terms.items()}

    @cached_property
    def highest_before_hits(self) -> dict[int, Fraction]:
        """Hits -> the expected highest precision from the document on before the one that makes so many."""
        self._fill()
        terms: dict[int, list[Fraction]] = defaultdict(list)
        for rank, hits, weight in self.hit_cells:
            if rank > 1:
                terms[hits].append(weight * self._before_hit[rank - 1, hits - 1])
        return {hits: sum_of_fractions(each) for hits, each in terms.items()}

    @cached_property
    def highest_of_all(self) -> Fraction:
        """The expected highest precision anywhere."""
        self._fill()
        return sum((self.probability(1, hits) * self._highest[1, hits] for hits in self.reachable[1]), Fraction(0))

    @cached_property
    def first(self) -> Fraction:
        """The probability of a relevant document at rank 1, times the expected highest precision from there on."""
        self._fill()
        return self.probability(1, 1) * self._highest[1, 1] if (1, 1) in self._highest else Fraction(0)

    def _fill(self) -> None:
        """Count the orders behind each cell by their highest precision, from the last rank to the first."""
        if self._counted or not self.length:
            return
        self._counted = True
        values = sorted({Fraction(hits, rank) for rank in range(1, self.length + 1) for hits in self.reachable[rank]})
        index = {value: place for place, value in enumerate(values)}
        common = math.lcm(*(value.denominator for value in values))
        # Summed by parts: a count of orders that stay below a value is subtracted from it once.
        scaled = [int(value * common) for value in values]
        steps = [*(low - high for low, high in pairwise(scaled)), 0]

        def expected(counts: Counts, start: int) -> Fraction:
            orders = counts[-1]
            below = sum(map(mul, steps[start:], counts[start:]))
            return Fraction(scaled[-1] * orders + below, orders * common)

        later: dict[int, Counts] = {}
        for rank in range(self.length, 0, -1):
            here: dict[int, Counts] = {}
            for hits in self.reachable[rank]:
                start = index[Fraction(hits, rank)]
                following = [] if rank == self.length else [later[each] for each in (hits, hits + 1) if each in later]
                behind = _sum(following) if following else [1] * len(values)
                counts = [0] * start + behind[start:]
                here[hits] = counts
                self._highest[rank, hits] = expected(counts, start)
                if rank < self.length and hits + 1 in later:
                    before_hit = [0] * start + later[hits + 1][start:]
                    self._before_hit[rank, hits] = expected(before_hit, start)
            later = here


def _sum(counts: Sequence[Counts]) -> Counts:
    total = counts[0]
    for more in counts[1:]:
        total = list(map(add, total, more))
    return total


def expected_envelope(orders: Orders) -> Fraction:
    """Return the expected sum of the highest precisions at hits: the area by the envelope, times D."""
    return sum_of_fractions(orders.highest_at_hits.values())


def expected_at_levels(orders: Orders, needed: Sequence[int]) -> Fraction:
    """Return the expected mean of the highest precisions with so many hits."""
    best = {0: orders.highest_of_all, **orders.highest_at_hits}
    return sum_of_fractions(best[count] for count in needed if count in best) / len(needed)


def expected_linear(orders: Orders, denominator: int) -> Fraction:
    """Return the expected area under the envelope joined linearly. Clause ap.interpolation.linear-101."""
    # Parts between two recalls are linear in both heights, so that expected heights give the expected part.
    first = orders.probability(1, 1)
    parts = [between((0, first), (1, orders.first), denominator)]
    for hits, low in orders.highest_at_hits.items():
        if hits in orders.highest_before_hits:
            # What a first document adds goes from (0, 1), not from a point before it.
            below = low - orders.first if hits == 1 else low
            parts.append(between((hits - 1, orders.highest_before_hits[hits]), (hits, below), denominator))
    last = orders.reachable[-1][0]
    parts.append(between((last, Fraction(last, orders.length)), (max(denominator, last), 0), denominator))
    return sum_of_fractions(parts) / 100


def expected_sloped_line(orders: Orders) -> Fraction:
    """Return the expected sum over recall points: the area of document 000, times 2D - 1."""
    tops: dict[Cell, Fraction] = {}
    terms = []
    for rank, hits, weight in reversed(orders.hit_cells):
        here = orders.probability(rank, hits)
        # Whether the next document is a hit depends on the hits so far alone, not on whether this one is.
        goes_on = Fraction(0)
        if (rank + 1, hits + 1) in tops:
            goes_on = orders.hit_probability(rank + 1, hits + 1) / here
        top = (1 - goes_on) * Fraction(hits, rank)
        if goes_on:
            top += goes_on * tops[rank + 1, hits + 1]
        tops[rank, hits] = top
        terms.append(weight * top * (1 if hits == 1 else 2))
    return sum_of_fractions(terms)
