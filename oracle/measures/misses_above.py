"""G and binary G: gains discounted by how far the list is behind the ideal one where they come (Buckley 2008).

They are trec_eval's G and binG, called experimental there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.denominators import RELEVANT, least_text
from rankspec.oracle.measures.looked_at import HIT, EvaluatedList
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.measures.working import Closing, Discounted, Listing, Part
from rankspec.oracle.measures.worth import gain_of, relevant_of
from rankspec.oracle.rankings.cutting import Blocks, cut, listed
from rankspec.oracle.rankings.ordering import Worth
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.reals.real import Number, log_sum
from rankspec.oracle.values import Exact

Gains = Sequence[Sequence[int]]
"""Gains in blocks of undecided order: whole numbers."""


@clause("bing.at", "ranking.ties.expected")
def binary_g(looked: EvaluatedList, measure: Measure, convention: EffectiveConvention) -> Number:  # noqa: ARG001 - one signature
    """Return (1/R) * the sum of 1/log2(2 + the misses above) over the hits.

    In a block in random order, a hit has any number from 0 to m of the block's m misses above it with equal chance.
    """
    share = Fraction(1, looked.relevant)
    return log_sum((share * term.gain, term.argument) for terms in _hits_behind(looked) for term in terms)


def _hits_behind(looked: EvaluatedList) -> Iterator[tuple[Discounted, ...]]:
    """Yield what the hits of each block are worth, in shares of the numbers of misses that can stand above them."""
    above = 0
    for block in looked.blocks:
        found = block.count(HIT)
        misses = len(block) - found
        share = Fraction(found, misses + 1)
        yield tuple(Discounted(share, 2 + above + inside) for inside in range(misses + 1) if found)
        above += misses


@clause("g.at")
def graded_g(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return G of one ranking, by the rules for what is undefined."""
    if relevant_of(ranking, measure, convention) == 0:
        return RULES[convention.no_relevant]
    gained = gain_of(measure, convention.gain)
    ideal = _ideal(ranking.judged, gained)
    lists = (
        (probability, _gains(listed(deep, convention.unjudged), gained))
        for probability, deep in cut(ranking.blocks, convention.depth, convention.ties)
    )
    return mean_over_lists((probability, _value(gains, ideal, convention)) for probability, gains in lists)


def _gains(blocks: Blocks, gained: Worth) -> Gains:
    return [[int(gained(label)) for label in block] for block in blocks]


def _ideal(judged: Sequence[int], gained: Worth) -> list[int]:
    return sorted((int(gained(grade)) for grade in judged), reverse=True)


def _value(gains: Gains, ideal: Sequence[int], convention: EffectiveConvention) -> Exact:
    if not any(map(any, gains)):
        return RULES[convention.no_hits]
    share = Fraction(1, sum(ideal))
    return log_sum((share * term.gain, term.argument) for terms in _behind(gains, ideal) for term in terms)


@clause("g.at", "ranking.ties.expected")
def _behind(gains: Gains, ideal: Sequence[int]) -> Iterator[tuple[Discounted, ...]]:
    """Yield what each block adds: gains over log2(2 + how far the list is behind), in shares of the block's orders.

    A rank of the ideal list counts its gain, and 1 at least.
    """
    rank = cost = gained = 0
    for block in gains:
        terms: list[Discounted] = []
        for place in range(len(block)):
            cost += max(ideal[rank], 1) if rank < len(ideal) else 1
            rank += 1
            for gain, number in Counter(block).items():
                for above, chance in _sums_above(block, gain, place) if gain else ():
                    share = chance * number * gain / len(block)
                    terms.append(Discounted(share, 2 + cost - gained - above - gain))
        yield tuple(terms)
        gained += sum(block)


def _sums_above(block: Sequence[int], gain: int, place: int) -> Iterator[tuple[int, Fraction]]:
    """Yield what `place` documents of a block can gain, beside one of the given gain, with the chances of the sums."""
    others = list(block)
    others.remove(gain)
    ways = Counter({(0, 0): 1})
    for other in others:
        taken = Counter({(number + 1, total + other): many for (number, total), many in ways.items() if number < place})
        ways += taken
    for (number, total), many in ways.items():
        if number == place:
            yield total, Fraction(many, comb(len(others), place))


def misses_parts(listing: Listing) -> tuple[Part, ...]:
    """Return parts that add 1/log2(2 + misses above) for each hit."""
    return _parts_of(listing, _hits_behind(listing.looked))


def misses_closing(listing: Listing) -> Closing:
    """Divide by R."""
    adds = "a hit adds 1/log2(2 + misses above)"
    return Closing(Fraction(listing.relevant), "D", listing.relevant, least_text(RELEVANT, listing.counts), adds)


def behind_parts(listing: Listing) -> tuple[Part, ...]:
    """Return parts that add gain/log2(2 + how far the list is behind the ideal one)."""
    gained = gain_of(listing.measure, listing.convention.gain)
    return _parts_of(listing, _behind(_gains(listing.labels, gained), _ideal(listing.judged, gained)))


def behind_closing(listing: Listing) -> Closing:
    """Divide by what there is to gain."""
    whole = sum(_ideal(listing.judged, gain_of(listing.measure, listing.convention.gain)))
    adds = "a row adds gain/log2(2 + behind), behind = max(ideal gain, 1) less gain, summed up to the row"
    return Closing(Fraction(whole), "the gains of all judged documents", adds=adds)


def _parts_of(listing: Listing, blocks: Iterator[tuple[Discounted, ...]]) -> tuple[Part, ...]:
    terms = list(blocks)
    added = [log_sum((term.gain, term.argument) for term in each) for each in terms]
    return listing.parts(added, terms=terms)
