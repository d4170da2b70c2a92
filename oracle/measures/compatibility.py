"""Compatibility: rank-biased overlap of a list with the ideal ranking that is nearest to it (Clarke et al. 2020, 2021).

The overlap at rank i is the number of documents that are among the first i of both. A document adds to it from the rank
on where it has come up in both, so that the sum over ranks is one over documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from types import MappingProxyType
from typing import assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import CompatDepth, CompatNormalization
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.limits import TIE_STATES
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.rankings.cutting import Blocks, cut, listed
from rankspec.oracle.rankings.ranking import Ranking, is_judged, length
from rankspec.oracle.reals.constants import Multiple, NaturalLogarithm, ratio, with_constant
from rankspec.oracle.reals.real import Number
from rankspec.oracle.sums import sum_of_fractions
from rankspec.oracle.values import Exact

DEPTHS: Mapping[CompatDepth, Callable[[int, int], int | None]] = clause("compat.depth.*")(
    MappingProxyType(
        {
            CompatDepth.LONGEST: max,
            CompatDepth.THOUSAND: lambda _, __: 1000,
            CompatDepth.UNLIMITED: lambda _, __: None,
        }
    )
)
"""Depth -> (documents listed, documents of the ideal ranking) -> the last rank; None if there is none."""


@clause("compat.ideal")
def places(blocks: Blocks, ideal: Counter[int]) -> Iterator[tuple[Fraction, int, int]]:
    """Yield the ranks that relevant documents of a list can have, with their probability and their ideal place.

    The ideal ranking has higher grades first, and documents of one grade as the list has them; those that the list
    lacks come after the others of their grade. Of a block in random order, the j-th document of a grade stands at each
    rank with a probability (negative hypergeometric). A copy that is one too many of its grade has no ideal place.
    """
    above, seen = 0, Counter[int]()
    for block in blocks:
        counts = Counter(label for label in block if is_judged(label) and label > 0)
        for grade, number in counts.items():
            TIE_STATES.require(number * (len(block) - number), "places of relevant documents")
            better = sum(judged for other, judged in ideal.items() if other > grade)
            for j in range(1, min(number, ideal[grade] - seen[grade]) + 1):
                for rank in range(j, len(block) - number + j + 1):
                    ways = comb(rank - 1, j - 1) * comb(len(block) - rank, number - j)
                    chance = Fraction(ways, comb(len(block), number))
                    yield chance, above + rank, better + seen[grade] + j
        seen += counts
        above += len(block)


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

    def total(self, documents: Sequence[tuple[Fraction, int]]) -> Fraction | Multiple:
        """Return what documents add, each from its rank on, times its probability."""
        parts = [(share, self.from_rank(rank)) for share, rank in documents]
        rational = sum_of_fractions(share * part for share, (part, _) in parts)
        factor = sum((share * part for share, (_, part) in parts), Fraction(0))
        return with_constant(rational, factor, NaturalLogarithm(1 - self.persistence))

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
        (part, _value(listed(deep, convention.unjudged), ideal, convention))
        for part, deep in cut(ranking.blocks, convention.depth, convention.ties)
    )


@clause("compat.normalization.*")
def _value(blocks: Blocks, ideal: Counter[int], convention: EffectiveConvention) -> Exact:
    if not any(is_judged(label) and label > 0 for block in blocks for label in block):
        return RULES[convention.no_hits]
    relevant = ideal.total()
    weights = Weights(convention.compat_persistence, DEPTHS[convention.compat_depth](length(blocks), relevant))
    found = weights.total([(chance, max(rank, place)) for chance, rank, place in places(blocks, ideal)])
    return _normalized(found, weights, relevant, convention.compat_normalization)


def _normalized(found: Fraction | Multiple, weights: Weights, relevant: int, rule: CompatNormalization) -> Number:
    match rule:
        case CompatNormalization.NONE:
            return ratio(found, weights.of_one())
        case CompatNormalization.IDEAL:
            return ratio(found, weights.total([(Fraction(1), rank) for rank in range(1, relevant + 1)]))
        case _:
            assert_never(rule)
