"""What a batch is made of: the judged documents of many ranked lists, with their ranks.

Every certified measure is a function of this, and it is small: a run of seven million lines is a few hundred thousand
integers here. Ranks are those of a strict order, or blocks of equal score stand together (`Places.tops`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rankspec.oracle.conventions.axes import NegativeGrades
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.errors import InputError
from rankspec.oracle.rankings.ranking import IS_NEGATIVE_JUDGED, IS_UNJUDGED_REMOVED
from rankspec.oracle.scoring.batch.fixed import Integers, Mask, Segments

UNJUDGED = -(2**62)  # The label of a document that the qrels do not name, in arrays of labels
Grades = NDArray[np.object_]  # Grades as the qrels have them, for subtopics or as preferences, too


class Judged(NamedTuple):
    """The grades of all judged documents of each query, retrieved or not, in any order."""

    segments: Segments  # which of them are whose
    grades: Integers
    objects: Grades | None = None  # the same as the qrels have them, where one says more than a whole number

    def counted(self, rule: NegativeGrades) -> Integers:
        """Return how many documents of each query are judged. Clauses ranking.negative-grades.*."""
        sizes = self.segments.sizes
        return sizes if IS_NEGATIVE_JUDGED[rule] else self.segments.sums((self.grades >= 0).astype(np.int64))


class Places(NamedTuple):
    """Some documents of each list, best first."""

    segments: Segments  # which of them are whose
    # the documents from the top of the list down to this one; down to the end of its block under `grouped`
    ranks: Integers
    tops: Integers | None  # the documents above its block; None where every document is a block of its own
    grades: Integers
    # the same as the qrels have them, where one says more than a whole number; not of documents that were chosen
    objects: Grades | None = None

    def chosen(self, mask: Mask) -> Places:
        """Return those that a mask chooses."""
        if mask.all():
            return self
        places = np.flatnonzero(mask)
        tops = None if self.tops is None else self.tops[places]
        return Places(self.segments.selected(places), self.ranks[places], tops, self.grades[places])

    def judged(self, rule: NegativeGrades) -> Places:
        """Return the judged ones. Clauses ranking.negative-grades.*."""
        return self if IS_NEGATIVE_JUDGED[rule] else self.chosen(self.grades >= 0)

    def up_to(self, limits: Integers | int) -> Places:
        """Return those whose rank is at most the limit: one for all, or one a query."""
        return self.chosen(self.ranks <= (limits if isinstance(limits, int) else self.segments.of(limits)))

    def begun_by(self, limits: Integers | int) -> Places:
        """Return those whose block begins within the limit."""
        return self.chosen(self.ranks_above() < (limits if isinstance(limits, int) else self.segments.of(limits)))

    def counts(self) -> Integers:
        """Return, for each, how many of them stand at or above it: a block counts as a whole."""
        counting = self.segments.counting()
        if self.tops is None or not counting.size:
            return counting
        last = np.append(self.begins_block()[1:], True)
        ends = np.flatnonzero(last)
        return counting[ends[np.searchsorted(ends, np.arange(counting.size))]]

    def counts_above(self) -> Integers:
        """Return, for each, how many of them stand above it, or above its block."""
        counting = self.segments.counting()
        if self.tops is None or not counting.size:
            return counting - 1
        begins = np.flatnonzero(self.begins_block())
        return counting[begins[np.searchsorted(begins, np.arange(counting.size), side="right") - 1]] - 1

    def ranks_above(self) -> Integers:
        """Return, for each, how many documents stand above it, or above its block."""
        return self.ranks - 1 if self.tops is None else self.tops

    def divided(self, limits: Integers | int | None) -> Mask:
        """Tell in which lists a limit falls into a block."""
        if self.tops is None or limits is None:
            return np.zeros(self.segments.sizes.size, np.bool_)
        limit = limits if isinstance(limits, int) else self.segments.of(limits)
        mask: Mask = self.segments.sums(((self.tops < limit) & (limit < self.ranks)).astype(np.int64)) > 0
        return mask

    def begins_block(self) -> Mask:
        """Tell which of them are the first of their block."""
        begins = np.ones(self.ranks.size, np.bool_)
        begins[1:] = self.ranks[1:] != self.ranks[:-1]
        starts = self.segments.starts
        begins[starts[:-1][self.segments.sizes > 0]] = True
        return begins


@dataclass(eq=False, repr=False, match_args=False)
class Lists:
    """Many queries' ranked lists, as far as measures look at them."""

    places: Places  # the retrieved documents that the qrels name
    lengths: Integers  # the documents of each list
    judged: Judged  # the grades of the qrels
    # per query, whether a document of the qrels stands in a block with another document. Ranks are those of a strict
    # order where it is None.
    tied: Mask | None = None

    @property
    def queries(self) -> int:
        """Return the number of queries."""
        return self.lengths.size

    def without(self, left_out: Mask) -> Lists:
        """Return the same queries, some of them emptied: neither documents nor judgments."""
        if not left_out.any():
            return self
        selected = np.flatnonzero(~self.judged.segments.of(left_out))
        emptied = Judged(self.judged.segments.selected(selected), self.judged.grades[selected])
        places = self.places.chosen(~self.places.segments.of(left_out))
        return replace(self, places=places, lengths=np.where(left_out, 0, self.lengths), judged=emptied)

    def deep(self, convention: Convention) -> Lists:
        """Return what a depth and the removal of unjudged documents leave. Clauses ranking.depth, ranking.unjudged.*.

        A depth drops a block that it falls into, so that such lists are left out under `expected` (`values.py`).
        """
        deep = self
        if convention.depth is not None:
            limited = self.places.up_to(convention.depth)
            deep = replace(self, places=limited, lengths=np.minimum(self.lengths, convention.depth))
        if not IS_UNJUDGED_REMOVED[convention.unjudged]:
            return deep
        judged = deep.places.judged(convention.negative_grades)
        tops = None if judged.tops is None else judged.counts_above()
        left = judged._replace(ranks=judged.counts(), tops=tops)
        return replace(deep, places=left, lengths=left.segments.sizes)


def lists_of_labels(
    labels: NDArray[Any], offsets: NDArray[Any], num_relevant: NDArray[Any] | None = None, judged: Judged | None = None
) -> Lists:
    """Return lists from labels in rank order, query after query.

    Args:
        labels: booleans, or grades as whole numbers; `UNJUDGED` for a document that the qrels do not name.
        offsets: where each query's labels begin, and the end of the last one's: one more than there are queries.
        num_relevant: R of each query, where relevance is a label of at least 1; by default the relevant ones listed.
        judged: the grades of the qrels, retrieved or not, instead of `num_relevant`; a graded measure needs them where
            documents of other grades than 1 were not retrieved.

    Raises:
        InputError: the labels are no such numbers, or the offsets do not divide them.
    """
    given, starts = np.asarray(labels), np.asarray(offsets)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "biu"):
        raise InputError("labels: a flat array of booleans or whole numbers is needed", code="labels-not-flat")
    starts = starts.astype(np.int64)
    divides = starts.ndim == 1 and starts.size and starts[0] == 0 and starts[-1] == given.size
    if not divides or (np.diff(starts) < 0).any():
        reason = "offsets: they start with 0, never fall and end with the number of labels"
        raise InputError(reason, code="offsets-malformed")
    lists, found = Segments(starts), np.flatnonzero(given != UNJUDGED)
    segments = lists.selected(found)
    places = Places(segments, found + 1 - segments.of(starts[:-1]), None, given[found].astype(np.int64))
    return Lists(places, lists.sizes, judged or _implied(places, num_relevant))


def _implied(places: Places, num_relevant: NDArray[Any] | None) -> Judged:
    """Return the judgments that labels and R imply: those of the list, a grade of 1 for each relevant one missing."""
    if num_relevant is None:
        return Judged(places.segments, places.grades)
    starts, hits, relevant = (
        places.segments.starts,
        places.segments.sums((places.grades >= 1).astype(np.int64)),
        np.asarray(num_relevant),
    )
    if relevant.shape != hits.shape or (relevant < hits).any():
        reason = "num_relevant: one number a query, at least the relevant documents in its list"
        raise InputError(reason, code="num-relevant-too-low")
    missing = (relevant - hits).astype(np.int64)
    grades = np.insert(places.grades, np.repeat(starts[1:], missing), 1)
    return Judged(Segments(starts + np.concatenate(([0], np.cumsum(missing)))), grades)
