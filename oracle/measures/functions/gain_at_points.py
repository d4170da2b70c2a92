"""nDCG averaged over points of the list: at relevant documents, and where the ideal gain falls (Buckley 2008).

They are trec_eval's ndcg_rel and Rndcg, called experimental there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import lcm
from types import MappingProxyType
from typing import TYPE_CHECKING

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Discount
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.choices import DISCOUNTS
from rankspec.oracle.measures.defined import cumulated_gain
from rankspec.oracle.measures.gain import gain_of, relevant_of
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.measures.terms import Discounted, computed
from rankspec.oracle.rankings.ranking import Ranking, orders_of_lists, tops
from rankspec.oracle.reals.real import Enclosure, LogSum, Number, Real, quotient, reciprocal_log2, weighted_sum
from rankspec.oracle.values import Exact

if TYPE_CHECKING:
    import sympy

Gains = Sequence[Fraction | int]  # What the documents of a list gain, rank by rank; of the ideal one those above 0


def gained_to(rank: int | None, gains: Gains, discount: Discount) -> Number:
    """Return the cumulated gain of a list up to a rank; of all of it for None."""
    return cumulated_gain([[gain] for gain in gains], rank, discount)


@clause("ndcg.at-relevant")
def at_relevant(gains: Gains, ideal: Gains, discount: Discount) -> Number:
    """Return the mean of nDCG over the relevant documents; those that are not there have nDCG of the whole list."""
    # As a sum of quotients of sums it has a term for each relevant document and each one above it. Of more than a
    # thousand it is enclosed as a whole, in a step for each rank that gains something, here or in the ideal ranking.
    if sum(rank for rank, gain in enumerate(gains, start=1) if gain) <= _SPELLED_OUT:
        return spelled_out(gains, ideal, discount)
    if list(gains[: len(ideal)]) == list(ideal):
        return Fraction(1)
    return MeanAtRelevant(tuple(gains), tuple(ideal), discount)


# Of so many terms rational parts of the sum are found. 1,000 lists of 1,000 documents, 20 of each judged, take 6 s with
# 1,000 terms and 25 s with 10,000.
_SPELLED_OUT = 1_000


def spelled_out(gains: Gains, ideal: Gains, discount: Discount) -> Number:
    """Return the mean of nDCG over the relevant documents as a sum of quotients."""
    ranks: list[int | None] = [rank for rank, gain in enumerate(gains, start=1) if gain]
    ranks += [None] * (len(ideal) - len(ranks))
    return _mean_at(ranks, gains, ideal, discount)


def _mean_at(ranks: Sequence[int | None], gains: Gains, ideal: Gains, discount: Discount) -> Number:
    """Return the mean of nDCG at some ranks; None stands for the end of both lists."""
    share = Fraction(1, len(ranks))
    shares = (quotient(gained_to(rank, gains, discount), gained_to(rank, ideal, discount)) for rank in ranks)
    return weighted_sum((share, each) for each in shares)


@dataclass(frozen=True)
class MeanAtRelevant(Real):
    """The mean of nDCG over the relevant documents of a list that has a hit."""

    gains: tuple[Fraction | int, ...]  # of the list
    ideal: tuple[Fraction | int, ...]  # of the ideal ranking
    discount: Discount  # what gains are divided by

    def enclose(self, bits: int) -> Enclosure:
        """Add the quotients outwards, from running sums that they share."""
        finer = bits + _GUARD_BITS
        return self._bound(finer, _below) >> _GUARD_BITS, -(-self._bound(finer, _above) >> _GUARD_BITS)

    def _bound(self, bits: int, rounded: Rounded) -> int:
        """Return the mean times 2^bits, rounded down or up wherever it is rounded."""
        # Nothing is below 0: a quotient is rounded down where what is divided is, and what divides is rounded up.
        outwards = _above if rounded is _below else _below
        units = (_rounded_unit(self.discount, rank, bits, outwards) for rank in range(1, len(self.ideal) + 1))
        scale = lcm(*(gain.denominator for gain in self.ideal))
        # What the ideal ranking gains down to each rank, times 2^bits and the scale.
        ideal = list(accumulate(int(gain * scale) * unit for gain, unit in zip(self.ideal, units, strict=True)))
        summed = reached = 0
        missing = len(ideal)
        for rank, gain in enumerate(self.gains, start=1):
            if gain:
                reached += rounded(gain.numerator * _rounded_unit(self.discount, rank, bits, rounded), gain.denominator)
                summed += rounded(reached << bits, ideal[min(rank, len(ideal)) - 1])
                missing -= 1
        summed += rounded(missing * reached << bits, ideal[-1])
        return rounded(summed * scale, len(ideal))

    def expression(self) -> sympy.Expr:
        """Return the sum of quotients."""
        number = spelled_out(self.gains, self.ideal, self.discount)
        return (LogSum(((2, number),)) if isinstance(number, Fraction) else number).expression()


Rounded = Callable[[int, int], int]  # A quotient of whole numbers, rounded down or up
_GUARD_BITS = 64  # Each of a list's roundings loses at most one unit, and there are fewer than 2^40


def _below(above: int, below: int) -> int:
    return above // below


def _above(above: int, below: int) -> int:
    return -(-above // below)


def _rounded_unit(discount: Discount, rank: int, bits: int, rounded: Rounded) -> int:
    term = computed(1 / DISCOUNTS[discount])({"rank": rank})
    if isinstance(term, Discounted):
        return reciprocal_log2(term.argument, bits)[rounded is _above]
    return rounded(term.numerator << bits, term.denominator)


@clause("ndcg.at-levels")
def at_levels(gains: Gains, ideal: Gains, discount: Discount) -> Number:
    """Return the mean of nDCG over the ranks at which the ideal gain falls."""
    # The end of the list is one more if at least two documents stand beyond the last of them.
    numbers = [sum(gain == level for gain in ideal) for level in sorted(set(ideal), reverse=True)]
    ranks: list[int | None] = list(accumulate(numbers))
    return _mean_at([*ranks, None] if len(gains) > len(ideal) + 1 else ranks, gains, ideal, discount)


POINTS: Mapping[str, Callable[[Gains, Gains, Discount], Number]] = MappingProxyType(
    {"nDCGRel": at_relevant, "RnDCG": at_levels}
)
"""Measure -> the mean of nDCG over its points."""


@clause("ndcg.at-relevant", "ndcg.at-levels", "ranking.ties.expected")
def gain_at_points(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return nDCGRel or RnDCG of one ranking, its ties taken order by order; `InputError` for too many orders."""
    if relevant_of(ranking, measure, convention) == 0:
        return RULES[convention.no_relevant]
    gained = cache(gain_of(measure, convention.gain))
    ideal = sorted((gain for grade in ranking.judged if (gain := gained(grade)) > 0), reverse=True)
    outcomes: list[tuple[Fraction, Exact]] = []
    for share, order in orders_of_lists(tops(ranking.blocks, None, convention)):
        gains = [gained(label) for label in order]
        has_hit = any(gains)
        value = POINTS[measure.name](gains, ideal, convention.discount) if has_hit else RULES[convention.no_hits]
        outcomes.append((share, value))
    return mean_over_lists(outcomes)
