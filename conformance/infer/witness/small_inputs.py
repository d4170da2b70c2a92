"""A small input: qrels and a run of at most a few documents, with the size by which inputs are put in order.

A ranked list without ties is written as labels, which have no scores; everything else has scores, written so that a
reader sees at once which of them are equal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from rankspec.oracle.conventions.measure import decimal_text
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Retrieved, Run, Score
from rankspec.oracle.rankings.ranking import is_relevant


class Size(NamedTuple):
    """What makes an input small, in this order."""

    documents: int  # lines of the run
    relevant: int  # relevant documents, retrieved or not
    score_levels: int  # different scores; 0 where labels in rank order say all


def size_of(qrels: Qrels, run: Run, rel: int) -> Size:
    """Return how small an input is that has scores."""
    scores = [score for query in run for _, score in run.documents(query)]
    relevant = sum(is_relevant(grade, rel) for query in qrels for grade in qrels.grades(query).values())
    return Size(len(scores), relevant, len({*scores}))


@dataclass(frozen=True)
class SmallInput:
    """An input that an enumeration yields."""

    size: Size
    # how it is written: `relevance`, `labels`, `actual`, `queries` or `qrels`; see `conformance.cases.inputs`
    form: str
    # query -> docno -> grade; a query that is unknown to the qrels is not there
    judged: Mapping[str, Mapping[str, int]]
    # query -> documents in file order; a query that is missing from the run is not there
    results: Mapping[str, tuple[Retrieved, ...]]

    @property
    def qrels(self) -> Qrels:
        """Return the judgments."""
        return Qrels(self.judged)

    @property
    def run(self) -> Run:
        """Return what was retrieved."""
        return Run(self.results)

    @property
    def data(self) -> dict[str, Any]:
        """Return the input as a fixture case has it."""
        if self.form == "qrels":
            return {
                "qrels": {query: dict(grades) for query, grades in self.judged.items()},
                "run": {
                    query: [[docno, score_text(score)] for docno, score in docs] for query, docs in self.results.items()
                },
            }
        if self.form == "queries":
            return {"queries": {query: self._relevance(query) for query in self.judged}}
        (query,) = self.judged
        if self.form == "relevance":
            return self._relevance(query)
        docnos = [docno for docno, _ in self.results[query]]
        if self.form == "actual":
            return {"actual": [docno for docno, grade in self.judged[query].items() if grade > 0], "predicted": docnos}
        return {
            "labels": [self.judged[query][docno] for docno in docnos],
            "scores": [score_text(score) for _, score in self.results[query]],
        }

    def _relevance(self, query: str) -> dict[str, Any]:
        grades = self.judged[query]
        labels = [grades[docno] for docno, _ in self.results[query]]
        return {"relevance": labels, "num_relevant": sum(grade > 0 for grade in grades.values())}


def score_text(score: Score) -> int | str:
    """Write a score as a fixture has it: a whole number, or the text of a decimal."""
    if isinstance(score, float) and math.isinf(score):
        return str(score)
    exact = Fraction(score)
    return int(exact) if exact.denominator == 1 else decimal_text(exact)
