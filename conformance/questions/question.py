"""A question: an input and a measure, whatever convention the answer is judged under.

Several cases may share one question (the same input under every tie rule); it is asked once, under the id of the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.inputs import CaseInput
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.language.expression import family_in, parse_measure


@dataclass(frozen=True)
class Question:
    """An input and a measure."""

    id: str  # the id of the first case that asks it
    measure: Measure
    qrels: Qrels
    run: Run
    cases: tuple[str, ...] = field(default=(), compare=False)  # the ids of all of them

    @property
    def size(self) -> tuple[int, int, int]:
        """How small it is to look at: queries, documents in the run, judged documents."""
        queries = {*self.qrels, *self.run}
        retrieved = sum(len(self.run.documents(query)) for query in queries)
        return len(queries), retrieved, sum(len(self.qrels.grades(query)) for query in queries)


def questions_of(
    cases: Iterable[Case], measure: Measure | None = None, keeps: Callable[[Measure], bool] | None = None
) -> list[Question]:
    """Return the distinct questions of cases, all under one measure but for those that it `keeps` (other cutoffs)."""
    grouped: dict[object, tuple[Case, CaseInput, Measure, list[str]]] = {}
    for case in cases:
        own = _measure_of(case) if measure is None or keeps is not None else None
        asked = own if measure is None or (own is not None and keeps is not None and keeps(own)) else measure
        if case.input is None or asked is None:
            continue
        key = (asked, _content(case.input))
        grouped.setdefault(key, (case, case.input, asked, []))[3].append(case.id)
    return [
        Question(case.id, asked, given.qrels, given.run, tuple(ids)) for case, given, asked, ids in grouped.values()
    ]


def _measure_of(case: Case) -> Measure | None:
    """Return the measure of a case, None if it is of a family that the oracle does not have."""
    return parse_measure(case.measure) if family_in(case.measure) in FAMILIES else None


def _content(given: CaseInput) -> object:
    qrels = tuple((query, tuple(given.qrels.grades(query).items())) for query in given.qrels)
    # A score's text is part of it: 1 and Fraction(1) are one score, and 0.1 is another than the double nearest to it.
    run = tuple((query, tuple(given.run.documents(query))) for query in given.run)
    return qrels, run
