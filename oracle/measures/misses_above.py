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
from rankspec.oracle.limits import TIE_STATES
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.measures.terms import Discounted
from rankspec.oracle.measures.working import Closing, Listing, Part
from rankspec.oracle.measures.worth import gain_of, relevant_of
from rankspec.oracle.rankings.cutting import Blocks, cut, listed
from rankspec.oracle.rankings.ordering import Worth
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.reals.real import log_sum
from rankspec.oracle.values import Exact

Gains = Sequence[Sequence[int]]
"""Gains in blocks of undecided order: whole numbers."""


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
        TIE_STATES.require(len(ways) * len(block), "states or more")
        taken = Counter({(number + 1, total + other): many for (number, total), many in ways.items() if number < place})
        ways += taken
    for (number, total), many in ways.items():
        if number == place:
            yield total, Fraction(many, comb(len(others), place))


def behind_parts(listing: Listing) -> tuple[Part, ...]:
    """Return parts that add gain/log2(2 + how far the list is behind the ideal one)."""
    gained = gain_of(listing.measure, listing.convention.gain)
    return _parts_of(
        listing, _behind(_gains(listing.evaluated.labels, gained), _ideal(listing.evaluated.grades, gained))
    )


def behind_closing(listing: Listing) -> Closing:
    """Divide by what there is to gain."""
    whole = sum(_ideal(listing.evaluated.grades, gain_of(listing.measure, listing.convention.gain)))
    adds = "a row adds gain/log2(2 + behind), behind = max(ideal gain, 1) less gain, summed up to the row"
    return Closing(Fraction(whole), "the gains of all judged documents", adds=adds)


def _parts_of(listing: Listing, blocks: Iterator[tuple[Discounted, ...]]) -> tuple[Part, ...]:
    terms = list(blocks)
    added = [log_sum((term.gain, term.argument) for term in each) for each in terms]
    return listing.parts(added, terms=terms)
