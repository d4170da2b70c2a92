"""What an implementation makes of several queries that does not keep them apart: their names, lists and judgments."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from rankspec.conformance.infer.identify.altered_inputs import Change
from rankspec.conformance.infer.identify.probe import ShapedProbe
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Retrieved, Run
from rankspec.oracle.rankings.ranking import is_relevant

Grades = Mapping[str, int]


def paired(order: Callable[[Iterable[str]], Sequence[str]], *, rest: bool) -> Change:
    """Give each query of the qrels the list that stands at its position; drop those that have none, or keep them."""

    def changed(asked: ShapedProbe) -> ShapedProbe:
        judged, listed = order(asked.qrels), order(asked.run)
        if judged[: len(listed)] == listed and (rest or len(judged) == len(listed)):
            return asked
        pairs = dict(zip(judged, listed, strict=False))
        run = Run.of({query: asked.run.documents(other) for query, other in pairs.items()})
        if rest:
            return replace(asked, run=run)
        return replace(asked, run=run, qrels=Qrels.of({query: asked.qrels.grades(query) for query in pairs}))

    return changed


def of_runs(change: Callable[[ShapedProbe], dict[str, list[tuple[str, object]]]]) -> Change:
    """Change the lists, knowing all of them."""

    def changed(asked: ShapedProbe) -> ShapedProbe:
        if len({*asked.qrels, *asked.run}) <= 1:
            return asked
        run = Run.of(change(asked))
        return asked if run == asked.run else replace(asked, run=run)

    return changed


def _others(query: str, listed: Iterable[Retrieved], score: float | None = None) -> list[tuple[str, object]]:
    """Return another query's documents as ones that nobody judged."""
    return [(f"\x00{query} {each.docno}", each.score if score is None else score) for each in listed]


def _judged_first(asked: ShapedProbe) -> list[str]:
    return [query for query in asked.qrels if query in asked.run]


def numbered_together(asked: ShapedProbe) -> dict[str, list[tuple[str, object]]]:
    """Rank the documents of all queries together, by their scores."""
    queries = _judged_first(asked)
    lists: dict[str, list[tuple[str, object]]] = {
        query: [
            row
            for other in queries
            for row in (asked.run.documents(other) if other == query else _others(other, asked.run.documents(other)))
        ]
        for query in queries
    }
    return lists | {query: [*asked.run.documents(query)] for query in asked.run if query not in lists}


def numbered_on(asked: ShapedProbe) -> dict[str, list[tuple[str, object]]]:
    """Let a query's ranks begin where those of the one before end."""
    lists: dict[str, list[tuple[str, object]]] = {}
    above: list[tuple[str, object]] = []
    for query in _judged_first(asked):
        lists[query] = [*above, *asked.run.documents(query)]
        above += _others(query, asked.run.documents(query), math.inf)
    return lists | {query: [*asked.run.documents(query)] for query in asked.run if query not in lists}


def without_seen(asked: ShapedProbe) -> dict[str, list[tuple[str, object]]]:
    """Leave out documents that a query before has."""
    lists: dict[str, list[tuple[str, object]]] = {}
    seen: set[str] = set()
    for query in _judged_first(asked):
        lists[query] = [each for each in asked.run.documents(query) if each.docno not in seen]
        seen |= {each.docno for each in asked.run.documents(query)}
    return lists | {query: [*asked.run.documents(query)] for query in asked.run if query not in lists}


def first_k_of_the_file(asked: ShapedProbe) -> ShapedProbe:
    """Cut off before sorting."""
    k = asked.measure.k
    if k is None or all(len(asked.run.documents(query)) <= k for query in asked.run):
        return asked
    return replace(asked, run=Run.of({query: asked.run.documents(query)[:k] for query in asked.run}))


def until_one_without_relevant(asked: ShapedProbe) -> ShapedProbe:
    """Stop at the first query that has no relevant document."""
    kept: dict[str, Grades] = {}
    for query in asked.qrels:
        grades = asked.qrels.grades(query)
        if not any(is_relevant(grade, asked.measure.rel) for grade in grades.values()):
            break
        kept[query] = grades
    if len(kept) == len(list(asked.qrels)):
        return asked
    run = {query: asked.run.documents(query) for query in asked.run if query in kept or query not in asked.qrels}
    return replace(asked, qrels=Qrels.of(kept), run=Run.of(run))


def merged(asked: ShapedProbe) -> dict[str, int]:
    """Return the highest grade that a document has for any query."""
    grades: dict[str, int] = {}
    for query in asked.qrels:
        for docno, grade in asked.qrels.grades(query).items():
            grades[docno] = max(grade, grades.get(docno, grade))
    return grades


def judged_for_any(asked: ShapedProbe) -> ShapedProbe:
    """Judge every query's documents as they are for any query."""
    together = merged(asked)
    if all(dict(asked.qrels.grades(query)) == together for query in asked.qrels):
        return asked
    return replace(asked, qrels=Qrels.of(dict.fromkeys(asked.qrels, together)))


CHANGES: tuple[tuple[str, str, Change], ...] = (
    ("queries", "they are paired by position, the rest is dropped", paired(list, rest=False)),
    ("queries", "they are paired by position", paired(list, rest=True)),
    ("queries", "they are paired in sorted order, the rest is dropped", paired(sorted, rest=False)),
    ("queries", "they are paired in sorted order", paired(sorted, rest=True)),
    ("queries", "it stops at the first one without relevant documents", until_one_without_relevant),
    ("ranks", "the documents of all queries are ranked together", of_runs(numbered_together)),
    ("ranks", "they go on from query to query", of_runs(numbered_on)),
    ("documents", "those that a query before has are left out", of_runs(without_seen)),
    ("grades", "judgments of all queries hold for each query", judged_for_any),
    ("the cutoff", "takes the first k documents of the file, and sorts them afterwards", first_k_of_the_file),
)  # fmt: skip
"""What differs, what it does, and what becomes of the input. Add a line, and it is tried."""


def _own(asked: ShapedProbe, query: str) -> Grades:
    return asked.qrels.grades(query)


def _unjudged_as_misses(asked: ShapedProbe, query: str) -> Grades:
    return {each.docno: 0 for each in asked.run.documents(query)} | dict(_own(asked, query))


def _all_relevant(asked: ShapedProbe, query: str) -> list[int]:
    return [max(grade, asked.measure.rel, 1) for grade in _own(asked, query).values()]


def _of_every_query(asked: ShapedProbe, _: str) -> list[int]:
    return [grade for query in asked.qrels for grade in _own(asked, query).values()]


Labels = Callable[[ShapedProbe, str], Grades]
Counted = Callable[[ShapedProbe, str], Iterable[int]]
OWN: Counted = lambda asked, query: _own(asked, query).values()  # noqa: E731 - a row of the table
"""The query's own grades are counted."""
TWO_SETS: tuple[tuple[str, str, Labels, Counted], ...] = (
    ("hits", "a document counts that is relevant for any query, but not in R", lambda asked, _: merged(asked), OWN),
    ("R", "counts all judged documents of a query", _own, _all_relevant),
    ("R", "counts the relevant documents of all queries", _own, _of_every_query),
    ("R", "counts documents once that are relevant for any query", _own, lambda asked, _: merged(asked).values()),
    ("misses", "a document that nobody judged is one; not in the number of judged ones", _unjudged_as_misses, OWN),
)  # fmt: skip
"""What differs, what it does, by which grades the list is labelled, and which ones are counted as judged."""
