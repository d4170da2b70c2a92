"""Discounted cumulated gain, and what it is normalised by (Jarvelin and Kekalainen 2002; Burges et al. 2005)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import NamedTuple

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Discount, Ideal
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.measures.working import Closing, Discounted, Listing, Part
from rankspec.oracle.measures.working import IdealRanking as IdealRank
from rankspec.oracle.measures.worth import gain_of, mean_worth_does, relevant_of
from rankspec.oracle.rankings.cutting import Blocks, cut, listed
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.reals.real import Number, log_sum, quotient, weighted_sum
from rankspec.oracle.values import Exact

Gains = Sequence[Sequence[Fraction | int]]
"""Gains in blocks of undecided order."""


class Logarithm(NamedTuple):
    """Rank -> what the logarithm is taken of, and the discount in words."""

    argument: Callable[[int], int]
    formula: str


DISCOUNTS: Mapping[Discount, Logarithm] = clause("dcg.discount.*")(
    {
        Discount.LOG2_RANK_PLUS_ONE: Logarithm(lambda rank: rank + 1, "log2(rank + 1)"),
        Discount.LOG2_RANK: Logarithm(lambda rank: max(2, rank), "log2(rank), log2(2) at rank 1"),
    }
)
"""What a gain is divided by."""


@clause("dcg.at", "ranking.ties.expected")
def cumulated_gain(gains: Gains, limit: int | None, discount: Discount) -> Number:
    """Return the sum of gain/discount(rank) over the first `limit` ranks; every rank of a block has its mean gain.

    So it is the mean over the orders of each block, since a sum's mean is the sum of means.
    """
    return log_sum(
        (mean, argument) for mean, arguments in discounted(gains, limit, discount) if mean for argument in arguments
    )


def discounted(gains: Gains, limit: int | None, discount: Discount) -> Iterator[tuple[Fraction, list[int]]]:
    """Yield the mean gain of each block, and what the logarithm is taken of at each of its ranks up to the limit."""
    argument = DISCOUNTS[discount].argument
    above = 0
    for block in gains:
        below = above + len(block)
        ranks = range(above + 1, (below if limit is None else min(below, limit)) + 1)
        yield Fraction(sum(block)) / len(block), [argument(rank) for rank in ranks]
        above = below


@dataclass(frozen=True)
class GainedList:
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


IDEAL: Mapping[Ideal, Callable[[GainedList], tuple[Sequence[Fraction | int], int | None]]] = clause("ndcg.ideal.*")(
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
def ideal_gain(given: GainedList, convention: EffectiveConvention) -> Number:
    """Return the cumulated gain of the ideal ranking."""
    return cumulated_gain([[each] for each in ideal_ranking(given, convention.ideal)], None, convention.discount)


@clause("ndcg.ideal.*")
def ideal_ranking(given: GainedList, ideal: Ideal) -> list[Fraction | int]:
    """Return the gains of the ideal ranking, best first."""
    gains, limit = IDEAL[ideal](given)
    return sorted((each for each in gains if each > 0), reverse=True)[:limit]


@clause("dcg.at", "ndcg.at")
def graded_value(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return DCG or nDCG of one ranking, by the rules for what is undefined."""
    if relevant_of(ranking, measure, convention) == 0:
        return RULES[convention.no_relevant]
    gained = gain_of(measure, convention.gain)
    judged = [gained(grade) for grade in ranking.judged]
    outcomes = (
        (whole * part, GainedList(_gains(top, gained), _gains(there, gained), judged, measure.k))
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


def _value(given: GainedList, measure: Measure, convention: EffectiveConvention) -> Exact:
    if not any(each > 0 for block in given.looked_at for each in block):
        return RULES[convention.no_hits]
    found = cumulated_gain(given.looked_at, given.k, convention.discount)
    return quotient(found, ideal_gain(given, convention)) if measure.family.has("ideal") else found


def gain_parts(listing: Listing) -> tuple[Part, ...]:
    """Return parts that add gain/discount; every place of a block has its mean gain."""
    gains = _gains(listing.labels, gain_of(listing.measure, listing.convention.gain))
    terms, details = [], []
    for block, (mean, arguments) in zip(
        gains, discounted(gains, listing.limit, listing.convention.discount), strict=True
    ):
        terms.append(tuple(Discounted(mean, argument) for argument in arguments) if mean else ())
        logarithms = [f"log2({argument})" for argument in arguments]
        shown = logarithms[0] if len(logarithms) == 1 else f"{logarithms[0]} to {logarithms[-1]}"
        details.append((("gain", " ".join(map(str, block))), ("discount", shown)))
    return listing.parts([_sum(each) for each in terms], terms=terms, details=details)


def gain_closing(listing: Listing) -> Closing:
    """Leave the sum as it is."""
    return Closing(adds=f"a row adds gain/discount, discount = {DISCOUNTS[listing.convention.discount].formula}")


def ideal_closing(listing: Listing) -> Closing:
    """Divide by the sum of the ideal ranking."""
    convention = listing.convention
    gained = gain_of(listing.measure, convention.gain)
    judged = [gained(grade) for grade in listing.judged]
    given = GainedList(_gains(listing.labels, gained), _gains(listing.whole, gained), judged, listing.limit)
    best_first = [[each] for each in ideal_ranking(given, convention.ideal)]
    ideal = tuple(
        IdealRank(rank, Discounted(gain, argument))
        for rank, (gain, (argument,)) in enumerate(discounted(best_first, None, convention.discount), start=1)
    )
    text = f"the ideal ranking's sum, ideal={convention.ideal}"
    return replace(gain_closing(listing), divisor=ideal_gain(given, convention), divisor_text=text, ideal=ideal)


def _sum(terms: Sequence[Discounted]) -> Number:
    return weighted_sum((Fraction(1), term.value) for term in terms)
