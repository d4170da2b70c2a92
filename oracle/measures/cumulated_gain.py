"""Discounted cumulated gain, and what it is normalised by (Jarvelin and Kekalainen 2002; Burges et al. 2005)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Discount, Ideal
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.measures.worth import gain_of, mean_worth_does, relevant_of
from rankspec.oracle.rankings.cutting import Blocks, cut, listed
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.reals.real import Number, log_sum, quotient
from rankspec.oracle.values import Exact

Gains = Sequence[Sequence[Fraction | int]]
"""Gains in blocks of undecided order."""

DISCOUNT_ARGUMENT: Mapping[Discount, Callable[[int], int]] = clause("dcg.discount.*")(
    {
        Discount.LOG2_RANK_PLUS_ONE: lambda rank: rank + 1,
        Discount.LOG2_RANK: lambda rank: max(2, rank),
    }
)
"""Rank -> what the logarithm is taken of."""


@clause("dcg.at", "ranking.ties.expected")
def cumulated_gain(gains: Gains, limit: int | None, discount: Discount) -> Number:
    """Return the sum of gain/discount(rank) over the first `limit` ranks; every rank of a block has its mean gain.

    So it is the mean over the orders of each block, since a sum's mean is the sum of means.
    """
    argument = DISCOUNT_ARGUMENT[discount]
    return log_sum((mean, argument(rank)) for rank, mean in _mean_gains(gains) if limit is None or rank <= limit)


def _mean_gains(gains: Gains) -> Iterator[tuple[int, Fraction]]:
    rank = 0
    for block in gains:
        total = Fraction(sum(block))
        if total:
            yield from ((rank + place, total / len(block)) for place in range(1, len(block) + 1))
        rank += len(block)


@dataclass(frozen=True)
class Listed:
    """One list of gains: what is looked at, the whole list it was cut from, and all judged gains."""

    looked_at: Gains
    whole: Gains
    judged: Sequence[Fraction | int]
    k: int | None

    @property
    def length(self) -> int:
        """Return the number of documents looked at, a block that the cutoff falls into up to the cutoff."""
        documents = sum(len(block) for block in self.looked_at)
        return documents if self.k is None else min(documents, self.k)


IDEAL: Mapping[Ideal, Callable[[Listed], tuple[Sequence[Fraction | int], int | None]]] = clause("ndcg.ideal.*")(
    {
        Ideal.JUDGED: lambda given: (given.judged, given.k),
        Ideal.JUDGED_UNCUT: lambda given: (given.judged, None),
        Ideal.JUDGED_TO_LENGTH: lambda given: (given.judged, given.length),
        Ideal.RETRIEVED: lambda given: (list(chain.from_iterable(given.whole)), given.k),
        Ideal.RETRIEVED_TOP: lambda given: (list(chain.from_iterable(given.looked_at)), None),
    }
)
"""The gains of the ideal ranking, in no order, and how many of them count."""


@clause("ndcg.at")
def ideal_gain(given: Listed, convention: EffectiveConvention) -> Number:
    """Return the cumulated gain of the ideal ranking."""
    gains, limit = IDEAL[convention.ideal](given)
    best_first = sorted((each for each in gains if each > 0), reverse=True)
    return cumulated_gain([[each] for each in best_first], limit, convention.discount)


@clause("dcg.at", "ndcg.at")
def graded_value(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return DCG or nDCG of one ranking, by the rules for what is undefined."""
    if relevant_of(ranking, measure, convention) == 0:
        return RULES[convention.no_relevant]
    gained = gain_of(measure, convention.gain)
    judged = [gained(grade) for grade in ranking.judged]
    outcomes = (
        (whole * part, Listed(_gains(top, gained), _gains(there, gained), judged, measure.k))
        for whole, deep in cut(ranking.blocks, convention.depth, convention.ties)
        for there in [listed(deep, convention.unjudged)]
        for part, top in _cut(there, measure, convention)
    )
    return mean_over_lists((probability, _value(given, measure, convention)) for probability, given in outcomes)


def _cut(there: Blocks, measure: Measure, convention: EffectiveConvention) -> Iterator[tuple[Fraction, Blocks]]:
    """Yield the lists that the cutoff leaves, with their probabilities."""
    if mean_worth_does(measure, convention):
        yield Fraction(1), there
    else:
        yield from cut(there, measure.k, convention.ties)


def _gains(blocks: Blocks, gained: Callable[..., Fraction | int]) -> Gains:
    return [[gained(label) for label in block] for block in blocks]


def _value(given: Listed, measure: Measure, convention: EffectiveConvention) -> Exact:
    if not any(each > 0 for block in given.looked_at for each in block):
        return RULES[convention.no_hits]
    found = cumulated_gain(given.looked_at, given.k, convention.discount)
    return quotient(found, ideal_gain(given, convention)) if measure.family.has("ideal") else found
