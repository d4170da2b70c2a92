"""A set of queries as lists of lists, as matrices or as data frames: what is asked, and what that says."""

from __future__ import annotations

from collections.abc import Mapping

from rankspec.conformance.cases.inputs import from_actual_predicted, from_labels_scores
from rankspec.conformance.worker.arguments import COLUMNS, Frames, Matrices, QueryLists
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.data.scores import as_float64
from rankspec.oracle.rankings.ranking import is_relevant

MISSED = -1
"""A grade that is relevant at no threshold."""


class LostError(Exception):
    """A shape has no place for something; the message says what."""


def as_lists(qrels: Qrels, run: Run, measure: Measure) -> tuple[QueryLists, Qrels, Run]:
    """Put a set of queries side by side.

    Raises:
        LostError: a query is on one side alone.
    """
    queries = _side_by_side(qrels, run)
    actual = [tuple(docno for docno, label in labelled(qrels, query, measure).items() if label) for query in queries]
    predicted = [best_first(run, query) for query in queries]
    both = {
        query: from_actual_predicted(list(ids), list(listed))
        for query, ids, listed in zip(queries, actual, predicted, strict=True)
    }
    return (
        QueryLists(tuple(queries), tuple(actual), tuple(predicted)),
        Qrels.of({query: relabelled(grades, measure) for query, (grades, _) in both.items()}),
        Run.of({query: documents for query, (_, documents) in both.items()}),
    )


def as_matrices(qrels: Qrels, run: Run, measure: Measure) -> tuple[Matrices, Qrels, Run]:
    """Lay labels and scores out as rows.

    Raises:
        LostError: a query is on one side alone, or the lists are of different lengths.
    """
    queries = _side_by_side(qrels, run)
    if len({len(run.documents(query)) for query in queries}) != 1:
        raise LostError("the rows of a matrix are of one length, and the lists are not")
    if any(len(set(best_first(run, query))) < len(run.documents(query)) for query in queries):
        raise LostError("a document stands twice, and a matrix does not tell")
    grades = {query: labelled(qrels, query, measure) for query in queries}
    labels = {query: [grades[query].get(docno, 0) for docno, _ in run.documents(query)] for query in queries}
    scores = {query: [as_float64(score) for _, score in run.documents(query)] for query in queries}
    both = {query: from_labels_scores(labels[query], scores[query]) for query in queries}
    arguments = Matrices(
        tuple(queries),
        tuple(tuple(labels[query]) for query in queries),
        tuple(tuple(map(float, scores[query])) for query in queries),
    )
    return (
        arguments,
        Qrels.of({query: relabelled(judged, measure) for query, (judged, _) in both.items()}),
        Run.of({query: documents for query, (_, documents) in both.items()}),
    )


def as_frames(qrels: Qrels, run: Run, columns: tuple[str, str, str, str] | None = None) -> tuple[Frames, Qrels, Run]:
    """Write a set of queries as rows; a query without any is none."""
    judged = {query: dict(qrels.grades(query)) for query in qrels if qrels.grades(query)}
    listed = {
        query: [(docno, as_float64(score)) for docno, score in run.documents(query)]
        for query in run
        if run.documents(query)
    }
    arguments = Frames(
        tuple((query, tuple(graded.items())) for query, graded in judged.items()),
        tuple((query, tuple((docno, float(score)) for docno, score in rows)) for query, rows in listed.items()),
        columns or COLUMNS[0],
    )
    return arguments, Qrels.of(judged), Run.of(listed)


def best_first(run: Run, query: str) -> tuple[str, ...]:
    """Return the documents of a query in the order of their scores, ties in the order in which they stand."""
    listed = sorted(run.documents(query), key=lambda retrieved: retrieved.score, reverse=True)
    return tuple(docno for docno, _ in listed)


def labelled(qrels: Qrels, query: str, measure: Measure) -> dict[str, int]:
    """Return what documents are labelled with: 0 and 1, or grades from 0 on where grades are gains."""
    grades = qrels.grades(query)
    if measure.is_graded:
        return {docno: max(grade, 0) for docno, grade in grades.items()}
    return {docno: int(is_relevant(grade, measure.rel)) for docno, grade in grades.items()}


def relabelled(labels: Mapping[str, int], measure: Measure) -> dict[str, int]:
    """Write labels as grades: where they are 0 and 1, ones that are relevant at the measure's threshold, or not."""
    if measure.is_graded:
        return dict(labels)
    return {docno: (max(measure.rel, 1) if label else MISSED) for docno, label in labels.items()}


def _side_by_side(qrels: Qrels, run: Run) -> list[str]:
    queries = list(qrels)
    if set(queries) != set(run):
        raise LostError("queries stand side by side, and none can be missing on one side")
    return queries
