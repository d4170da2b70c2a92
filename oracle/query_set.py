"""Qrels and a run together: each query's ranking, made once for all measures that see the same one."""

from __future__ import annotations

from collections.abc import Hashable

from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.measures.worth import worth_of
from rankspec.oracle.rankings.ordering import ranking_of
from rankspec.oracle.rankings.ranking import Ranking

_LABELS_DECIDE = frozenset({Ties.OPTIMISTIC, Ties.PESSIMISTIC})


class QuerySet:
    """Qrels and a run, with the rankings made of them so far."""

    def __init__(self, qrels: Qrels, run: Run) -> None:
        """Keep what is evaluated."""
        self.qrels = qrels
        self.run = run
        self._rankings: dict[Hashable, Ranking] = {}

    def ranking(self, query: str, measure: Measure, convention: EffectiveConvention) -> Ranking:
        """Return the labelled ranking of one query of the qrels, empty if the run lacks it.

        Raises:
            UndefinedValueError: a document appears twice and the convention says `error`.
        """
        key = (query, *_what_decides(measure, convention))
        if key not in self._rankings:
            self._rankings[key] = ranking_of(
                query,
                self.run.documents(query),
                self.qrels.grades(query),
                convention,
                worth_of(measure, convention),
            )
        return self._rankings[key]


def _what_decides(measure: Measure, convention: EffectiveConvention) -> tuple[Hashable, ...]:
    """Return what a ranking depends on: the measure only where labels decide ties."""
    labels = (measure, convention.gain, convention.rbp_gain) if convention.ties in _LABELS_DECIDE else ()
    return (
        convention.score_precision,
        convention.negative_grades,
        convention.ties,
        convention.duplicates,
        convention.depth,
        *labels,
    )
