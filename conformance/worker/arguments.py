"""The arguments of one call, a frozen class a shape: as data, as a message, and as what a function is given.

In a message, runs and qrels are lists of pairs, not objects: not every language keeps the order of an
object's keys. A score is decimal text that comes back as the same double in every language, ``Infinity`` if it
is infinite. A document that is judged for subtopics has pairs of a subtopic and a grade where others have a grade.
``files`` are the texts of the two files; the second column of the qrels is the subtopic.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from rankspec.conformance.worker.batches import (
    Batch,
    Frames,
    Matrices,
    QueryLists,
    Retrieved,
    Score,
    SubtopicJudgements,
    Subtopics,
    batch_message,
    batch_natives,
    batch_unchanged,
    parse_frames,
    parse_lists,
    parse_matrices,
    score_text,
)
from rankspec.conformance.worker.shapes import Shape

_Queries = tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]

NO_SUBTOPIC = "0"
"""What stands in the second column of a qrels file that has no subtopics."""


@dataclass(frozen=True, slots=True)
class RankedLabels:
    """Shape ``ranking``: labels in rank order, and the number of relevant documents there are."""

    relevance: tuple[int, ...]
    num_relevant: int


@dataclass(frozen=True, slots=True)
class LabelsScores:
    """Shape ``labels-scores``: label and score of each document, in input order."""

    y_true: tuple[int, ...]
    y_score: tuple[Score, ...]


@dataclass(frozen=True, slots=True)
class ActualPredicted:
    """Shape ``actual-predicted``: ids of the relevant documents, and of the retrieved ones in rank order."""

    actual: tuple[str, ...]
    predicted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QrelsRun:
    """Shape ``qrels-run``. A document stands once in a query, since the function gets dicts."""

    qrels: SubtopicJudgements
    run: Retrieved

    def __post_init__(self) -> None:
        """Refuse what a dict of dicts would silently drop."""
        for name, queries in (("qrels", self.qrels), ("run", self.run)):
            if len(dict(queries)) < len(queries):
                raise ValueError(f"{name}: a query stands twice, which a dict of dicts can't express")
            for query, documents in queries:
                if len(dict(documents)) < len(documents):
                    raise ValueError(f"{name}: query {query!r}: a document stands twice, which a dict can't express")


@dataclass(frozen=True, slots=True)
class Files:
    """Shape ``files``: the lines of two TREC files, in order. A score may be the very text of its column."""

    qrels: SubtopicJudgements
    run: tuple[tuple[str, tuple[tuple[str, Score | str], ...]], ...]

    def __post_init__(self) -> None:
        """Refuse ids and scores that would not be one column of a line."""
        for queries in (self.qrels, self.run):
            for query, documents in queries:
                texts = [
                    query,
                    *(column for pair in documents for column in pair if isinstance(column, str)),
                    *(name for _, value in documents if isinstance(value, tuple) for name, _ in value),
                ]
                for text in texts:
                    if text.split() != [text]:
                        raise ValueError(f"{text!r} in query {query!r} can't be a column of a TREC file")


Arguments = RankedLabels | LabelsScores | ActualPredicted | QrelsRun | Files | Batch

_CLASSES: dict[Shape, type[Arguments]] = {
    Shape.RANKING: RankedLabels,
    Shape.LABELS_SCORES: LabelsScores,
    Shape.ACTUAL_PREDICTED: ActualPredicted,
    Shape.QRELS_RUN: QrelsRun,
    Shape.FILES: Files,
    Shape.LISTS: QueryLists,
    Shape.MATRICES: Matrices,
    Shape.FRAMES: Frames,
}


def shape_of(arguments: Arguments) -> Shape:
    """Give the shape that these are the arguments of."""
    return next(shape for shape, kind in _CLASSES.items() if isinstance(arguments, kind))


def size(arguments: Arguments) -> int:
    """Give the number of documents in the arguments, roughly: what a message of them costs."""
    match arguments:
        case RankedLabels(relevance, _):
            return len(relevance)
        case LabelsScores(labels, _):
            return len(labels)
        case ActualPredicted(actual, predicted):
            return len(actual) + len(predicted)
        case QrelsRun(qrels, run) | Files(qrels, run) | Frames(qrels, run):
            return sum(len(documents) for _, documents in (*qrels, *run))
        case QueryLists(_, first, second) | Matrices(_, first, second):
            return sum(map(len, (*first, *second)))


def queries_in(arguments: Arguments) -> int:
    """Give the number of queries that the arguments are about."""
    match arguments:
        case QrelsRun(qrels, run) | Files(qrels, run) | Frames(qrels, run):
            return len({query for query, _ in (*qrels, *run)})
        case QueryLists(queries) | Matrices(queries):
            return len(queries)
        case _:
            return 1


def queries_of(mapping: Mapping[str, Mapping[str, Any]]) -> _Queries:
    """Turn qrels or a run in dicts of dicts into the pairs of ``QrelsRun`` and ``Files``, in order."""
    return tuple((query, tuple(documents.items())) for query, documents in mapping.items())


def arguments_message(arguments: Arguments) -> dict[str, object]:
    """Give the arguments as what JSON can carry."""
    match arguments:
        case RankedLabels(relevance, num_relevant):
            return {"relevance": relevance, "num_relevant": num_relevant}
        case LabelsScores(y_true, y_score):
            return {"y_true": y_true, "y_score": [score_text(score) for score in y_score]}
        case ActualPredicted(actual, predicted):
            return {"actual": actual, "predicted": predicted}
        case QrelsRun(qrels, run):
            listed = [[query, [[docno, score_text(score)] for docno, score in docs]] for query, docs in run]
            return {"qrels": qrels, "run": listed}
        case Files():
            qrels_text, run_text = _file_texts(arguments)
            return {"qrels": qrels_text, "run": run_text}
        case QueryLists() | Matrices() | Frames():
            return batch_message(arguments)


_BATCHES: dict[Shape, Callable[[Any], Batch]] = {
    Shape.LISTS: parse_lists,
    Shape.MATRICES: parse_matrices,
    Shape.FRAMES: parse_frames,
}
_FIELDS = {shape: shape.natives for shape in Shape} | {Shape.FILES: Shape.QRELS_RUN.natives}


def parse_arguments(shape: Shape, message: Any) -> Arguments:
    """Read what ``arguments_message`` wrote."""
    if shape in _BATCHES:
        return _BATCHES[shape](message)
    first, second = (message[field] for field in _FIELDS[shape])
    match shape:
        case Shape.RANKING:
            return RankedLabels(tuple(first), second)
        case Shape.LABELS_SCORES:
            return LabelsScores(tuple(first), tuple(map(float, second)))
        case Shape.ACTUAL_PREDICTED:
            return ActualPredicted(tuple(first), tuple(second))
        case Shape.QRELS_RUN:
            return QrelsRun(_parse_queries(first, _parse_grade), _parse_queries(second, float))
        case _:
            return Files(_parse_judgements(first), _parse_lines(second, document=2, value=4))


def natives(arguments: Arguments, folder: Path) -> dict[str, Any]:
    """Build the arguments that the function is given: new ones each time, by their names in the shape.

    Paths lie in ``folder``, which is created for it.
    """
    match arguments:
        case RankedLabels(relevance, num_relevant):
            return {"relevance": list(relevance), "num_relevant": num_relevant}
        case LabelsScores(y_true, y_score):
            return {"y_true": list(y_true), "y_score": list(y_score)}
        case ActualPredicted(actual, predicted):
            return {"actual": list(actual), "predicted": list(predicted)}
        case QrelsRun(qrels, run):
            return {"qrels": given_judgements(qrels), "run": _dicts(run)}
        case Files():
            folder.mkdir(parents=True, exist_ok=True)
            paths = {"qrels_path": folder / "qrels.txt", "run_path": folder / "run.txt"}
            for path, text in zip(paths.values(), _file_texts(arguments), strict=True):
                path.write_text(text, encoding="utf-8", newline="\n")
            return {name: os.fspath(path) for name, path in paths.items()}
        case QueryLists() | Matrices() | Frames():
            return batch_natives(arguments)


def unchanged(arguments: Arguments, given: Mapping[str, Any]) -> bool:
    """Say whether what the function was given still is what it was."""
    match arguments:
        case RankedLabels(relevance, _):
            return _same(relevance, given["relevance"])
        case LabelsScores(y_true, y_score):
            return _same(y_true, given["y_true"]) and _same(y_score, given["y_score"])
        case ActualPredicted(actual, predicted):
            return _same(actual, given["actual"]) and _same(predicted, given["predicted"])
        case QrelsRun(qrels, run):
            return _same_queries(_as_given(qrels), given["qrels"]) and _same_queries(run, given["run"])
        case Files():
            paths = (Path(given["qrels_path"]), Path(given["run_path"]))
            return all(
                path.is_file() and path.read_bytes() == text.encode()
                for path, text in zip(paths, _file_texts(arguments), strict=True)
            )
        case QueryLists() | Matrices() | Frames():
            return batch_unchanged(arguments, given)


def _parse_lines(text: str, document: int, value: int) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Read a file's lines back: a query's lines that follow each other, and of each line two columns."""
    lines = [line.split(" ") for line in text.split("\n") if line]
    return tuple(
        (query, tuple((columns[document], columns[value]) for columns in same))
        for query, same in groupby(lines, key=lambda columns: columns[0])
    )


def _parse_judgements(text: str) -> SubtopicJudgements:
    """Read the lines of a qrels file back: a document with a subtopic has its lines behind each other."""
    lines = [line.split(" ") for line in text.split("\n") if line]
    found: list[tuple[str, list[tuple[str, int | Subtopics]]]] = []
    for (query, docno), same in groupby(lines, key=lambda columns: (columns[0], columns[2])):
        grades = tuple((subtopic, int(grade)) for _, subtopic, _, grade in same)
        if not found or found[-1][0] != query:
            found.append((query, []))
        plain = [(docno, grade) for subtopic, grade in grades if subtopic == NO_SUBTOPIC]
        found[-1][1].extend(plain if len(plain) == len(grades) else [(docno, grades)])
    return tuple((query, tuple(documents)) for query, documents in found)


def _parse_queries(message: Any, read: Callable[[Any], Any]) -> _Queries:
    return tuple((query, tuple((docno, read(value)) for docno, value in documents)) for query, documents in message)


def _parse_grade(value: Any) -> int | Subtopics:
    return tuple((subtopic, grade) for subtopic, grade in value) if isinstance(value, list) else value


def given_judgements(qrels: SubtopicJudgements) -> dict[str, dict[str, Any]]:
    """Give qrels as a function takes them: a grade, or a dict of a subtopic and its grade."""
    return _dicts(_as_given(qrels))


def _as_given(qrels: SubtopicJudgements) -> _Queries:
    return tuple(
        (query, tuple((docno, dict(grade) if isinstance(grade, tuple) else grade) for docno, grade in documents))
        for query, documents in qrels
    )


def _dicts(queries: _Queries) -> dict[str, dict[str, Any]]:
    return {query: dict(documents) for query, documents in queries}


def _same(values: tuple[object, ...], given: list[object]) -> bool:
    return list(values) == given


def _same_queries(queries: _Queries, given: Mapping[str, Any]) -> bool:
    """Compare with the order, which a comparison of dicts ignores and a library with ties does not."""
    return [(query, list(documents)) for query, documents in queries] == [
        (query, list(documents.items())) for query, documents in given.items()
    ]


def _file_texts(arguments: Files) -> tuple[str, str]:
    qrels = [
        f"{query} {subtopic} {docno} {grade}\n"
        for query, docs in arguments.qrels
        for docno, judged in docs
        for subtopic, grade in (judged if isinstance(judged, tuple) else ((NO_SUBTOPIC, judged),))
    ]
    run = [
        f"{query} Q0 {docno} {rank} {score} rankspec\n"
        for query, docs in arguments.run
        for rank, (docno, score) in enumerate(docs, start=1)
    ]
    return "".join(qrels), "".join(run)
