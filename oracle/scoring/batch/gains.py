"""The gains of many lists as whole numbers: of the documents retrieved, of all judged ones, and of ideal rankings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from rankspec.oracle.conventions.axes import Gain, Ideal
from rankspec.oracle.measures.worth import gain_of
from rankspec.oracle.scoring.batch.evaluated import EvaluatedLists
from rankspec.oracle.scoring.batch.fixed import LARGEST, Integers, Mask, Segments, distinct
from rankspec.oracle.scoring.batch.lists import Places

_MOST_GAIN = 1 << 17
"""Sums of gains stay below 2^19, as `Table.sums` needs, up to this many for a query: see `too_much`."""

_SLOW_GAINS = frozenset({Gain.LINEAR, Gain.BINARY})
"""Gains that grow no faster than grades. Others may be beyond a computer's memory where the grade is large."""


@dataclass(eq=False, repr=False, match_args=False)
class GainsOfLists:
    """The gains of many lists, as whole numbers.

    Attributes:
        evaluated: the lists.
        there: the retrieved documents that the qrels name, with their gains, before the cutoff.
        judged: the gains of all judged documents, and which are whose.
        scale: gains are multiples of 1 over it.
    """

    evaluated: EvaluatedLists
    there: Places
    judged: tuple[Integers, Segments]
    scale: int

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
        most = int(worth.max(initial=0)) + 1
        # Query and gain in one number, the greatest gain first: one sort for all queries.
        best_first = np.sort(of_query * most + (most - 1 - worth))
        inside = segments.kept(gaining)
        ranked = Places(inside, inside.counting(), None, most - 1 - best_first % most)
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
    places, whole = evaluated.lists.places, evaluated.lists.judged.whole
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
