"""The list that is evaluated, after the depth, removal of unjudged documents and the cutoff, and what is counted in it.

Where a limit falls into a block of undecided order there are several lists, each with its probability; blocks of the
lists are whole, so that a measure need not think of limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.areas.denominators import Counts
from rankspec.oracle.measures.gain import counts_as_relevant, looks_at_grades, mean_gain_suffices
from rankspec.oracle.rankings.ranking import (
    IS_NEGATIVE_JUDGED,
    IS_UNJUDGED_REMOVED,
    Blocks,
    Label,
    Ranking,
    after_removal,
    condensed,
    cut,
    is_judged,
    length,
    up_to,
)

HIT, NONRELEVANT = 1, 0
"""The classes of judged documents, where relevance counts. Others keep their label: None, or pooled."""


@dataclass(frozen=True)
class EvaluatedList:
    """One list."""

    # its documents: `HIT`, `NONRELEVANT`, None (unjudged) or pooled, in blocks; a block that begins within the cutoff
    # may reach beyond it where the mean over its orders is all that matters
    blocks: Blocks
    relevant: int  # R
    nonrelevant: int  # N, the documents of the qrels that are judged and not relevant
    k: int | None  # the cutoff, None if there is none
    labels: Blocks = ()  # the same documents with their grades, where grades count; else as in `blocks`
    whole: Blocks = ()  # the list before the cutoff, as `labels`
    hits_in_list: int = 0  # the relevant documents of the list before the cutoff
    grades: Sequence[int] = ()  # of all documents judged for the query

    @cached_property
    def length(self) -> int:
        """Return n, the documents evaluated; a block that the cutoff falls into counts up to the cutoff."""
        documents = length(self.blocks)
        return documents if self.k is None else min(documents, self.k)

    @cached_property
    def hits(self) -> int:
        """Return the relevant documents evaluated."""
        return self.count(HIT)

    @cached_property
    def judged(self) -> int:
        """Return the judged documents evaluated."""
        return self.hits + self.count(NONRELEVANT)

    @cached_property
    def counts(self) -> Counts:
        """Return what denominators are made of."""
        return Counts(
            self.relevant, self.length if self.k is None else self.k, self.length, self.hits, self.hits_in_list
        )

    def count(self, label: Label) -> int:
        """Return the documents of one class."""
        return sum(block.count(label) for block in self.blocks)


@clause("ranking.depth", "ranking.unjudged.*", "ap.cutoff")
def evaluated_lists(
    ranking: Ranking, measure: Measure, relevant: int, convention: EffectiveConvention, *, for_display: bool = False
) -> Iterator[tuple[Fraction, EvaluatedList]]:
    """Yield the lists that can be evaluated, with their probabilities; more of them to show to a reader."""
    limit = measure.limit(relevant, convention.multiple_rounding)
    is_miss = not (IS_UNJUDGED_REMOVED[convention.unjudged] or measure.family.tells_unjudged or for_display)
    is_graded = looks_at_grades(measure, convention)
    classed = cache(classes(measure, convention, is_miss=is_miss and not is_graded))

    def of_classes(blocks: Blocks) -> Blocks:
        return tuple([tuple(map(classed, block)) for block in blocks])

    blocks = ranking.blocks if is_graded else of_classes(ranking.blocks)
    if is_graded and is_miss and convention.ties is Ties.EXPECTED:  # so that a limit leaves fewer lists of a tie
        blocks = condensed(blocks, convention.unjudged)
    nonrelevant = sum(map(counts_as_judged(convention), ranking.judged)) - relevant
    whole_blocks = mean_gain_suffices(measure, convention)
    for whole, deep in cut(blocks, convention.depth, convention.ties):
        there = after_removal(deep, convention.unjudged)
        hits = sum([block.count(HIT) for block in (of_classes(there) if is_graded else there)])
        parts = [(Fraction(1), up_to(there, limit))] if whole_blocks else cut(there, limit, convention.ties)
        for part, top in parts:
            kinds = of_classes(top) if is_graded else top
            yield whole * part, EvaluatedList(kinds, relevant, nonrelevant, limit, top, there, hits, ranking.judged)


def classes(measure: Measure, convention: EffectiveConvention, *, is_miss: bool) -> Callable[[Label], Label]:
    """Return the function from labels to classes: relevant or not, unjudged ones too if each `is_miss`, else as is."""
    counts = counts_as_relevant(measure, convention)
    return lambda label: int(counts(label) > 0) if is_judged(label) else NONRELEVANT if is_miss else label


@clause("ranking.negative-grades.*")
def counts_as_judged(convention: EffectiveConvention) -> Callable[[int], bool]:
    """Return what tells whether a document of the qrels is judged, by its grade."""
    are_all = IS_NEGATIVE_JUDGED[convention.negative_grades]
    return lambda grade: are_all or grade >= 0
