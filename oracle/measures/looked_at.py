"""The list that is looked at, after the depth, removal of unjudged documents and the cutoff, and what is counted in it.

Where a limit falls into a block of undecided order there are several lists, each with its probability; blocks of the
lists are whole, so that a measure need not think of limits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import NegativeGrades
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.measures.denominators import Counts
from rankspec.oracle.rankings.cutting import Blocks, cut, listed
from rankspec.oracle.rankings.ranking import Label, Ranking, is_judged, is_relevant, length

HIT, NONRELEVANT = 1, 0
"""The classes of judged documents, where relevance counts. Others keep their label: None, or pooled."""


@dataclass(frozen=True)
class EvaluatedList:
    """One list.

    Attributes:
        blocks: the documents looked at: `HIT`, `NONRELEVANT`, None (unjudged) or pooled, in blocks.
        relevant: R.
        nonrelevant: N, the documents of the qrels that are judged and not relevant.
        k: the cutoff, None if there is none.
    """

    blocks: Blocks
    relevant: int
    nonrelevant: int
    k: int | None

    @cached_property
    def length(self) -> int:
        """Return n, the documents looked at."""
        return length(self.blocks)

    @cached_property
    def binary(self) -> Blocks:
        """Return the blocks with 1 for relevant and 0 for everything else."""
        return tuple(tuple(int(label == HIT) for label in block) for block in self.blocks)

    @cached_property
    def hits(self) -> int:
        """Return the relevant documents looked at."""
        return self.count(HIT)

    @cached_property
    def judged(self) -> int:
        """Return the judged documents looked at."""
        return self.hits + self.count(NONRELEVANT)

    @cached_property
    def counts(self) -> Counts:
        """Return what denominators are made of."""
        return Counts(self.relevant, self.length if self.k is None else self.k, self.length, self.hits)

    def count(self, label: Label) -> int:
        """Return the documents of one class."""
        return sum(block.count(label) for block in self.blocks)


@clause("ranking.depth", "ranking.unjudged.*", "ap.cutoff")
def looked_at(
    ranking: Ranking, rel: int, k: int | None, convention: EffectiveConvention
) -> Iterator[tuple[Fraction, EvaluatedList]]:
    """Yield the lists that can be looked at, with their probabilities."""
    relevant = ranking.relevant(rel)
    blocks = tuple(tuple(_class(label, rel) for label in block) for block in ranking.blocks)
    nonrelevant = sum(1 for grade in ranking.judged if counts_as_judged(grade, convention)) - relevant
    for whole, deep in cut(blocks, convention.depth, convention.ties):
        for part, top in cut(listed(deep, convention.unjudged), k, convention.ties):
            yield whole * part, EvaluatedList(top, relevant, nonrelevant, k)


def _class(label: Label, rel: int) -> Label:
    return int(is_relevant(label, rel)) if is_judged(label) else label


@clause("ranking.negative-grades.*")
def counts_as_judged(grade: int, convention: EffectiveConvention) -> bool:
    """Tell whether a document of the qrels is judged."""
    if grade >= 0:
        return True
    match convention.negative_grades:
        case NegativeGrades.NONRELEVANT:
            return True
        case NegativeGrades.UNJUDGED:
            return False
        case _:
            assert_never(convention.negative_grades)
