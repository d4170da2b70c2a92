"""Which documents, judged relevant, give Bpref its lowest and its highest value: each number of them is counted."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.definitions.expression import NONRELEVANT_ABOVE, NONRELEVANT_IN_QRELS, RELEVANT
from rankspec.oracle.measures.choices import LOST
from rankspec.oracle.measures.evaluated_list import counts_as_judged
from rankspec.oracle.measures.terms import computed
from rankspec.oracle.rankings.ranking import Ranking, cut, is_judged, is_relevant

# ---- Rankings as they are given

Place = tuple[int, int]  # A document's block, and its place there
Choice = frozenset[Place]  # The documents that are judged relevant, of those that are not judged
Judging = Mapping[Place, int]  # The grades of those that are judged relevant
Grades = Mapping[Fraction | int, int]
"""Gain -> the grade that has it: what a document that is judged relevant can gain, in ascending order."""


@dataclass(frozen=True)
class OrderedRanking:
    """A ranking whose order is decided, and what is evaluated of it."""

    ranking: Ranking
    measure: Measure
    convention: EffectiveConvention

    @property
    def is_level(self) -> bool:
        """Whether the value is the highest precision at one level of recall."""
        return self.measure.family.cut is Cut.RECALL

    @cached_property
    def unjudged(self) -> tuple[Place, ...]:
        """The unjudged documents, first to last."""
        blocks = enumerate(self.ranking.blocks)
        return tuple((at, place) for at, block in blocks for place, each in enumerate(block) if not is_judged(each))

    @cached_property
    def depth(self) -> int:
        """How many blocks exist at all."""
        return self._blocks_of(self.convention.depth)

    @cached_property
    def seen(self) -> int:
        """How many blocks are evaluated. Once all is judged nothing is removed, so a cutoff counts documents."""
        limits = [each for each in (self.convention.depth, self.measure.k) if each is not None]
        return self._blocks_of(min(limits, default=None))

    def _blocks_of(self, limit: int | None) -> int:
        ((_, whole),) = cut(self.ranking.blocks, limit, self.convention.ties)
        return len(whole)

    @cached_property
    def inside(self) -> tuple[Place, ...]:
        """The unjudged documents that are evaluated."""
        return tuple(place for place in self.unjudged if place[0] < self.seen)

    @cached_property
    def outside(self) -> Choice:
        """The others."""
        return frozenset(self.unjudged[len(self.inside) :])

    @cached_property
    def relevant(self) -> int:
        """R, of what is judged."""
        return self.ranking.relevant(self.measure.rel)

    @cached_property
    def hits(self) -> tuple[int, ...]:
        """The hits of each block, of what is judged."""
        rel = self.measure.rel
        return tuple(sum(is_relevant(label, rel) for label in block) for block in self.ranking.blocks)

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The documents down to the end of each block."""
        return tuple(accumulate(map(len, self.ranking.blocks)))


class Ascending:
    """Numbers in ascending order, and sums of the least of each and a cap."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers = numbers
        self._sums = list(accumulate(numbers, initial=0))

    def capped(self, start: int, stop: int, added: int, cap: int) -> int:
        """Return the sum of min(number + added, cap) over some of them."""
        reached = min(max(bisect_left(self.numbers, cap - added), start), stop)
        below = self._sums[reached] - self._sums[start] + added * (reached - start)
        return below + cap * (stop - reached)


class _Standing(NamedTuple):
    """How many judged nonrelevant documents stand above others, and how many unjudged ones."""

    above_open: list[int]
    above_hits: list[int]
    open_above_hits: list[int]


@dataclass(frozen=True)
class PreferenceChoices:
    """A ranking whose order is decided: each unjudged document is judged relevant, or nonrelevant."""

    given: OrderedRanking

    @cached_property
    def _standing(self) -> _Standing:
        nonrelevant, standing = 0, _Standing([], [], [])
        for (label,) in self.given.ranking.blocks[: self.given.seen]:
            if not is_judged(label):
                standing.above_open.append(nonrelevant)
            elif is_relevant(label, self.given.measure.rel):
                standing.above_hits.append(nonrelevant)
                standing.open_above_hits.append(len(standing.above_open))
            else:
                nonrelevant += 1
        return standing

    @cached_property
    def _open(self) -> Ascending:
        return Ascending(self._standing.above_open)

    @cached_property
    def _hits(self) -> Ascending:
        return Ascending(self._standing.above_hits)

    @cached_property
    def _hits_below_open(self) -> Ascending:
        """The hits, with the unjudged documents above them counted as nonrelevant."""
        pairs = zip(self._standing.above_hits, self._standing.open_above_hits, strict=True)
        return Ascending([judged + unjudged for judged, unjudged in pairs])

    @cached_property
    def _judged_nonrelevant(self) -> int:
        judged = sum(counts_as_judged(grade, self.given.convention) for grade in self.given.ranking.judged)
        return judged - self.given.relevant

    @clause("range.judgements")
    def choices(self) -> Iterator[Choice]:
        """Yield the ends."""
        # With the number of relevant ones fixed, so are R and N. A relevant document that changes places with a
        # nonrelevant one above it, or from outside with one inside, has fewer of them above it, and no other one has
        # more. So the first ones have the highest value, and the last ones the lowest; where these are without a hit,
        # one hit has it: the last document inside, and others outside.
        inside, unjudged = self.given.inside, self.given.unjudged
        if not inside:
            return
        numbers = range(len(unjudged) + 1)
        outside, hits = len(unjudged) - len(inside), len(self._hits.numbers)
        yield frozenset(unjudged[: max(numbers if hits else numbers[1:], key=self._of_first)])
        if hits:
            yield frozenset(unjudged[len(unjudged) - min(numbers, key=self._of_last) :])
            return
        yield frozenset(unjudged[len(unjudged) - min(numbers[outside + 1 :], key=self._of_last) :])
        others = min(range(outside + 1), key=self._of_last_inside)
        yield frozenset((inside[-1], *unjudged[len(unjudged) - others :]))

    def _of_first(self, number: int) -> Fraction:
        """Return the value if the first ones are relevant."""
        chosen = min(number, len(self.given.inside))
        hits, passed = len(self._hits.numbers), bisect_right(self._standing.open_above_hits, number)
        share, cap = self._lost(number)
        lost = self._open.capped(0, chosen, 0, cap)
        lost += self._hits.capped(0, passed, 0, cap) + self._hits_below_open.capped(passed, hits, -number, cap)
        return self._value(hits + chosen, share * lost, number)

    def _of_last(self, number: int) -> Fraction:
        """Return the value if the last ones are relevant."""
        inside, hits = len(self.given.inside), len(self._hits.numbers)
        above = min(len(self.given.unjudged) - number, inside)
        passed = bisect_right(self._standing.open_above_hits, above)
        share, cap = self._lost(number)
        lost = self._open.capped(above, inside, above, cap)
        lost += self._hits_below_open.capped(0, passed, 0, cap) + self._hits.capped(passed, hits, above, cap)
        return self._value(hits + inside - above, share * lost, number)

    def _of_last_inside(self, others: int) -> Fraction:
        """Return the value if the last one inside is the only hit, with so many relevant ones outside."""
        share, cap = self._lost(others + 1)
        above = len(self.given.inside) - 1
        return self._value(1, share * self._open.capped(above, above + 1, above, cap), others + 1)

    def _relevant(self, number: int) -> int:
        return self.given.relevant + number

    def _lost(self, number: int) -> tuple[Fraction, int]:
        """Return what a hit loses by one nonrelevant document above it, and how many make it lose no more."""
        # Every variant is the least of a count and a cap, over a number.
        lost = computed(LOST[self.given.convention.bpref_variant])
        nonrelevant = self._judged_nonrelevant + len(self.given.unjudged) - number
        place = {RELEVANT.name: self._relevant(number), NONRELEVANT_IN_QRELS.name: nonrelevant}
        share = Fraction(lost(place | {NONRELEVANT_ABOVE.name: 1}))
        most = Fraction(lost(place | {NONRELEVANT_ABOVE.name: nonrelevant}))
        return (share, int(most / share)) if share else (share, 0)

    def _value(self, hits: int, lost: Fraction, number: int) -> Fraction:
        relevant = self._relevant(number)
        return (hits - lost) / relevant if relevant else Fraction(0)
