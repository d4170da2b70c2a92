"""Rank-biased precision and its residual (Moffat and Zobel 2008).

A reader goes on to the next document with probability p, so rank i weighs (1-p) * p^(i-1), and ranks a+1 to b together
p^a - p^b. In a block of undecided order every rank has the block's mean worth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import RbpGain, RbpResidual
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.looked_at import HIT
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.measures.working import Beside, Closing, Listing, Part
from rankspec.oracle.measures.worth import mean_worth_does
from rankspec.oracle.rankings.cutting import Blocks, cut, listed
from rankspec.oracle.rankings.ranking import Block, Label, Ranking, is_judged, is_relevant, length
from rankspec.oracle.sums import sum_of_fractions
from rankspec.oracle.values import Exact


@clause("rbp.gain.binary")
def binary_gain(rel: int) -> Callable[[Label], Fraction]:
    """Return the function that gives 1 to relevant documents."""
    return lambda label: Fraction(is_relevant(label, rel))


@clause("rbp.gain.scaled-by-topic")
def scaled_gain(judged: Sequence[int]) -> Callable[[Label], Fraction]:
    """Return grades over the highest one of the query's qrels, if that is above 1."""
    highest = highest_grade(judged)
    return lambda label: Fraction(max(label, 0), highest) if is_judged(label) else Fraction(0)


def highest_grade(judged: Sequence[int]) -> int:
    """Return the highest grade of a query's qrels, or 1 if that is higher."""
    return max(1, *judged)


@clause("rbp.at", "ranking.ties.expected")
def weighted(blocks: Blocks, worth: Callable[[Label], Fraction], p: Fraction, limit: int | None) -> Fraction:
    """Return the weights of the first `limit` ranks, each times the worth there."""
    return sum_of_fractions(_weights(blocks, worth, p, length(blocks) if limit is None else limit))


def _weights(blocks: Blocks, worth: Callable[[Label], Fraction], p: Fraction, limit: int) -> Iterator[Fraction]:
    for block, ranks in spans(blocks, limit):
        if total := sum(map(worth, block), Fraction(0)):
            yield total / len(block) * weight_of(ranks, p)


def spans(blocks: Blocks, limit: int) -> Iterator[tuple[Block, range]]:
    """Yield the blocks that begin within the limit, each with the ranks that it takes up of it, counted from 0."""
    above = 0
    for block in blocks:
        if above >= limit:
            return
        yield block, range(above, min(above + len(block), limit))
        above += len(block)


@clause("rbp.at")
def weight_of(ranks: range, p: Fraction) -> Fraction:
    """Return the weight of ranks that follow each other."""
    return p**ranks.start - p**ranks.stop


@clause("rbp.at", "rbp.persistence")
def rank_biased_precision(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return RBP of one ranking, by the rules for what is undefined."""
    if ranking.relevant(measure.rel) == 0:
        return RULES[convention.no_relevant]
    worth = _gain(ranking.judged, measure.rel, convention.rbp_gain)
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


@clause("rbp.gain.*")
def _gain(judged: Sequence[int], rel: int, rule: RbpGain) -> Callable[[Label], Fraction]:
    """Return what a document gains."""
    match rule:
        case RbpGain.BINARY:
            return binary_gain(rel)
        case RbpGain.SCALED_BY_TOPIC:
            return scaled_gain(judged)
        case _:
            assert_never(rule)


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
    if _is_closed(judged, convention):
        return Fraction(0)
    return p**documents + weighted(judged, _open, p, None)


@clause("rbp.residual.*")
def _is_closed(judged: Blocks, convention: EffectiveConvention) -> bool:
    """Tell whether nothing is taken to be open, the ranks after the list neither."""
    match convention.rbp_residual:
        case RbpResidual.WITH_TAIL:
            return False
        case RbpResidual.ZERO_IF_ALL_JUDGED:
            return all(label for block in judged for label in block)
        case _:
            assert_never(convention.rbp_residual)


def _open(is_judged_: Label) -> Fraction:
    return Fraction(is_judged_ == 0)


def weighted_parts(listing: Listing) -> tuple[Part, ...]:
    """Return parts that add weight times gain, in a block the mean gain."""
    match listing.convention.rbp_gain:
        case RbpGain.BINARY:
            return _parts("gain", listing.looked.blocks, binary_gain(HIT), listing)
        case RbpGain.SCALED_BY_TOPIC:
            return _parts("gain", listing.labels, scaled_gain(listing.judged), listing)
        case _:
            assert_never(listing.convention.rbp_gain)


def weighted_closing(listing: Listing) -> Closing:
    """Leave the sum as it is."""
    scaled = listing.convention.rbp_gain is RbpGain.SCALED_BY_TOPIC
    gain = f"gain = grade / {highest_grade(listing.judged)}, the highest grade or 1; " if scaled else ""
    return Closing(adds=f"{gain}a row adds gain * weight, {_weight_text(listing)}")


def open_parts(listing: Listing) -> tuple[Part, ...]:
    """Return parts that add their weight where nobody judged."""
    return _parts("open", _judged_or_not(listing.labels), _open, listing)


def open_closing(listing: Listing) -> Closing:
    """Add the weight of the ranks after the list."""
    if _is_closed(_judged_or_not(listing.labels), listing.convention):
        return Closing(rule=f"rbp_residual={listing.convention.rbp_residual}")
    p, n = listing.convention.rbp_persistence, listing.length
    return Closing(
        adds=f"an open row adds its weight, {_weight_text(listing)}",
        beside=Beside("the ranks after the list", f"p^n = ({p})^{n}", p**n),
    )


def _weight_text(listing: Listing) -> str:
    return f"weight = (1 - p) p^(rank - 1), p = {listing.convention.rbp_persistence}"


def _parts(name: str, blocks: Blocks, worth: Callable[[Label], Fraction], listing: Listing) -> tuple[Part, ...]:
    added, details = [], []
    for block, ranks in spans(blocks, listing.length):
        worths, weight = list(map(worth, block)), weight_of(ranks, listing.convention.rbp_persistence)
        added.append(sum(worths, Fraction(0)) / len(block) * weight)
        details.append(((name, " ".join(map(str, worths))), ("weight", weight)))
    return listing.parts(added, details=details)
