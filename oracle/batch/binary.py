"""Measures of relevant and other documents, of many lists: whole numbers over whole numbers, and sums of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import assert_never

import numpy as np
from rankspec.oracle.batch.areas import AREAS, Curves
from rankspec.oracle.batch.fixed import Fixed, Integers, distinct
from rankspec.oracle.batch.lists import Lists, Places
from rankspec.oracle.batch.outcomes import Outcomes
from rankspec.oracle.conventions.axes import (
    BprefVariant,
    Denominator,
    FWeight,
    NegativeGrades,
    PrecisionDenominator,
    RecallDenominator,
)
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.denominators import LEAST_OF
from rankspec.oracle.measures.recall_grid import hits_for_level


@dataclass(frozen=True)
class EvaluatedLists:
    """Many lists as one measure looks at them.

    Attributes:
        lists: after depth and removal, before the cutoff.
        measure: the measure.
        convention: the convention with what the measure says put in.
    """

    lists: Lists
    measure: Measure
    convention: EffectiveConvention

    @cached_property
    def relevant(self) -> Integers:
        """Return R."""
        return self.lists.judged.relevant(self.measure.rel)

    @cached_property
    def in_list(self) -> Places:
        """Return the hits before the cutoff."""
        return self.lists.relevant(self.measure.rel)

    @cached_property
    def limit(self) -> Integers | int | None:
        """Return how many documents are looked at; R-precision's is R."""
        return self.relevant if self.measure.family.limit_is_relevant else self.measure.k

    @cached_property
    def found(self) -> Places:
        """Return the hits looked at."""
        return self.in_list if self.limit is None else self.in_list.up_to(self.limit)

    @cached_property
    def hits(self) -> Integers:
        """Return their number."""
        return self.found.segments.sizes

    @cached_property
    def hits_in_list(self) -> Integers:
        """Return the number of hits before the cutoff."""
        return self.in_list.segments.sizes

    @cached_property
    def length(self) -> Integers:
        """Return the number of documents looked at."""
        return self.lists.lengths if self.limit is None else np.minimum(self.lists.lengths, self.limit)

    @cached_property
    def cutoff(self) -> Integers:
        """Return k, or the length where there is none."""
        return self.length if self.measure.k is None else np.full(self.lists.queries, self.measure.k)

    @cached_property
    def judged(self) -> Places:
        """Return the judged documents looked at. Clauses ranking.negative-grades.*."""
        places = self.lists.places.judged(self.convention.negative_grades)
        return places if self.limit is None else places.up_to(self.limit)

    @cached_property
    def nonrelevant(self) -> Integers:
        """Return N, the judged documents of the qrels that are not relevant."""
        return self.lists.judged.counted(self.convention.negative_grades) - self.relevant

    def divisor(self, rule: Denominator | PrecisionDenominator | RecallDenominator) -> Integers:
        """Return the least of the counts that the oracle's own table names. Clauses *.denominator.*."""
        least: Integers = np.minimum.reduce([getattr(self, name) for name in LEAST_OF[rule]])
        return least

    def ruled(self, outcomes: Outcomes) -> Outcomes:
        """Put in the rules for queries without relevant documents, and without hits."""
        return outcomes.ruled(self.hits == 0, self.convention.no_hits).ruled(
            self.relevant == 0, self.convention.no_relevant
        )


Kernel = Callable[[EvaluatedLists], Outcomes]


def average_precision(looked: EvaluatedLists) -> Outcomes:
    """Return AP, its area in fixed point. Clauses ap.*."""
    convention = looked.convention
    curves = Curves(
        looked.found,
        np.maximum(looked.divisor(convention.denominator), 1),  # where it is 0, a rule says what the query is worth
        looked.length,
        looked.measure.k,
        convention.recall_grid,
    )
    return looked.ruled(Outcomes.of(AREAS[convention.interpolation](curves)))


def reciprocal_rank(looked: EvaluatedLists) -> Outcomes:
    """Return one over the first hit's rank. Clause rr.first."""
    has = looked.hits > 0
    ranks = np.zeros(looked.hits.size, np.int64)
    ranks[has] = looked.found.ranks[looked.found.segments.starts[:-1][has]]
    return looked.ruled(Outcomes.quotients(has.astype(np.int64), ranks))


def _precision_divisor(looked: EvaluatedLists) -> Integers:
    return looked.divisor(looked.convention.precision_denominator)


def _recall_divisor(looked: EvaluatedLists) -> Integers:
    return looked.divisor(looked.convention.recall_denominator)


def _set_divisor(looked: EvaluatedLists) -> Integers:
    return np.minimum(looked.length, looked.relevant) if looked.measure.relative else looked.length


def _f(looked: EvaluatedLists, of_precision: Integers, of_recall: Integers) -> Outcomes:
    """Return (1 + w) h / (w r + p) for P = h/p and R = h/r: what (1 + w) P R / (w P + R) is. Clauses f.weight.*."""
    beta = Fraction(1) if looked.measure.beta is None else looked.measure.beta
    weight = WEIGHTS[looked.convention.f_weight](beta)
    a, b = weight.numerator, weight.denominator
    if max(a, b) > _LARGEST_WEIGHT:
        return Outcomes.nothing(looked.lists.queries)
    divisor = np.where(of_precision == 0, 0, a * of_recall + b * of_precision)
    return looked.ruled(Outcomes.quotients((a + b) * looked.hits, divisor))


_LARGEST_WEIGHT = 1 << 20
WEIGHTS: Mapping[FWeight, Callable[[Fraction], Fraction]] = {
    FWeight.BETA_SQUARED: lambda beta: beta**2,
    FWeight.BETA: lambda beta: beta,
}
"""Clauses f.weight.*."""


def judged_share(looked: EvaluatedLists) -> Outcomes:
    """Return judged documents over k, or over what there is. Clause judged.at."""
    return Outcomes.quotients(looked.judged.segments.sizes, _precision_divisor(looked))


def interpolated_precision(looked: EvaluatedLists) -> Outcomes:
    """Return the highest precision from the level on. Clause iprec.at.

    Rounding is monotone, and different precisions have different doubles, so the highest double is that of the highest.
    """
    level = looked.measure.recall or Fraction(0)
    each, index = distinct(np.maximum(looked.relevant, 1))
    grid = looked.convention.recall_grid
    needed = np.array([hits_for_level(level, int(number), grid) for number in each], np.int64)[index]
    needed = np.maximum(needed, 1)
    hits = looked.found
    reached = needed <= looked.hits
    none = np.zeros(needed.size, np.int64)
    above, below = none.copy(), none.copy()
    if reached.any():
        curves = Curves(hits, none, looked.length, None, grid)
        best = curves.best_from[(hits.segments.starts[:-1] + needed - 1)[reached]]
        above[reached], below[reached] = curves.counts[best], hits.ranks[best]
    return looked.ruled(Outcomes.quotients(above, below))


def bpref(looked: EvaluatedLists) -> Outcomes:
    """Return (1/R) * the sum of 1 - lost(nb) over the hits, over one common divisor. Clauses bpref.variant.*."""
    counting = looked.judged.segments.counting()
    is_hit = looked.judged.grades >= max(looked.measure.rel, 0)
    above = counting[is_hit] - looked.found.segments.counting()
    most, divisor = VARIANTS[looked.convention.bpref_variant](looked.relevant, looked.nonrelevant)
    nothing = divisor == 0
    divisor = np.where(nothing, 1, divisor)
    lost = looked.found.segments.sums(np.minimum(above, looked.found.segments.of(most)))
    kept = looked.hits * divisor - np.where(nothing, 0, lost)
    return looked.ruled(Outcomes.quotients(kept, divisor * looked.relevant))


VARIANTS: Mapping[BprefVariant, Callable[[Integers, Integers], tuple[Integers, Integers]]] = {
    BprefVariant.TREC_EVAL: lambda relevant, nonrelevant: (relevant, np.minimum(nonrelevant, relevant)),
    BprefVariant.SIGIR_2004: lambda relevant, _: (relevant, relevant),
    BprefVariant.BPREF_10: lambda relevant, _: (relevant + 10, relevant + 10),
    BprefVariant.ALL_NONRELEVANT: lambda _, nonrelevant: (nonrelevant, nonrelevant),
}
"""(R, N) -> how many nonrelevant documents above a hit count at most, and what each takes off over."""


def inferred_average_precision(looked: EvaluatedLists) -> Outcomes:
    """Return infAP of lists in strict order. Clauses infap.*.

    A hit at rank r behind J judged and P pooled documents, H of them relevant, adds
    1/r + (J + P)/r * (H + e)/(J + 2e).
    """
    epsilon = looked.convention.infap_epsilon
    top, bottom = epsilon.numerator, epsilon.denominator
    places, segments = looked.lists.places, looked.found.segments
    pooled = _pooled(places, looked.convention.negative_grades)
    is_hit = places.grades >= max(looked.measure.rel, 0)
    in_pool = (places.segments.counting() - 1)[is_hit]
    hits_above = segments.counting() - 1
    before = np.cumsum(pooled) - pooled
    of_query = np.concatenate(([0], np.cumsum(pooled)))[places.segments.starts[:-1]]
    judged = in_pool - (before - places.segments.of(of_query))[is_hit]
    if bottom * int(judged.max(initial=1)) + 2 * top >= 1 << 32:
        return Outcomes.nothing(looked.lists.queries)
    smoothed = Fixed.shares(hits_above * bottom + top, judged * bottom + 2 * top)
    terms = smoothed.times(in_pool).plus(Fixed.whole(np.ones_like(in_pool))).over(looked.found.ranks)
    return looked.ruled(Outcomes.of(terms.summed(segments).over(looked.relevant)))


def _pooled(places: Places, rule: NegativeGrades) -> Integers:
    """Return 1 for each document that is in the pool, but was not judged."""
    match rule:
        case NegativeGrades.NONRELEVANT:
            return np.zeros(places.grades.size, np.int64)
        case NegativeGrades.UNJUDGED:
            return (places.grades < 0).astype(np.int64)
        case _:
            assert_never(rule)


def _quotient(above: Callable[[EvaluatedLists], Integers], below: Callable[[EvaluatedLists], Integers]) -> Kernel:
    return lambda looked: looked.ruled(Outcomes.quotients(above(looked), below(looked)))


def _count(number: Callable[[EvaluatedLists], Integers]) -> Kernel:
    return lambda looked: Outcomes.quotients(number(looked), np.ones(looked.lists.queries, np.int64))


def _hits(looked: EvaluatedLists) -> Integers:
    return looked.hits


BINARY: Mapping[str, Kernel] = {
    "AP": average_precision,
    "AP11": average_precision,
    "GMAP": average_precision,
    "P": _quotient(_hits, _precision_divisor),
    "R": _quotient(_hits, _recall_divisor),
    "F": lambda looked: _f(looked, _precision_divisor(looked), _recall_divisor(looked)),
    "Success": _quotient(lambda looked: (looked.hits > 0).astype(np.int64), lambda looked: np.ones_like(looked.hits)),
    "RR": reciprocal_rank,
    "Rprec": _quotient(_hits, lambda looked: looked.relevant),
    "SetP": _quotient(_hits, _set_divisor),
    "SetR": _quotient(_hits, lambda looked: looked.relevant),
    "SetF": lambda looked: _f(looked, _set_divisor(looked), looked.relevant),
    "SetAP": _quotient(lambda looked: looked.hits**2, lambda looked: _set_divisor(looked) * looked.relevant),
    "IPrec": interpolated_precision,
    "Bpref": bpref,
    "infAP": inferred_average_precision,
    "Judged": judged_share,
    "NumQ": _count(lambda looked: np.ones_like(looked.lists.lengths)),
    "NumRet": _count(lambda looked: looked.length),
    "NumRel": _count(lambda looked: looked.relevant),
    "NumRelRet": _count(_hits),
    "NumNonrelJudgedRet": _count(lambda looked: looked.judged.segments.sizes - looked.hits),
}
"""Measure -> its values in fixed point, or as quotients of whole numbers."""
