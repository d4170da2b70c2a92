"""Qrels and a run together, with what is known of where they come from."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType

from rankspec.oracle.conventions.axes import ScorePrecision, Ties
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.data.qrels import Qrels, Remembering
from rankspec.oracle.data.run import Retrieved, Run, as_float32, as_float64


@dataclass(frozen=True)
class Data(Remembering):
    """What was evaluated, and which of it is real."""

    qrels: Qrels
    run: Run
    scored: bool = True  # the scores are real ones that can be compared across queries, not made up from ranks
    named: bool = True  # the documents have names of their own, not made-up ones, so that names can decide ties
    # documents that the qrels do not name are unjudged, where otherwise (lists of ids) they are misses
    judged: bool = True
    weighed: bool = False  # documents have weights, and each stands there as often as it weighs
    weights: Mapping[str, Fraction] | None = None  # those of queries

    @property
    def default(self) -> Convention:
        """Return the default convention; where documents have weights, with one point of the curve a score."""
        return DEFAULT.with_setting("ties", Ties.GROUPED) if self.weighed else DEFAULT

    def allows(self, ties: Setting) -> bool:
        """Tell whether a rule for ties has a meaning for it: with weights there are no single ranks."""
        return not self.weighed or ties is Ties.GROUPED

    @property
    def lists(self) -> list[Sequence[Retrieved]]:
        """Return every query's documents."""
        return [self.run.documents(query) for query in self.run]

    @property
    def longest(self) -> int:
        """Return the length of the longest list."""
        return max(map(len, self.lists), default=0)

    @cached_property
    def compared(self) -> Mapping[ScorePrecision, Run]:
        """The run at each precision with whole numbers for scores, equal and in order where the rounded scores are."""
        return _compared(self.run)

    @cached_property
    def parts(self) -> Mapping[str, Data]:
        """The part of each query."""
        return {query: self.of_query(query) for query in {**dict.fromkeys(self.qrels), **dict.fromkeys(self.run)}}

    def of_query(self, query: str) -> Data:
        """Return the part of one query, on whichever side it stands."""
        judgments = {query: self.qrels.grades(query)} if query in self.qrels else {}
        results = {query: self.run.documents(query)} if query in self.run else {}
        return replace(self, qrels=Qrels.of(judgments), run=Run.of(results))

    def without(self, queries: Container[str]) -> Data:
        """Return the part of the other queries."""
        judgments = {query: self.qrels.grades(query) for query in self.qrels if query not in queries}
        results = {query: self.run.documents(query) for query in self.run if query not in queries}
        return replace(self, qrels=Qrels.of(judgments), run=Run.of(results))


def _compared(run: Run) -> dict[ScorePrecision, Run]:
    scores = [document.score for query in run for document in run.documents(query)]
    doubles = [as_float64(score) for score in scores]
    # Doubles decide nearly every comparison, and scores those that are left: rounding never turns an order round.
    order = sorted(range(len(scores)), key=lambda place: (doubles[place], scores[place]))
    rounded = {
        ScorePrecision.EXACT: scores,
        ScorePrecision.FLOAT64: doubles,
        ScorePrecision.FLOAT32: [as_float32(double) for double in doubles],
    }
    runs: dict[ScorePrecision, Run] = {}
    different = -1
    for precision, values in rounded.items():
        ranks = [0] * len(scores)
        rank = 0
        for place, following in pairwise(order):
            rank += values[place] != values[following]
            ranks[following] = rank
        # Rounding can only make scores equal: where there are as many different ones as before, nothing changed.
        if rank == different:
            runs[precision] = runs[FINER[precision]]
        else:
            in_turn = iter(ranks)
            of_queries = {
                query: tuple([Retrieved(each.docno, next(in_turn)) for each in run.documents(query)]) for query in run
            }
            runs[precision] = Run(MappingProxyType(of_queries))
        different = rank
    return runs


FINER = {ScorePrecision.FLOAT64: ScorePrecision.EXACT, ScorePrecision.FLOAT32: ScorePrecision.FLOAT64}
"""Precision -> the next finer one."""
