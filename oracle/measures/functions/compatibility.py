"""Compatibility: rank-biased overlap of a list with the ideal ranking that is nearest to it (Clarke et al. 2020, 2021).

The overlap at rank i is the number of documents that are among the first i of both. A document adds to it from the rank
on where it has come up in both, so that the sum over ranks is one over documents, or over the blocks that they tie in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from types import MappingProxyType
from typing import NamedTuple, assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import CompatDepth, CompatNormalization
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.limits import TIE_STATES
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.rankings.ranking import Blocks, Ranking, after_removal, cut, is_judged, length
from rankspec.oracle.reals.real import NaturalLogarithm, Number, quotient, sum_of_fractions, weighted_sum
from rankspec.oracle.values import Exact

DEPTHS: Mapping[CompatDepth, Callable[[int, int], int | None]] = clause("compat.depth.*")(
    MappingProxyType(
        {CompatDepth.LONGEST: max, CompatDepth.THOUSAND: lambda _, __: 1000, CompatDepth.UNLIMITED: lambda _, __: None}
    )
)
"""Depth -> (documents listed, documents of the ideal ranking) -> the last rank; None if there is none."""


class Overlap(NamedTuple):
    """What some documents add to the overlap of a list with the ideal ranking, rank after rank, on average."""

    first: int  # the first of the ranks
    counts: Sequence[int]  # what they add there and at the next ones, times `orders`; they add nothing before
    orders: int  # what counts are divided by
    whole: int  # what they add at each rank behind these


@clause("compat.ideal", "ranking.ties.expected")
def overlaps(blocks: Blocks, ideal: Counter[int]) -> Iterator[Overlap]:
    """Yield what the relevant documents of each block and grade add to the overlap."""
    # The ideal ranking has higher grades first, and documents of one grade as the list has them; those that the list
    # lacks come after the others of their grade. A copy that is one too many of its grade has no ideal place.
    above, counted = 0, Counter[int]()
    for block in blocks:
        counts = Counter(label for label in block if is_judged(label) and label > 0)
        for grade, number in counts.items():
            missing = min(number, ideal[grade] - counted[grade])
            if missing > 0:
                better = sum(judged for other, judged in ideal.items() if other > grade)
                yield _Tied(len(block), number, missing).overlap(above, better + counted[grade])
        counted += counts
        above += len(block)


class _Tied(NamedTuple):
    """The documents of a grade in a block in random order.

    Of the first t documents of the block X are of the grade (hypergeometric), and c of their places in the ideal
    ranking have come: min(X, c) of them add to the overlap.
    """

    size: int  # n, the documents of the block
    number: int  # m, those of the grade
    placed: int  # of them, those with a place in the ideal ranking, at most m

    def overlap(self, above: int, better: int) -> Overlap:
        """Return what they add behind so many documents of the list, and of the ideal; `InputError` for too many."""
        first = max(above, better) + 1
        behind = max(above + self.size, better + self.placed)
        if better <= above and self.placed == self.number:  # places come before documents: all of X adds
            return Overlap(first, range(self.number, self.number * self.size, self.number), self.size, self.placed)
        TIE_STATES.require((behind - first) * self.number, "numbers of documents, rank by rank")
        counts = [
            self._count(min(rank - above, self.size), min(rank - better, self.placed)) for rank in range(first, behind)
        ]
        return Overlap(first, counts, comb(self.size, self.number), self.placed)

    def _count(self, documents: int, places: int) -> int:
        """Return what they add, in whole orders, where so many documents and places have come."""
        return sum(
            min(number, places) * comb(documents, number) * comb(self.size - documents, self.number - number)
            for number in range(1, min(documents, self.number) + 1)
        )


@dataclass(frozen=True)
class Weights:
    """The weights p^(i-1)/i of ranks, to the last one; without end they add up to -ln(1 - p)/p."""

    persistence: Fraction
    last: int | None

    @clause("compat.at", "compat.persistence")
    def from_rank(self, rank: int) -> tuple[Fraction, Fraction]:
        """Return the sum from a rank on, as a rational number and a multiple of ln(1 - p)."""
        p = self.persistence
        if self.last is not None:
            return _added(p, self.last) - _added(p, min(rank - 1, self.last)), Fraction(0)
        if p == 0:
            return Fraction(rank == 1), Fraction(0)
        return -_added(p, rank - 1), -1 / p

    def times(self, counts: Sequence[int], first: int) -> Fraction:
        """Return the sum of counts times the weights of the ranks from the first one on."""
        counts = counts if self.last is None else counts[: max(self.last + 1 - first, 0)]
        return sum_of_fractions(
            count * self.persistence ** (rank - 1) / rank for rank, count in enumerate(counts, start=first)
        )

    def total(self, overlaps_: Iterable[Overlap]) -> Number:
        """Return the sum of weights times overlaps."""
        rational, factor = [], Fraction(0)
        for first, counts, orders, whole in overlaps_:
            behind, multiple = self.from_rank(first + len(counts))
            rational += [self.times(counts, first) / orders, whole * behind]
            factor += whole * multiple
        endless = NaturalLogarithm(1 - self.persistence)
        return weighted_sum([(Fraction(1), sum_of_fractions(rational)), (factor, endless)])

    def of_one(self) -> Fraction:
        """Return what the weights would add up to if all overlaps were complete: 1 + p + p^2 + ..."""
        p = self.persistence
        return (1 - (0 if self.last is None else p**self.last)) / (1 - p)


@cache
def _added(p: Fraction, last: int) -> Fraction:
    """Return the sum of the first weights: what a rank before it has, and at most 32 more."""
    start = max(last - 1, 0) // 32 * 32
    before = _added(p, start) if start else Fraction(0)
    return before + sum_of_fractions(p ** (rank - 1) / rank for rank in range(start + 1, last + 1))


@clause("compat.at", "ranking.ties.expected")
def compatibility(ranking: Ranking, _: Measure, convention: EffectiveConvention) -> Exact:
    """Return the compatibility of one ranking, by the rules for what is undefined."""
    ideal = Counter(grade for grade in ranking.judged if grade > 0)
    if not ideal:
        return RULES[convention.no_relevant]
    return mean_over_lists(
        (part, _value(after_removal(deep, convention.unjudged), ideal, convention))
        for part, deep in cut(ranking.blocks, convention.depth, convention.ties)
    )


@clause("compat.normalization.*")
def _value(blocks: Blocks, ideal: Counter[int], convention: EffectiveConvention) -> Exact:
    if not any(is_judged(label) and label > 0 for block in blocks for label in block):
        return RULES[convention.no_hits]
    relevant = ideal.total()
    weights = Weights(convention.compat_persistence, DEPTHS[convention.compat_depth](length(blocks), relevant))
    found = weights.total(overlaps(blocks, ideal))
    match convention.compat_normalization:
        case CompatNormalization.NONE:
            return quotient(found, weights.of_one())
        case CompatNormalization.IDEAL:
            return quotient(found, weights.total([Overlap(1, range(1, relevant), 1, relevant)]))
        case _:
            assert_never(convention.compat_normalization)
