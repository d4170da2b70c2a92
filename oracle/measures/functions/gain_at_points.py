"""nDCG averaged over points of the list: at relevant documents, and where the ideal gain falls (Buckley 2008).

They are trec_eval's ndcg_rel and Rndcg, called experimental there.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import lcm
from types import MappingProxyType
from typing import TYPE_CHECKING

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Discount
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.choices import DISCOUNTS
from rankspec.oracle.measures.defined import Gains, cumulated_gain
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.measures.terms import Discounted, Term, computed, total
from rankspec.oracle.measures.worth import gain_of, relevant_of
from rankspec.oracle.rankings.ranking import Ranking, cut, listed
from rankspec.oracle.reals.logarithms import reciprocal_log2
from rankspec.oracle.reals.real import Enclosure, LogSum, Number, Real, quotient, weighted_sum
from rankspec.oracle.values import Exact

if TYPE_CHECKING:
    import sympy

Ideal = Sequence[Fraction | int]
"""The gains above 0 of the judged documents, best first."""


def ideal_at(rank: int | None, ideal: Ideal, discount: Discount) -> Number:
    """Return the cumulated gain of the ideal ranking up to a rank; of all of it for None."""
    return cumulated_gain([[gain] for gain in ideal], rank, discount)


@clause("ndcg.at-relevant")
def at_relevant(gains: Gains, ideal: Ideal, discount: Discount) -> Number:
    """Return the mean of nDCG over the relevant documents; those that are not there have nDCG of the whole list.

    As a sum of quotients of sums it has a term for each relevant document and each one above it. Of more than a few
    thousand it is enclosed as a whole, in a step for each rank that gains something, here or in the ideal ranking.
    """
    ends = accumulate(map(len, gains))
    terms = sum(end * len(block) for end, block in zip(ends, gains, strict=True) if any(block))
    if terms <= _SPELLED_OUT:
        return spelled_out(gains, ideal, discount)
    means = (Fraction(sum(block), len(block)) for block in gains for _ in block)
    if sum(gain > 0 for block in gains for gain in block) == len(ideal) and all(map(operator.eq, ideal, means)):
        return Fraction(1)
    return MeanAtRelevant(tuple(map(tuple, gains)), tuple(ideal), discount)


_SPELLED_OUT = 10_000
"""So many terms are added in 0.1 s, and rational parts of the sum are found."""


def spelled_out(gains: Gains, ideal: Ideal, discount: Discount) -> Number:
    """Return the mean of nDCG over the relevant documents as a sum of quotients."""
    found = sum(gain > 0 for block in gains for gain in block)
    end = quotient(cumulated_gain(gains, None, discount), ideal_at(None, ideal, discount))
    parts = [
        (Fraction(1), quotient(reached, ideal_at(rank, ideal, discount))) for rank, reached in _reached(gains, discount)
    ]
    share = Fraction(1, len(ideal))
    return weighted_sum((weight * share, part) for weight, part in [*parts, (Fraction(len(ideal) - found), end)])


@dataclass(frozen=True)
class MeanAtRelevant(Real):
    """The mean of nDCG over the relevant documents of a list that has a hit.

    Attributes:
        gains: of the list, in blocks of undecided order.
        ideal: the gains of the ideal ranking.
        discount: what gains are divided by.
    """

    gains: tuple[tuple[Fraction | int, ...], ...]
    ideal: tuple[Fraction | int, ...]
    discount: Discount

    def enclose(self, bits: int) -> Enclosure:
        """Add the quotients outwards, from running sums that they share."""
        finer = bits + _GUARD_BITS
        return self._bound(finer, _below) >> _GUARD_BITS, -(-self._bound(finer, _above) >> _GUARD_BITS)

    def _bound(self, bits: int, rounded: Rounded) -> int:
        """Return the mean times 2^bits, rounded down or up wherever it is rounded.

        Nothing is below 0: a quotient is rounded down where what is divided is, and what divides is rounded up.
        """
        ideal = self._ideal(bits, _above if rounded is _below else _below)
        summed = before = rank = found = 0
        for block in self.gains:
            if number := sum(gain > 0 for gain in block):
                whole, size = Fraction(sum(block)), len(block)
                # What `_reached` adds, times n (n - 1) and the denominator of the block's gain.
                scale, others = max(size - 1, 1) * whole.denominator, (number - 1) * whole.numerator
                inside = 0
                for place in range(rank + 1, rank + size + 1):
                    unit = _rounded_unit(self.discount, place, bits, rounded)
                    reached = number * scale * before + others * inside + max(size - 1, 1) * whole.numerator * unit
                    summed += rounded(reached << bits, size * scale * ideal[min(place, len(ideal)) - 1])
                    inside += unit
                before += rounded(whole.numerator * inside, whole.denominator * size)
                found += number
            rank += len(block)
        summed += rounded((len(ideal) - found) * before << bits, ideal[-1])
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
        number = spelled_out(self.gains, self.ideal, self.discount)
        return (LogSum(((2, number),)) if isinstance(number, Fraction) else number).expression()


Rounded = Callable[[int, int], int]
"""A quotient of whole numbers, rounded down or up."""
_GUARD_BITS = 64
"""Each of a list's roundings loses at most one unit, and there are fewer than 2^40."""


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
def _reached(gains: Gains, discount: Discount) -> Iterator[tuple[int, Number]]:
    """Yield ranks, and the cumulated gain up to there times whether the document there is relevant, in the mean.

    In a block in random order of n documents, p of them relevant, a rank has a relevant one with probability p/n; the
    gain of it, the gain before the block, and the mean gain of the others above it in the block add up.
    """
    rank, before = 0, list[Term]()
    for block in gains:
        size, whole, found = len(block), Fraction(sum(block)), sum(gain > 0 for gain in block)
        beside = (found - 1) * whole / (size * (size - 1)) if found > 1 else Fraction(0)
        inside = [_unit(discount, place) for place in range(rank + 1, rank + size + 1) if found]
        for place, here in enumerate(inside):
            above = [term * Fraction(found, size) for term in before] + [term * beside for term in inside[:place]]
            yield rank + place + 1, total([*above, here * (whole / size)])
        before += [term * (whole / size) for term in inside]
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
