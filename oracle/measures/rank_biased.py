"""Rank-biased precision and its residual (Moffat and Zobel 2008).

A reader goes on to the next document with probability p, so rank i weighs (1-p) * p^(i-1), and ranks a+1 to b together
p^a - p^b. In a block of undecided order every rank has the block's mean worth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import RbpGain, RbpResidual
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.measures.worth import mean_worth_does
from rankspec.oracle.rankings.cutting import Blocks, cut, listed
from rankspec.oracle.rankings.ranking import Label, Ranking, is_judged, is_relevant, length
from rankspec.oracle.sums import sum_of_fractions
from rankspec.oracle.values import Exact


@clause("rbp.gain.binary")
def binary_gain(rel: int) -> Callable[[Label], Fraction]:
    """Return the function that gives 1 to relevant documents."""
    return lambda label: Fraction(is_relevant(label, rel))


@clause("rbp.gain.scaled-by-topic")
def scaled_gain(ranking: Ranking) -> Callable[[Label], Fraction]:
    """Return grades over the highest one of the query's qrels, if that is above 1."""
    highest = max(1, *ranking.judged)
    return lambda label: Fraction(max(label, 0), highest) if is_judged(label) else Fraction(0)


@clause("rbp.at", "ranking.ties.expected")
def weighted(blocks: Blocks, worth: Callable[[Label], Fraction], p: Fraction, limit: int | None) -> Fraction:
    """Return the weights of the first `limit` ranks, each times the worth there."""
    return sum_of_fractions(_weights(blocks, worth, p, length(blocks) if limit is None else limit))


def _weights(blocks: Blocks, worth: Callable[[Label], Fraction], p: Fraction, limit: int) -> Iterator[Fraction]:
    above = 0
    for block in blocks:
        below = above + len(block)
        if (total := sum(map(worth, block), Fraction(0))) and above < limit:
            yield total / len(block) * (p**above - p ** min(below, limit))
        above = below


@clause("rbp.at", "rbp.persistence")
def rank_biased_precision(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return RBP of one ranking, by the rules for what is undefined."""
    if ranking.relevant(measure.rel) == 0:
        return RULES[convention.no_relevant]
    scaled = convention.rbp_gain is RbpGain.SCALED_BY_TOPIC
    worth = scaled_gain(ranking) if scaled else binary_gain(measure.rel)
    whole_blocks = mean_worth_does(measure, convention)
    return mean_over_lists(
        (
            deep_part * part,
            weighted(top, worth, convention.rbp_persistence, measure.k)
            if any(is_relevant(label, measure.rel) for block in top for label in block)
            else RULES[convention.no_hits],
        )
        for deep_part, deep in cut(ranking.blocks, convention.depth, convention.ties)
        for there in [listed(deep, convention.unjudged)]
        for part, top in ([(Fraction(1), there)] if whole_blocks else cut(there, measure.k, convention.ties))
    )


@clause("rbp.residual.*")
def residual(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return what RBP could still gain: the weights of unjudged documents and of the ranks after the list."""
    return mean_over_lists(
        (deep_part * part, _residual(top, convention))
        for deep_part, deep in cut(ranking.blocks, convention.depth, convention.ties)
        for part, top in cut(_judged_or_not(listed(deep, convention.unjudged)), measure.k, convention.ties)
    )


def _judged_or_not(blocks: Blocks) -> Blocks:
    return tuple(tuple(int(is_judged(label)) for label in block) for block in blocks)


def _residual(judged: Blocks, convention: EffectiveConvention) -> Fraction:
    p, documents = convention.rbp_persistence, length(judged)
    all_judged = all(label for block in judged for label in block)
    if all_judged and convention.rbp_residual is RbpResidual.ZERO_IF_ALL_JUDGED:
        return Fraction(0)
    return p**documents + weighted(judged, lambda label: Fraction(label == 0), p, None)
