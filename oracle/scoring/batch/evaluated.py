"""Many lists as one measure looks at them: what is counted in each, as arrays of one number a query."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from rankspec.oracle.conventions.axes import (
    Denominator,
    Gain,
    Ideal,
    NoHits,
    NoRelevant,
    PrecisionDenominator,
    RecallDenominator,
    Ties,
)
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.areas.denominators import LEAST_OF
from rankspec.oracle.measures.gain import gain_of
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.reals.real import Real
from rankspec.oracle.scoring.batch.fixed import LARGEST, Doubles, Fixed, Integers, Mask, Segments, distinct
from rankspec.oracle.scoring.batch.lists import Lists, Places
from rankspec.oracle.values import Exact, Undefined

# ---- What came of lists

NUMBER = 0
STATES = (None, Undefined.NAN, Undefined.SKIP, Undefined.ERROR)
"""What a query can be worth: a number, or one of these, by its place here."""

# Whole numbers up to here are doubles: one IEEE division of two of them rounds their exact quotient once.
_LARGEST_EXACT = 1 << 53


class Outcomes(NamedTuple):
    """The queries' values."""

    fixed: Fixed  # the numbers, enclosed
    doubles: Doubles  # the nearest doubles, where certain
    certain: Mask  # which of them are; the others are left to the exact path
    enclosed: Mask  # which of the numbers are enclosed by `fixed`, as a mean needs them
    states: Integers  # `NUMBER`, or the place in `STATES` of the value of a query

    @classmethod
    def of(cls, fixed: Fixed) -> Outcomes:
        """Return numbers with the doubles that they round to."""
        doubles, certain = fixed.doubles()
        return cls(fixed, doubles, certain, np.ones_like(certain), np.zeros(doubles.size, np.int64))

    @classmethod
    def quotients(cls, above: Integers, below: Integers) -> Outcomes:
        """Return whole numbers over whole numbers; 0 over 0 is 0."""
        # IEEE division rounds the exact quotient of two doubles once, and whole numbers up to 2^53 are doubles.
        by = np.where(below == 0, 1, below)
        exact = (np.abs(above) <= _LARGEST_EXACT) & (by <= _LARGEST_EXACT)
        small = (above >= 0) & (above <= LARGEST) & (below >= 0) & (below <= LARGEST)
        zero = np.int64(0)
        fixed = Fixed.ratios(np.where(small, above, zero), np.where(small, below, zero))
        if not small.all():
            large = np.flatnonzero(~small & (below != 0) & (np.abs(above) // by < LARGEST))
            pairs = zip(above[large].tolist(), below[large].tolist(), strict=True)
            scaled = [(numerator << fixed.bits, denominator) for numerator, denominator in pairs]
            ends = [(numerator // denominator, -(-numerator // denominator)) for numerator, denominator in scaled]
            fixed = fixed.put(large, Fixed.between(ends))
            small[large] = True
        return cls(fixed, above / by, exact, small, np.zeros(above.size, np.int64))

    @classmethod
    def nothing(cls, queries: int) -> Outcomes:
        """Return numbers of which nothing is known: the exact path decides them all."""
        zeros, no = np.zeros(queries, np.int64), np.zeros(queries, np.bool_)
        return cls(Fixed.whole(zeros), zeros.astype(np.float64), no, no, zeros)

    def ruled(self, undefined: Mask, rule: NoRelevant | NoHits) -> Outcomes:
        """Put in what a convention says of some queries. Clauses undefined.no-relevant.*, undefined.no-hits.*."""
        return self.set(undefined, RULES[rule])

    def set(self, chosen: Mask, value: Exact) -> Outcomes:
        """Put in one value for some queries, a small fraction or an undefined one."""
        if not chosen.any():
            return self
        is_undefined = isinstance(value, Undefined)
        number = Fraction(0) if isinstance(value, Undefined | Real) else value
        above, below = (np.full(chosen.size, part) for part in (number.numerator, number.denominator))
        return Outcomes(
            Fixed.ratios(above, below, len(self.fixed.limbs)).where(chosen, self.fixed),
            np.where(chosen, float(number), self.doubles),
            self.certain | chosen,
            self.enclosed | chosen,
            np.where(chosen, STATES.index(value) if is_undefined else NUMBER, self.states),
        )

    def except_for(self, unknown: Mask) -> Outcomes:
        """Leave some queries to the exact path."""
        if not unknown.any():
            return self
        return Outcomes(self.fixed, self.doubles, self.certain & ~unknown, self.enclosed & ~unknown, self.states)


@dataclass(eq=False, repr=False, match_args=False)
class EvaluatedLists:
    """Many lists as one measure looks at them."""

    lists: Lists  # after depth and removal, before the cutoff
    measure: Measure
    convention: EffectiveConvention  # the convention with what the measure says put in

    @cached_property
    def relevant(self) -> Integers:
        """Return R."""
        return self.lists.judged.relevant(self.measure.rel)

    @cached_property
    def in_list(self) -> Places:
        """Return the hits before the cutoff."""
        return self.lists.places.relevant(self.measure.rel)

    @cached_property
    def limit(self) -> Integers | int | None:
        """Return how many documents are evaluated: one number for all, or one a query."""
        if not self.measure.family.limit_is_relevant:
            return self.measure.k
        each, index = distinct(self.relevant)
        limits = [self.measure.limit(int(relevant), self.convention.multiple_rounding) for relevant in each]
        return np.array(limits, np.int64)[index] if limits else self.relevant

    @cached_property
    def found(self) -> Places:
        """Return the hits looked at."""
        return self.within(self.in_list)

    @cached_property
    def is_undecided(self) -> bool:
        """Tell whether documents stand in blocks of undecided order."""
        is_tied = self.lists.tied is not None and self.convention.ties is Ties.EXPECTED
        return is_tied and self.lists.places.tops is not None

    def within(self, places: Places) -> Places:
        """Return those of some documents that are evaluated; of blocks of undecided order those that begin there."""
        if self.limit is None:
            return places
        return places.begun_by(self.limit) if self.is_undecided else places.up_to(self.limit)

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
        """Return the number of documents evaluated."""
        return self.lists.lengths if self.limit is None else np.minimum(self.lists.lengths, self.limit)

    @cached_property
    def cutoff(self) -> Integers:
        """Return k, or the length where there is none."""
        if self.limit is None:
            return self.length
        return np.full(self.lists.queries, self.limit)

    @cached_property
    def judged(self) -> Places:
        """Return the judged documents evaluated. Clauses ranking.negative-grades.*."""
        return self.within(self.lists.places.judged(self.convention.negative_grades))

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


# ---- Gains

_MOST_GAIN = 1 << 17
"""Sums of gains stay below 2^19, as `Table.sums` needs, up to this many for a query: see `too_much`."""

_SLOW_GAINS = frozenset({Gain.LINEAR, Gain.BINARY})
"""Gains that grow no faster than grades. Others may be beyond a computer's memory where the grade is large."""


@dataclass(eq=False, repr=False, match_args=False)
class GainsOfLists:
    """The gains of many lists, as whole numbers."""

    evaluated: EvaluatedLists  # the lists
    there: Places  # the retrieved documents that the qrels name, with their gains, before the cutoff
    judged: tuple[Integers, Segments]  # the gains of all judged documents, and which are whose
    scale: int  # gains are multiples of 1 over it

    @cached_property
    def top(self) -> Places:
        """Return the documents evaluated."""
        return self.evaluated.within(self.there)

    @cached_property
    def relevant(self) -> Integers:
        """Return how many judged documents of each query gain."""
        gains, segments = self.judged
        return segments.sums((gains > 0).astype(np.int64))

    @cached_property
    def too_much(self) -> Mask:
        """Tell which queries gain too much for fixed point."""
        return _is_beyond(self.there.grades, self.there.segments) | _is_beyond(*self.judged)

    @cached_property
    def ideal(self) -> Places:
        """Return the ideal ranking. Clauses ndcg.ideal.*; of all judged documents where there is no axis for it."""
        evaluated = self.evaluated
        rule = evaluated.convention.ideal if evaluated.measure.family.has("ideal") else Ideal.JUDGED_UNCUT
        gains, segments, limit = IDEALS[rule](self)
        gaining = np.flatnonzero(gains > 0)
        of_query = segments.of(np.arange(segments.starts.size - 1))[gaining]
        worth = gains[gaining]
        most = int(worth.max(initial=1))
        # Query and gain in one number, the greatest gain first: one sort for all queries.
        best_first = np.sort(of_query * most + (most - worth))
        inside = segments.kept(gaining)
        ranked = Places(inside, inside.counting(), None, most - best_first % most)
        return ranked if limit is None else ranked.up_to(limit)

    def ideal_at(self, places: Places) -> Integers:
        """Return what the ideal ranking gains down to the rank of each of some documents."""
        ideal = self.ideal
        running = np.concatenate(([0], np.cumsum(ideal.grades)))
        starts = ideal.segments.starts[:-1]
        ends = places.segments.of(starts) + np.minimum(places.ranks, places.segments.of(ideal.segments.sizes))
        return running[ends] - running[places.segments.of(starts)]


def gains_of(evaluated: EvaluatedLists) -> GainsOfLists | None:
    """Return the gains of lists; None if they are too large for whole numbers of 64 bits."""
    places, whole = evaluated.lists.places, evaluated.lists.judged
    rule = evaluated.convention.gain if evaluated.measure.family.has("gain") else Gain.LINEAR
    gained = gain_of(evaluated.measure, rule)
    grades, index = distinct(np.concatenate((places.grades, whole.grades)))
    if grades.size and int(grades.max()) >= LARGEST.bit_length() and rule not in _SLOW_GAINS:
        return None
    each = [Fraction(gained(int(grade))) for grade in grades]
    scale = math.lcm(*(gain.denominator for gain in each))
    scaled = [int(gain * scale) for gain in each]
    if max(scaled, default=0) > _MOST_GAIN or scale > LARGEST:
        return None
    worth = np.array(scaled, np.int64)[index] if scaled else index
    listed = Places(places.segments, places.ranks, places.tops, worth[: places.grades.size])
    return GainsOfLists(evaluated, listed, (worth[places.grades.size :], whole.segments), scale)


def _is_beyond(gains: Integers, segments: Segments) -> Mask:
    return segments.sums(gains) > LARGEST


IDEALS: Mapping[Ideal, Callable[[GainsOfLists], tuple[Integers, Segments, Integers | int | None]]] = {
    Ideal.JUDGED: lambda lists: (*lists.judged, lists.evaluated.measure.k),
    Ideal.JUDGED_UNCUT: lambda lists: (*lists.judged, None),
    Ideal.JUDGED_TO_LENGTH: lambda lists: (*lists.judged, lists.evaluated.length),
    Ideal.RETRIEVED: lambda lists: (lists.there.grades, lists.there.segments, lists.evaluated.measure.k),
    Ideal.RETRIEVED_TOP: lambda lists: (lists.top.grades, lists.top.segments, None),
}
"""The gains of the ideal ranking, in no order, and how many of them count; as `measures.cumulated_gain.IDEAL`."""
