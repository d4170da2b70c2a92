"""A ranking whose unjudged documents are to be judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
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

    @cached_property
    def unjudged(self) -> tuple[Place, ...]:
        """The unjudged documents, first to last."""
        return unjudged_places(self.ranking)

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

    @property
    def documents(self) -> int:
        """Return their number."""
        return self.ends[-1] if self.ends else 0

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The documents down to the end of each block."""
        return tuple(accumulate(map(len, self.ranking.blocks)))


def unjudged_places(ranking: Ranking) -> tuple[Place, ...]:
    """Return the unjudged documents of a ranking, first to last."""
    blocks = enumerate(ranking.blocks)
    return tuple((at, place) for at, block in blocks for place, each in enumerate(block) if not is_judged(each))
