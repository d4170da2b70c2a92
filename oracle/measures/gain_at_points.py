"""nDCG averaged over points of the list: at relevant documents, and where the ideal gain falls (Buckley 2008).

They are trec_eval's ndcg_rel and Rndcg, called experimental there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from types import MappingProxyType

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Discount
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.cumulated_gain import Gains, cumulated_gain, gain_terms
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.measures.terms import Term, total
from rankspec.oracle.measures.worth import gain_of, relevant_of
from rankspec.oracle.rankings.cutting import cut, listed
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.reals.real import Number, quotient, weighted_sum
from rankspec.oracle.values import Exact

Ideal = Sequence[Fraction | int]
"""The gains above 0 of the judged documents, best first."""


def ideal_at(rank: int | None, ideal: Ideal, discount: Discount) -> Number:
    """Return the cumulated gain of the ideal ranking up to a rank; of all of it for None."""
    return cumulated_gain([[gain] for gain in ideal], rank, discount)


@clause("ndcg.at-relevant")
def at_relevant(gains: Gains, ideal: Ideal, discount: Discount) -> Number:
    """Return the mean of nDCG over the relevant documents; those that are not there have nDCG of the whole list."""
    found = sum(gain > 0 for block in gains for gain in block)
    end = quotient(cumulated_gain(gains, None, discount), ideal_at(None, ideal, discount))
    parts = [
        (Fraction(1), quotient(reached, ideal_at(rank, ideal, discount))) for rank, reached in _reached(gains, discount)
    ]
    share = Fraction(1, len(ideal))
    return weighted_sum((weight * share, part) for weight, part in [*parts, (Fraction(len(ideal) - found), end)])


@clause("ndcg.at-relevant", "ranking.ties.expected")
def _reached(gains: Gains, discount: Discount) -> Iterator[tuple[int, Number]]:
    """Yield ranks, and the cumulated gain up to there times whether the document there is relevant, in the mean.

    In a block in random order of n documents, p of them relevant, a rank has a relevant one with probability p/n; the
    gain of it, the gain before the block, and the mean gain of the others above it in the block add up.
    """
    units = gain_terms([[1]] * sum(map(len, gains)), None, discount)
    rank, before = 0, list[Term]()
    for block in gains:
        size, whole, found = len(block), Fraction(sum(block)), sum(gain > 0 for gain in block)
        beside = (found - 1) * whole / (size * (size - 1)) if found > 1 else Fraction(0)
        inside = units[rank : rank + size]
        for place, here in enumerate(inside if found else ()):
            above = [term * Fraction(found, size) for term in before] + [term * beside for term in inside[:place]]
            yield rank + place + 1, total([*above, here * (whole / size)])
        before += [term * (whole / size) for term in inside if whole]
        rank += size


@clause("ndcg.at-levels", "ranking.ties.expected")
def at_levels(gains: Gains, ideal: Ideal, discount: Discount) -> Number:
    """Return the mean of nDCG over the ranks at which the ideal gain falls.

    The end of the list is one more if at least two documents stand beyond the last of them.
    """
    numbers = [sum(gain == level for gain in ideal) for level in sorted(set(ideal), reverse=True)]
    ranks: list[int | None] = list(accumulate(numbers))
    if sum(map(len, gains)) > len(ideal) + 1:
        ranks.append(None)
    share = Fraction(1, len(ranks))
    return weighted_sum(
        (share, quotient(cumulated_gain(gains, rank, discount), ideal_at(rank, ideal, discount))) for rank in ranks
    )


POINTS: Mapping[str, Callable[[Gains, Ideal, Discount], Number]] = MappingProxyType(
    {"nDCGRel": at_relevant, "RnDCG": at_levels}
)
"""Measure -> the mean of nDCG over its points."""


@clause("ndcg.at-relevant", "ndcg.at-levels")
def gain_at_points(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return nDCGRel or RnDCG of one ranking, by the rules for what is undefined."""
    if relevant_of(ranking, measure, convention) == 0:
        return RULES[convention.no_relevant]
    gained = gain_of(measure, convention.gain)
    ideal = sorted((gain for grade in ranking.judged if (gain := gained(grade)) > 0), reverse=True)
    lists = (
        (probability, [[gained(label) for label in block] for block in listed(deep, convention.unjudged)])
        for probability, deep in cut(ranking.blocks, convention.depth, convention.ties)
    )
    at_points = POINTS[measure.name]
    return mean_over_lists(
        (
            probability,
            at_points(gains, ideal, convention.discount) if any(map(any, gains)) else RULES[convention.no_hits],
        )
        for probability, gains in lists
    )
