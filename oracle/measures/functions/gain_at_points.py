"""nDCG averaged over points of the list: at relevant documents, and where the ideal gain falls (Buckley 2008).

They are trec_eval's ndcg_rel and Rndcg, called experimental there.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import comb, lcm
from types import MappingProxyType
from typing import TYPE_CHECKING

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Discount, Ties, Unjudged
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.choices import DISCOUNTS
from rankspec.oracle.measures.defined import Gains, cumulated_gain
from rankspec.oracle.measures.gain import gain_of, relevant_of
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.measures.terms import Discounted, Term, computed, total
from rankspec.oracle.rankings.ranking import Ranking, cut, listed, up_to
from rankspec.oracle.reals.logarithms import reciprocal_log2
from rankspec.oracle.reals.real import Enclosure, LogSum, Number, Real, quotient, weighted_sum
from rankspec.oracle.values import Exact

if TYPE_CHECKING:
    import sympy

Ideal = Sequence[Fraction | int]  # The gains above 0 of the judged documents, best first


def ideal_at(rank: int | None, ideal: Ideal, discount: Discount) -> Number:
    """Return the cumulated gain of the ideal ranking up to a rank; of all of it for None."""
    return cumulated_gain([[gain] for gain in ideal], rank, discount)


@clause("ndcg.at-relevant")
def at_relevant(gains: Gains, ideal: Ideal, discount: Discount, limit: int | None = None) -> Number:
    """Return the mean of nDCG over the relevant documents; those that are not there have nDCG of the whole list."""
    # A limit may fall into the last block, and leave a part of it in random order. As a sum of quotients of sums it has
    # a term for each relevant document and each one above it. Of more than a thousand it is enclosed as a whole, in
    # a step for each rank that gains something, here or in the ideal ranking.
    ends = accumulate(map(len, gains))
    terms = sum(end * len(block) for end, block in zip(ends, gains, strict=True) if any(block))
    if terms <= _SPELLED_OUT:
        return spelled_out(gains, ideal, discount, limit)
    means = (Fraction(sum(block), len(block)) for block in gains for _ in block)
    is_all = sum(gain > 0 for block in gains for gain in block) == len(ideal) and _room(gains, limit) == len(gains[-1])
    if is_all and all(map(operator.eq, ideal, means)):
        return Fraction(1)
    return MeanAtRelevant(tuple(map(tuple, gains)), tuple(ideal), discount, limit)


# Of so many terms rational parts of the sum are found. 1,000 lists of 1,000 documents, 20 of each judged, take 6 s with
# 1,000 terms and 25 s with 10,000.
_SPELLED_OUT = 1_000


def spelled_out(gains: Gains, ideal: Ideal, discount: Discount, limit: int | None = None) -> Number:
    """Return the mean of nDCG over the relevant documents as a sum of quotients."""
    ranks = sum(map(len, gains[:-1]))
    before = cumulated_gain(gains, ranks, discount) if ranks else Fraction(0)
    end = cumulated_gain(gains, ranks + _room(gains, limit), discount)
    lacking, beside = _lacking(gains, len(ideal), limit)
    summed = weighted_sum([(beside, end), (lacking - beside, before)])
    parts = [quotient(reached, ideal_at(rank, ideal, discount)) for rank, reached in _reached(gains, discount, limit)]
    share = Fraction(1, len(ideal))
    return weighted_sum((share, part) for part in [*parts, quotient(summed, ideal_at(None, ideal, discount))])


def _room(gains: Gains, limit: int | None) -> int:
    """Return how many documents of the last block count."""
    *before, last = gains
    start = sum(map(len, before))
    return _end_of(start + len(last), limit) - start


def _end_of(rank: int, limit: int | None) -> int:
    return rank if limit is None else min(rank, limit)


def _lacking(gains: Gains, number: int, limit: int | None) -> tuple[Fraction, Fraction]:
    """Return how many relevant documents a list lacks on average, and how many beside one that is in its last block."""
    *before, last = gains
    found, hits, room = (
        sum(gain > 0 for block in before for gain in block),
        sum(gain > 0 for gain in last),
        _room(gains, limit),
    )
    lacking = number - found - Fraction(hits * room, len(last))
    if room == len(last):
        return lacking, lacking
    return lacking, number - found - 1 - Fraction((hits - 1) * (room - 1), len(last) - 1)


@dataclass(frozen=True)
class MeanAtRelevant(Real):
    """The mean of nDCG over the relevant documents of a list that has a hit."""

    gains: tuple[tuple[Fraction | int, ...], ...]  # of the list, in blocks of undecided order
    ideal: tuple[Fraction | int, ...]  # the gains of the ideal ranking
    discount: Discount  # what gains are divided by
    limit: int | None = None  # the last rank that counts, where the last block reaches beyond it

    def enclose(self, bits: int) -> Enclosure:
        """Add the quotients outwards, from running sums that they share."""
        finer = bits + _GUARD_BITS
        return self._bound(finer, _below) >> _GUARD_BITS, -(-self._bound(finer, _above) >> _GUARD_BITS)

    def _bound(self, bits: int, rounded: Rounded) -> int:
        """Return the mean times 2^bits, rounded down or up wherever it is rounded."""
        # Nothing is below 0: a quotient is rounded down where what is divided is, and what divides is rounded up.
        ideal = self._ideal(bits, _above if rounded is _below else _below)
        summed = before = rank = last = 0
        for block in self.gains:
            before, last = before + last, 0
            if number := sum(gain > 0 for gain in block):
                whole, size = Fraction(sum(block)), len(block)
                # What `_reached` adds, times n (n - 1) and the denominator of the block's gain.
                scale, others = max(size - 1, 1) * whole.denominator, (number - 1) * whole.numerator
                inside = 0
                for place in range(rank + 1, _end_of(rank + size, self.limit) + 1):
                    unit = _rounded_unit(self.discount, place, bits, rounded)
                    reached = number * scale * before + others * inside + max(size - 1, 1) * whole.numerator * unit
                    summed += rounded(reached << bits, size * scale * ideal[min(place, len(ideal)) - 1])
                    inside += unit
                last = rounded(whole.numerator * inside, whole.denominator * size)
            rank += len(block)
        for weight, part in zip(_lacking(self.gains, len(ideal), self.limit), (before, last), strict=True):
            summed += rounded(weight.numerator * part << bits, weight.denominator * ideal[-1])
        return rounded(summed * self._scale, len(ideal))

    @property
    def _scale(self) -> int:
        return lcm(*(gain.denominator for gain in self.ideal))

    def _ideal(self, bits: int, rounded: Rounded) -> list[int]:
        """Return what the ideal ranking gains down to each rank times 2^bits and the scale."""
        units = (_rounded_unit(self.discount, rank, bits, rounded) for rank in range(1, len(self.ideal) + 1))
        return list(accumulate(int(gain * self._scale) * unit for gain, unit in zip(self.ideal, units, strict=True)))

    def expression(self) -> sympy.Expr:
        """Return the sum of quotients."""
        number = spelled_out(self.gains, self.ideal, self.discount, self.limit)
        return (LogSum(((2, number),)) if isinstance(number, Fraction) else number).expression()


Rounded = Callable[[int, int], int]  # A quotient of whole numbers, rounded down or up
_GUARD_BITS = 64  # Each of a list's roundings loses at most one unit, and there are fewer than 2^40


def _below(above: int, below: int) -> int:
    return above // below


def _above(above: int, below: int) -> int:
    return -(-above // below)


def _unit(discount: Discount, rank: int) -> Term:
    """Return what a gain of 1 adds at a rank."""
    term = computed(1 / DISCOUNTS[discount])({"rank": rank})
    return term if isinstance(term, Discounted) else Fraction(term)


def _rounded_unit(discount: Discount, rank: int, bits: int, rounded: Rounded) -> int:
    """Return the same times 2^bits, rounded."""
    term = _unit(discount, rank)
    if isinstance(term, Discounted):
        return reciprocal_log2(term.argument, bits)[rounded is _above]
    return rounded(term.numerator << bits, term.denominator)


@clause("ndcg.at-relevant", "ranking.ties.expected")
def _reached(gains: Gains, discount: Discount, limit: int | None) -> Iterator[tuple[int, Number]]:
    """Yield ranks, and the cumulated gain up to there times whether the document there is relevant, in the mean."""
    # In a block in random order of n documents, p of them relevant, a rank has a relevant one with probability p/n; the
    # gain of it, the gain before the block, and the mean gain of the others above it in the block add up.
    rank, before = 0, list[Term]()
    for block in gains:
        size, whole, found = len(block), Fraction(sum(block)), sum(gain > 0 for gain in block)
        beside = (found - 1) * whole / (size * (size - 1)) if found > 1 else Fraction(0)
        inside = [_unit(discount, place) for place in range(rank + 1, _end_of(rank + size, limit) + 1) if found]
        for place, here in enumerate(inside):
            above = [term * Fraction(found, size) for term in before] + [term * beside for term in inside[:place]]
            yield rank + place + 1, total([*above, here * (whole / size)])
        before += [term * (whole / size) for term in inside]
        rank += size


@clause("ndcg.at-levels", "ranking.ties.expected")
def at_levels(gains: Gains, ideal: Ideal, discount: Discount, limit: int | None = None) -> Number:
    """Return the mean of nDCG over the ranks at which the ideal gain falls."""
    # The end of the list is one more if at least two documents stand beyond the last of them.
    numbers = [sum(gain == level for gain in ideal) for level in sorted(set(ideal), reverse=True)]
    ranks: list[int | None] = list(accumulate(numbers))
    end = sum(map(len, gains[:-1])) + _room(gains, limit)
    if end > len(ideal) + 1:
        ranks.append(None)
    share = Fraction(1, len(ranks))
    tops = (cumulated_gain(gains, end if rank is None else min(rank, end), discount) for rank in ranks)
    ideals = (ideal_at(rank, ideal, discount) for rank in ranks)
    return weighted_sum((share, quotient(top, best)) for top, best in zip(tops, ideals, strict=True))


POINTS: Mapping[str, Callable[[Gains, Ideal, Discount, int | None], Number]] = MappingProxyType(
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
    is_read_to_depth = convention.ties is Ties.EXPECTED and convention.unjudged is Unjudged.NONRELEVANT
    limit = convention.depth if is_read_to_depth else None
    deep = cut(up_to(ranking.blocks, limit), None if limit else convention.depth, convention.ties)
    outcomes: list[tuple[Fraction, Exact]] = []
    for share, blocks in deep:
        gains = [[gained(label) for label in block] for block in listed(blocks, convention.unjudged)]
        without = _chance_without_hits(gains, limit)
        if without < 1:  # a list without hits adds 0 to it
            outcomes.append((share, POINTS[measure.name](gains, ideal, convention.discount, limit)))
        if without:
            outcomes.append((share * without, RULES[convention.no_hits]))
    return mean_over_lists(outcomes)


def _chance_without_hits(gains: Gains, limit: int | None) -> Fraction:
    *before, last = gains or [()]
    misses, room = sum(not gain for gain in last), _room(gains, limit) if gains else 0
    return Fraction(not any(map(any, before)) and Fraction(comb(misses, room), comb(len(last), room)))
