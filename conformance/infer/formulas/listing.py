"""One query as a formula sees it: a list of gains, best first, what was judged, and the cutoff."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

from rankspec.oracle.conventions.axes import Unjudged
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.rankings.ranking import Label, Ranking, is_judged, is_relevant


class Row(NamedTuple):
    """A document in a list.

    Attributes:
        gain: its grade, 0 if it is not relevant; 1 for all relevant ones where grades are no gains.
        score: documents next to each other with an equal one are tied.
    """

    gain: int
    score: Any


Rows = list[Row]


@dataclass(frozen=True)
class Query:
    """A query's list before any cutoff.

    Attributes:
        judged: the gains of all that was judged, in the order of the judgments.
        k: the cutoff.
    """

    rows: tuple[Row, ...]
    judged: tuple[int, ...]
    k: int | None

    @cached_property
    def relevant(self) -> int:
        """R, the relevant documents."""
        return sum(gain > 0 for gain in self.judged)

    @property
    def limit(self) -> int:
        """The cutoff, or the length of a list without one."""
        return len(self.rows) if self.k is None else self.k


def query_of(ranking: Ranking, measure: Measure, convention: Convention) -> Query:
    """Return what is left of a ranking: removed documents are gone, the cutoff is still to come."""
    scores = ranking.scores or tuple(range(len(ranking.blocks)))
    removes = convention.unjudged is Unjudged.REMOVED
    levels = {score: level for level, score in enumerate(dict.fromkeys(scores))}
    rows = tuple(
        Row(_gain(label, measure), levels[score])
        for block, score in zip(ranking.blocks, scores, strict=True)
        for label in block
        if is_judged(label) or not removes
    )
    return Query(rows, tuple(_gain(grade, measure) for grade in ranking.judged), measure.k)


def _gain(label: Label, measure: Measure) -> int:
    if measure.is_graded:
        return label if is_judged(label) and label > 0 else 0
    return int(is_relevant(label, measure.rel))


def ties(rows: Rows) -> Iterator[list[int]]:
    """Yield the places of each group of equal scores."""
    for _, group in groupby(range(len(rows)), key=lambda place: rows[place].score):
        yield list(group)
