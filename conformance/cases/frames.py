"""Qrels and runs as people have them: dictionaries, numpy numbers, data frames, names of TREC files.

A frame is whatever has named columns that can be iterated: pandas, polars, pyarrow. None of them is imported here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import InputError
from rankspec.oracle.readers.trec import Repeated, read_qrels, read_run

SomeQrels: TypeAlias = Qrels | Mapping[str, Mapping[str, Any]] | str | PathLike[str] | Any
"""`Qrels`, query -> docno -> grade, the name of a TREC file, or a frame of (query, docno, grade)."""
SomeRun: TypeAlias = Run | Mapping[str, Mapping[str, Any] | Iterable[tuple[str, Any]]] | str | PathLike[str] | Any
"""`Run`, query -> docno -> score (or pairs of them), the name of a TREC file, or a frame of (query, docno, score)."""

_QUERY = ("query", "query_id", "qid", "q_id", "topic", "topic_id")
_DOCNO = ("docno", "doc_id", "docid", "doc", "document", "document_id", "item", "item_id")
_GRADE = ("grade", "relevance", "rel", "label", "qrel")
_SCORE = ("score", "sim", "prediction", "similarity")


def as_qrels(given: SomeQrels, reading: Reading = Reading.STRICT) -> Qrels:
    """Return qrels of what a person has.

    Raises:
        InputError: it is no qrels; a query or docno is no text, or a grade no whole number.
    """
    if isinstance(given, Qrels):
        return given
    if isinstance(given, str | PathLike):
        return read_qrels(Path(given), reading)
    if isinstance(given, Mapping):
        return Qrels.of({query: _graded(query, documents) for query, documents in given.items()})
    judgments: dict[str, dict[str, Any]] = {}
    for query, docno, grade in _rows(given, "qrels", (_QUERY, _DOCNO, _GRADE)):
        known = judgments.setdefault(_name(query), {})
        if known.get(_name(docno), grade) != grade:
            raise InputError(f"qrels, query {query}, document {docno}: judged {known[_name(docno)]} and {grade}")
        known[_name(docno)] = grade
    return Qrels.of({query: _graded(query, documents) for query, documents in judgments.items()})


def as_run(given: SomeRun, reading: Reading = Reading.STRICT) -> Run:
    """Return a run of what a person has. A document that stands twice is left for a convention to decide.

    Raises:
        InputError: it is no run; a query or docno is no text, or a score can't be ordered.
    """
    if isinstance(given, Run):
        return given
    if isinstance(given, str | PathLike):
        return read_run(Path(given), Repeated.KEPT, reading)
    if isinstance(given, Mapping):
        return Run.of({query: _scored(query, documents) for query, documents in given.items()})
    results: dict[str, list[tuple[str, object]]] = {}
    for query, docno, score in _rows(given, "run", (_QUERY, _DOCNO, _SCORE)):
        results.setdefault(_name(query), []).append((_name(docno), _plain(score)))
    return Run.of(results)


def _graded(query: object, documents: object) -> dict[str, Any]:
    if not isinstance(documents, Mapping):
        raise InputError(f"qrels, query {query}: {type(documents).__name__} is no mapping of docno to grade")
    return {docno: _grade(grade, f"qrels, query {query}, document {docno}") for docno, grade in documents.items()}


def _scored(query: object, documents: object) -> list[tuple[str, object]]:
    if isinstance(documents, Mapping):
        documents = documents.items()
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        raise InputError(f"run, query {query}: {type(documents).__name__} is no mapping of docno to score")
    pairs = [tuple(pair) if isinstance(pair, tuple | list) else (pair,) for pair in documents]
    if any(len(pair) != len(("docno", "score")) for pair in pairs):
        raise InputError(f"run, query {query}: give docno -> score, or pairs of docno and score")
    return [(docno, _plain(score)) for docno, score in pairs]


def _grade(grade: object, where: str) -> object:
    """Return a grade, the grades for subtopics, or the levels of preferences."""
    if isinstance(grade, Mapping) and any(isinstance(each, Mapping) for each in grade.values()):
        return grade
    if isinstance(grade, Mapping):
        return {_name(subtopic): _whole(each, f"{where}, subtopic {subtopic}") for subtopic, each in grade.items()}
    return _whole(grade, where)


def _whole(grade: object, where: str) -> int:
    """Return a grade as an integer; numpy's and those of frames included, truth values and fractions not."""
    if isinstance(grade, bool) or type(grade).__name__ in {"bool_", "bool"}:
        raise InputError(f"{where}: grade {grade!r} is no whole number")
    if isinstance(grade, float) and grade.is_integer():  # what a frame with a gap makes of integers
        return int(grade)
    try:
        return index(grade)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{where}: grade {grade!r} is no whole number") from None


def _plain(score: object) -> object:
    """Return a score as a plain number: numpy's and those of tensors by their `item()`, which changes no value."""
    if isinstance(score, int | float | Fraction | str):
        return float(score) if isinstance(score, float) else score
    item = getattr(score, "item", None)
    return item() if callable(item) else score


def _name(given: object) -> str:
    """Return a query's or document's name; a frame may hold numbers, which are named as they are written."""
    return given if isinstance(given, str) else str(given)


def _rows(frame: Any, what: str, roles: tuple[tuple[str, ...], ...]) -> Iterable[tuple[Any, ...]]:
    columns = getattr(frame, "column_names", None)  # pyarrow's; elsewhere `columns`
    names = [str(name) for name in (getattr(frame, "columns", ()) if columns is None else columns)]
    if not names:
        raise InputError(f"{what}: {type(frame).__name__} is no mapping, no file's name and no frame with columns")
    found = []
    for role in roles:
        column = next((name for name in names if name.lower() in role), None)
        if column is None:
            known = ", ".join(names)
            raise InputError(f"{what}: no column {role[0]!r} among {known}; its names are {', '.join(role)}")
        values = frame[column]
        found.append(values.to_pylist() if hasattr(values, "to_pylist") else values.to_list())
    return zip(*found, strict=True)
