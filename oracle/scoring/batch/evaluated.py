"""Many lists as one measure looks at them: the certified reading of its definition.

What no definition says, and ties in undecided order that have no mean here, are left to the exact path: of 1,000 lists
of 1,000 documents, 100 of each judged, it takes 2 s (areas), 4 s (ERR), 9 s (RBPResidual) and 8 s (RnDCG). Only that of
DCG and average precision takes more than 20 s where there are but a few different scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import NamedTuple, cast

import numpy as np
from rankspec.oracle.conventions.axes import Gain, Ideal, Interpolation, Ties
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.definitions import expression as algebra
from rankspec.oracle.measures.areas.denominators import hits_for_level
from rankspec.oracle.measures.choices import settled, settled_definition
from rankspec.oracle.measures.gain import gain_of
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.rankings.ranking import IS_NEGATIVE_JUDGED
from rankspec.oracle.reals.real import Real
from rankspec.oracle.scoring.batch.arithmetic import Arithmetic, Integer, Ratio, Read, TooWideError
from rankspec.oracle.scoring.batch.fixed import (
    BITS,
    LARGEST,
    Doubles,
    Fixed,
    Integers,
    Mask,
    Segments,
    distinct,
    quotients,
)
from rankspec.oracle.scoring.batch.lists import Lists, Places
from rankspec.oracle.values import Exact, Undefined

# ---- Which measures are read


_OF_DOCUMENTS = frozenset({"hit", "judged", "nonrelevant", "document"})
_UNREAD = frozenset({"highest", "grade"})
_WITH_MEANS = (frozenset({"hit", "count", "rank"}), frozenset({"gain", "rank"}))


def definition_of(measure: Measure, convention: EffectiveConvention) -> algebra.Definition | None:
    """Return the definition that is read, settled: a measure's own, or the uninterpolated area's; None without one."""
    if measure.family.is_area and convention.interpolation is Interpolation.STEP:
        return algebra.Definition(
            algebra.HIT * (algebra.COUNT / algebra.RANK),
            settled(algebra.Choice("denominator"), measure, convention),
        )
    if measure.family.definition is None:
        return None
    definition = settled_definition(measure, convention)
    every = definition.term, definition.divisor, definition.extra
    inside = [part for each in every for part in algebra.parts(each)]
    is_of_hits = any(algebra.has_factor(definition.term, name) for name in ("hit", "first", "gain"))
    is_read = (
        (is_of_hits or is_of_documents(definition.term))
        and not any(isinstance(part, algebra.Above) for part in inside)
        and _UNREAD.isdisjoint(name for each in every for name in algebra.names(each))
    )
    return definition if is_read else None


def is_read(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether a measure has certified values: by a definition, or as a point of the curve."""
    return measure.recall is not None or definition_of(measure, convention) is not None


def is_of_documents(term: algebra.Expression) -> bool:
    """Tell whether a term is of degree 1 in what documents are by themselves, wherever they stand."""
    return _quantities(term) <= _OF_DOCUMENTS and algebra.degree(term, _OF_DOCUMENTS) <= 1


def has_mean(term: algebra.Expression) -> bool:
    """Tell whether a term has its mean over the orders of a tie where means are put in for what it depends on."""
    is_linear = all(algebra.degree(term, frozenset({name})) <= 1 for name in ("hit", "gain", "count"))
    return is_linear and any(_quantities(term) <= known for known in _WITH_MEANS)


def _quantities(term: algebra.Expression) -> frozenset[str]:
    return frozenset(name for name in algebra.names(term) if algebra.SIGNS[name].scope is not algebra.Scope.LIST)


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
            scaled = [(numerator << BITS, denominator) for numerator, denominator in pairs]
            ends = [(numerator // denominator, -(-numerator // denominator)) for numerator, denominator in scaled]
            fixed = fixed.replaced(large, Fixed.between(ends))
            small[large] = True
        return cls(fixed, above / by, exact, small, np.zeros(above.size, np.int64))

    @classmethod
    def nothing(cls, queries: int) -> Outcomes:
        """Return numbers of which nothing is known: the exact path decides them all."""
        zeros, no = np.zeros(queries, np.int64), np.zeros(queries, np.bool_)
        return cls(Fixed.whole(zeros), zeros.astype(np.float64), no, no, zeros)

    def set(self, chosen: Mask, value: Exact) -> Outcomes:
        """Put in one value for some queries, a small fraction or an undefined one."""
        if not chosen.any():
            return self
        is_undefined = isinstance(value, Undefined)
        number = Fraction(0) if isinstance(value, Undefined | Real) else value
        above, below = (np.full(chosen.size, part) for part in (number.numerator, number.denominator))
        return Outcomes(
            Fixed.ratios(above, below).where(chosen, self.fixed),
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


_SLOW_GAINS = frozenset({Gain.LINEAR, Gain.BINARY})
"""Gains that grow no faster than grades. Others may be beyond a computer's memory where the grade is large."""


@dataclass(eq=False, repr=False, match_args=False)
class EvaluatedLists:
    """Many lists as one measure looks at them."""

    lists: Lists  # after depth and removal, before the cutoff
    measure: Measure
    convention: EffectiveConvention  # the convention with what the measure says put in

    def outcomes(self) -> Outcomes:
        """Return the values, with the rules for what is undefined; nothing where numbers become too large."""
        try:
            pairs = (self.there.grades, self.there.segments), (self.of_qrels, self.lists.judged.segments)
            retrieved, judged = (segments.sums(gains) > LARGEST for gains, segments in pairs)
            if (large := retrieved | judged).any():  # more than fixed point holds
                return replace(self, lists=self.lists.without(large)).outcomes().except_for(large)
            outcomes = self._values()
        except TooWideError:
            return Outcomes.nothing(self.lists.queries)
        if not self.measure.family.has("no_relevant"):
            return outcomes
        outcomes = outcomes.set(self.hits == 0, RULES[self.convention.no_hits])
        return outcomes.set(self.relevant == 0, RULES[self.convention.no_relevant])

    def _values(self) -> Outcomes:
        if self.measure.recall is not None:
            return self._interpolated(self.measure.recall)
        definition = cast("algebra.Definition", definition_of(self.measure, self.convention))  # it `is_read`
        of_list = Arithmetic(self._of_list(), {}, Segments(np.arange(self.lists.queries + 1)))

        def total(of_ranks: Mapping[str, Callable[[], Integers | Ratio]], segments: Segments) -> Read:
            reading = replace(of_list, of_ranks=of_ranks, segments=segments)
            return reading.total(algebra.read(definition.term, reading))

        together: dict[str, Callable[[], Integers | Ratio]] = {  # what the documents of a list are
            "hit": lambda: self.hits,
            "judged": lambda: self.judged.segments.sizes,
            "nonrelevant": lambda: self.judged.segments.sizes - self.hits,
            "document": lambda: self.length,
        }
        whole: Read
        if self.is_undecided and has_mean(definition.term):
            whole = total(*self._of_places())
        elif is_of_documents(definition.term):
            whole = algebra.read(definition.term, replace(of_list, of_list=self._of_list() | together))
        else:
            whole = total(self._of_ranks(), self.at_hits.segments)
        whole = of_list.operation(algebra.Operator.ADD, (whole, algebra.read(definition.extra, of_list)))
        if definition.divisor == algebra.IDEAL_TOTAL:
            ideal = self.ideal
            of_ranks = {"gain": lambda: self._scaled(ideal.grades), "rank": lambda: ideal.ranks}
            gained, most = (of_list.fixed(each) for each in (whole, total(of_ranks, ideal.segments)))
            empty, one = (self.hits == 0) | (most.limbs[0] == 0), Fixed.whole(np.ones_like(self.hits))
            return Outcomes.of(quotients(one.where(empty, gained), one.where(empty, most)))  # a rule says what empty is
        below = algebra.read(definition.divisor, of_list)
        value = of_list.operation(algebra.Operator.DIVIDE, (whole, below))
        if isinstance(value, Ratio):
            outcomes = Outcomes.quotients(value.above.numbers, value.below.numbers)
        else:
            outcomes = Outcomes.of(of_list.fixed(value))
        if definition.empty and isinstance(below, Ratio):
            outcomes = outcomes.set(below.above.numbers == 0, definition.empty)
        return outcomes

    def _interpolated(self, level: Fraction) -> Outcomes:
        """Return the highest precision from a recall level on. Clause iprec.at."""
        # Rounding is monotone, and different precisions of ranks below 2^19 have different doubles.
        at_hits, grid = self.at_hits, self.convention.recall_grid
        each, index = distinct(np.maximum(self.relevant, 1))
        needed = np.array([hits_for_level(level, int(relevant), grid) for relevant in each], np.int64)[index]
        counts, owners = at_hits.counts(), at_hits.segments.of(np.arange(self.lists.queries))
        precisions, highest = counts / at_hits.ranks, np.zeros(self.lists.queries)
        np.maximum.at(highest, owners, np.where(counts >= needed[owners], precisions, 0))
        best = np.flatnonzero((precisions == highest[owners]) & (counts >= needed[owners]))
        above, below = np.zeros((2, self.lists.queries), np.int64)
        above[owners[best]], below[owners[best]] = counts[best], at_hits.ranks[best]
        return Outcomes.quotients(above, below)

    # ---- What documents are worth: relevant ones 1, where grades are gains these, as multiples of 1 over a scale

    @cached_property
    def _scaled_gains(self) -> tuple[Integers, int]:
        """Return what retrieved and then all judged documents are worth, times the scale, and the scale."""
        grades = np.concatenate((self.lists.places.grades, self.lists.judged.grades))
        if not self.measure.is_graded:
            return (grades >= self.measure.rel).astype(np.int64), 1
        rule = self.convention.gain if self.measure.family.has("gain") else Gain.LINEAR
        gained = gain_of(self.measure, rule)
        different, index = distinct(grades)
        is_beyond = rule not in _SLOW_GAINS and int(different.max(initial=0)) >= LARGEST.bit_length()
        each = [] if is_beyond else [Fraction(gained(int(grade))) for grade in different]
        scale = math.lcm(*(gain.denominator for gain in each))
        scaled = [int(gain * scale) for gain in each]
        if is_beyond or max(scaled, default=0) > LARGEST or scale > LARGEST:
            raise TooWideError
        return np.array(scaled, np.int64)[index], scale

    @property
    def _scale(self) -> int:
        return self._scaled_gains[1]

    @cached_property
    def there(self) -> Places:
        """Return the retrieved documents that the qrels name, with their worth for grades."""
        places = self.lists.places
        return places._replace(grades=self._scaled_gains[0][: places.grades.size], objects=None)

    @cached_property
    def of_qrels(self) -> Integers:
        """Return the worth of all judged documents."""
        return self._scaled_gains[0][self.lists.places.grades.size :]

    @cached_property
    def relevant(self) -> Integers:
        """Return R."""
        return self.lists.judged.segments.sums((self.of_qrels > 0).astype(np.int64))

    # ---- What is evaluated

    @cached_property
    def limit(self) -> Integers | int | None:
        """Return how many documents are evaluated: one number for all, or one a query."""
        if not self.measure.family.limit_is_relevant:
            return self.measure.k
        each, index = distinct(self.relevant)
        limits = [self.measure.limit(int(relevant), self.convention.multiple_rounding) for relevant in each]
        return np.array(limits, np.int64)[index] if limits else self.relevant

    @cached_property
    def is_undecided(self) -> bool:
        """Tell whether documents stand in blocks of undecided order."""
        is_tied = self.lists.tied is not None and self.convention.ties is Ties.EXPECTED
        return is_tied and self.lists.places.tops is not None

    def _within(self, places: Places) -> Places:
        """Return those of some documents that are evaluated; of blocks of undecided order those that begin there."""
        if self.limit is None:
            return places
        return places.begun_by(self.limit) if self.is_undecided else places.up_to(self.limit)

    @cached_property
    def _in_list(self) -> Places:
        """Return the hits before the cutoff."""
        return self.there.chosen(self.there.grades > 0)

    @cached_property
    def at_hits(self) -> Places:
        """Return the hits that are evaluated."""
        return self._within(self._in_list)

    @property
    def hits(self) -> Integers:
        """Return their number."""
        return self.at_hits.segments.sizes

    @cached_property
    def length(self) -> Integers:
        """Return the number of documents evaluated."""
        return self.lists.lengths if self.limit is None else np.minimum(self.lists.lengths, self.limit)

    @cached_property
    def judged(self) -> Places:
        """Return the judged documents evaluated. Clauses ranking.negative-grades.*."""
        return self._within(self.lists.places.judged(self.convention.negative_grades))

    @cached_property
    def ideal(self) -> Places:
        """Return the ideal ranking. Clauses ndcg.ideal.*; of all judged documents where there is no axis for it."""
        rule = self.convention.ideal if self.measure.family.has("ideal") else Ideal.JUDGED_UNCUT
        gains, segments, limit = IDEALS[rule](self)
        gaining = np.flatnonzero(gains > 0)
        of_query = segments.of(np.arange(segments.starts.size - 1))[gaining]
        worth = gains[gaining]
        most = int(worth.max(initial=1))
        # Query and gain in one number, the greatest gain first: one sort for all queries.
        best_first = np.sort(of_query * most + (most - worth))
        inside = segments.selected(gaining)
        ranked = Places(inside, inside.counting(), None, most - best_first % most)
        return ranked if limit is None else ranked.up_to(limit)

    # ---- Quantities

    def _of_list(self) -> dict[str, Callable[[], Integers | Ratio]]:
        lists = self.lists
        return {
            "relevant": lambda: self.relevant,
            "cutoff": lambda: self.length if self.limit is None else np.full(lists.queries, self.limit),
            "length": lambda: self.length,
            "hits": lambda: self.hits,
            "hits_in_list": lambda: self._in_list.segments.sizes,
            "judged_in_list": lambda: self.judged.segments.sizes,
            "nonrelevant_in_qrels": lambda: lists.judged.counted(self.convention.negative_grades) - self.relevant,
            "ideal_gain": lambda: self._scaled(self.ideal.segments.sums(self.ideal.grades), is_of_list=True),
        }

    def _of_ranks(self) -> dict[str, Callable[[], Integers | Ratio]]:
        """Return the quantities of relevant documents."""
        at_hits = self.at_hits
        return {
            "hit": lambda: np.ones(at_hits.ranks.size, np.int64),
            "rank": lambda: at_hits.ranks,
            "count": at_hits.counts,
            "first": lambda: (at_hits.segments.counting() == 1).astype(np.int64),
            "missed": lambda: at_hits.ranks - at_hits.counts(),
            "nonrelevant_above": self._nonrelevant_above,
            "pooled_above": self._pooled_above,
            "gain": lambda: self._scaled(at_hits.grades),
            "gained": lambda: self._scaled(_running(at_hits.grades, at_hits.segments)),
            "ideal_gained": lambda: self._scaled(self._ideal_gained()),
        }

    def _of_places(self) -> tuple[dict[str, Callable[[], Integers | Ratio]], Segments]:
        """Return the means over the orders of ties, of all ranks of the blocks that have a hit, and whose they are."""
        at_hits, limit = self.at_hits, self.limit
        firsts = np.flatnonzero(at_hits.begins_block())
        blocks, in_block = at_hits.segments.selected(firsts), Segments(np.append(firsts, at_hits.ranks.size))
        tops, ends = at_hits.ranks_above()[firsts], at_hits.ranks[firsts]
        last = ends if limit is None else np.minimum(ends, limit if isinstance(limit, int) else blocks.of(limit))
        places = Segments(np.concatenate(([0], np.cumsum(last - tops))))
        place, sizes, hits = places.counting(), places.of(ends - tops), places.of(in_block.sizes)
        ranks, above = places.of(tops) + place, places.of(at_hits.counts_above()[firsts])
        # Of the n - 1 documents beside a hit r - 1 are hits, of which (j - 1)/(n - 1) stand above its place j: the
        # closed form of McSherry and Najork (ECIR 2008).
        others = np.maximum(sizes - 1, 1)
        counts = (above + 1) * others + (place - 1) * (hits - 1)
        gains, scales = places.of(in_block.sums(at_hits.grades)), sizes * self._scale
        pairs = {"hit": (hits, sizes), "count": (counts, others), "gain": (gains, scales)}
        means = {name: Ratio(*(Integer(each, is_of_list=False) for each in pair)) for name, pair in pairs.items()}
        of_ranks: dict[str, Callable[[], Integers | Ratio]] = {name: partial(means.__getitem__, name) for name in means}
        return of_ranks | {"rank": lambda: ranks}, Segments(places.starts[blocks.starts])

    def _scaled(self, gains: Integers, *, is_of_list: bool = False) -> Integers | Ratio:
        if self._scale == 1:
            return gains
        scale = np.full(self.lists.queries, self._scale)
        return Ratio(Integer(gains, is_of_list), Integer(scale, is_of_list=True))

    def _nonrelevant_above(self) -> Integers:
        judged = self.judged
        return judged.segments.counting()[judged.grades >= self.measure.rel] - self.at_hits.segments.counting()

    def _pooled_above(self) -> Integers:
        places = self.lists.places
        if IS_NEGATIVE_JUDGED[self.convention.negative_grades]:
            return np.zeros(self.at_hits.ranks.size, np.int64)
        return _running((places.grades < 0).astype(np.int64), places.segments)[places.grades >= self.measure.rel]

    def _ideal_gained(self) -> Integers:
        """Return what the ideal ranking gains down to the rank of each hit."""
        ideal, at_hits = self.ideal, self.at_hits
        running = np.concatenate(([0], np.cumsum(ideal.grades)))
        starts = at_hits.segments.of(ideal.segments.starts[:-1])
        ends = starts + np.minimum(at_hits.ranks, at_hits.segments.of(ideal.segments.sizes))
        return running[ends] - running[starts]


def _running(numbers: Integers, segments: Segments) -> Integers:
    """Return running sums within each query."""
    running = np.concatenate((np.zeros(1, np.int64), np.cumsum(numbers)))
    within: Integers = running[1:] - segments.of(running[segments.starts[:-1]])
    return within


IDEALS: Mapping[Ideal, Callable[[EvaluatedLists], tuple[Integers, Segments, Integers | int | None]]] = {
    Ideal.JUDGED: lambda lists: (lists.of_qrels, lists.lists.judged.segments, lists.measure.k),
    Ideal.JUDGED_UNCUT: lambda lists: (lists.of_qrels, lists.lists.judged.segments, None),
    Ideal.JUDGED_TO_LENGTH: lambda lists: (lists.of_qrels, lists.lists.judged.segments, lists.length),
    Ideal.RETRIEVED: lambda lists: (lists.there.grades, lists.there.segments, lists.measure.k),
    Ideal.RETRIEVED_TOP: lambda lists: (lists.at_hits.grades, lists.at_hits.segments, None),
}
"""The gains of the ideal ranking, in no order, and how many of them count; as `measures.defined.IDEAL`."""
