"""Qrels and runs of what a person has in Python: dictionaries, frames of any library, arrays, names of files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from numbers import Integral
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.data.qrels import DecimalGrade, Qrels, not_whole
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import InputError
from rankspec.oracle.readers.tables import DOCNO, GRADE, QUERY, SCORE, column_named
from rankspec.oracle.readers.trec import Repeated, read_qrels, read_run

SomeQrels: TypeAlias = Qrels | Mapping[str, Mapping[str, Any]] | str | PathLike[str] | Any
"""`Qrels`, query -> docno -> grade, the name of a TREC file, or a frame of (query, docno, grade)."""
SomeRun: TypeAlias = Run | Mapping[str, Mapping[str, Any] | Iterable[tuple[str, Any]]] | str | PathLike[str] | Any
"""`Run`, query -> docno -> score (or pairs of them), the name of a TREC file, or a frame of (query, docno, score)."""


def as_qrels(data: SomeQrels, reading: Reading = Reading.STRICT) -> Qrels:
    """Return qrels of what a person has; `InputError` for another form, ids that are no texts, or grades not whole."""
    if isinstance(data, Qrels):
        return data
    if isinstance(data, Mapping):
        return Qrels.of({_key(query): _graded(query, documents, reading) for query, documents in data.items()})
    if not isinstance(data, str | PathLike):
        judgments: dict[str, dict[str, Any]] = {}
        queries, docnos, labels = map(as_list, _columns(data, "qrels", (QUERY, DOCNO, GRADE)))
        if bool in set(map(type, labels)):
            labels = [int(label) if isinstance(label, bool) else label for label in labels]
        for query, docno, grade in zip(_names(queries), _names(docnos), labels, strict=True):
            known = judgments.setdefault(query, {})
            if known.setdefault(docno, grade) != grade:
                reason = f"qrels, query {query}, document {docno}: judged {known[docno]} and {grade}"
                raise InputError(reason, code="grade-contradicts")
        return Qrels.of({query: _graded(query, documents, reading) for query, documents in judgments.items()})
    return read_qrels(Path(data), reading)


def as_run(data: SomeRun, reading: Reading = Reading.STRICT) -> Run:
    """Return a run of what a person has, duplicates for a convention to decide; `InputError` for another form."""
    if isinstance(data, Run):
        return data
    if isinstance(data, Mapping):
        return Run.of({_key(query): _scored(query, documents) for query, documents in data.items()})
    if not isinstance(data, str | PathLike):
        results: dict[str, list[tuple[str, object]]] = {}
        for query, docno, score in zip(*map(as_list, run_columns(data)), strict=True):
            results.setdefault(_name(query), []).append((_name(docno), _plain(score)))
        return Run.of(results)
    return read_run(Path(data), Repeated.KEPT, reading)


def run_columns(frame: Any) -> tuple[Any, ...]:
    """Return a frame's columns of queries, docnos and scores; `InputError` if it is no frame, or lacks one."""
    return _columns(frame, "run", (QUERY, DOCNO, SCORE))


def _graded(query: object, documents: object, reading: Reading) -> Mapping[str, Any]:
    if not isinstance(documents, Mapping):
        hint = _SWAPPED if isinstance(documents, list | tuple) else ""
        reason = f"qrels, query {query}: {type(documents).__name__} is not a mapping of docno to grade{hint}"
        raise InputError(reason, code="not-a-mapping")
    if set(map(type, documents)) <= {str} and set(map(type, documents.values())) <= {int}:
        return documents  # nothing is to be made of them
    where = f"qrels, query {query}, document"
    return {_key(docno): _grade(grade, f"{where} {docno}", reading) for docno, grade in documents.items()}


def _scored(query: object, documents: object) -> list[tuple[str, object]]:
    if isinstance(documents, Mapping):
        documents = documents.items()
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        reason = f"run, query {query}: {type(documents).__name__} is not a mapping of docno to score"
        raise InputError(reason, code="not-a-mapping")
    pairs = [tuple(pair) if isinstance(pair, tuple | list) else (pair,) for pair in documents]
    if any(len(pair) != len(("docno", "score")) for pair in pairs):
        raise InputError(f"run, query {query}: give docno -> score, or pairs of docno and score", code="not-a-mapping")
    return [(_key(docno), _plain(score)) for docno, score in pairs]


def _grade(grade: object, where: str, reading: Reading) -> object:
    """Return a grade, the grades for subtopics, or the levels of preferences."""
    if isinstance(grade, Mapping) and any(isinstance(each, Mapping) for each in grade.values()):
        return grade
    if isinstance(grade, Mapping):
        return {_name(subtopic): _whole(each, f"{where}, subtopic {subtopic}") for subtopic, each in grade.items()}
    return _whole(grade, where, is_strict=reading is Reading.STRICT)


def _whole(grade: object, where: str, *, is_strict: bool = False) -> int:
    """Return a grade as an integer; numpy's and those of frames included, truth values not."""
    # Fractions are `DecimalGrade` in a strict reading alone: programs cut them.
    plain = _plain(grade)
    if isinstance(plain, bool):
        raise InputError(f"{where}: grade {grade!r} is not a whole number", code="grade-not-whole")
    if isinstance(plain, float) and plain.is_integer():  # what a frame with a gap makes of integers
        return int(plain)
    try:
        return int(index(plain))  # type: ignore[arg-type]
    except TypeError:
        if is_strict and isinstance(plain, float | Fraction | str) and (exact := _exact(plain)) is not None:
            return DecimalGrade.of(exact)
        raise InputError(f"{where}: {not_whole(plain)}", code="grade-not-whole") from None


def _exact(grade: float | Fraction | str) -> Fraction | None:
    """Return a grade, or the text of one, as a fraction, None if it is no finite number."""
    try:
        return Fraction(grade)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None


def _plain(score: object) -> object:
    """Return a score as a plain number: numpy's and those of tensors by their `item()`, which changes no value."""
    if isinstance(score, int | float | Fraction | str):
        return float(score) if isinstance(score, float) else score
    item = getattr(score, "item", None)
    return item() if callable(item) else score


def _name(value: object) -> str:
    """Return a query's or document's name; a frame may hold numbers, which are named as they are written."""
    return value if isinstance(value, str) else str(value)


def _names(entries: list[Any]) -> list[str]:
    """Return names, which most frames hold as they are."""
    return entries if set(map(type, entries)) == {str} else list(map(_name, entries))


def _key(value: Any) -> Any:
    """Return a key of a dictionary, whole numbers as the texts that they are in files."""
    return str(value) if isinstance(value, Integral) else value


def as_list(values: Any) -> list[Any]:
    """Return the values of a list, an array or a column as plain ones, float32 exactly; `InputError` for others."""
    for name in ("to_pylist", "tolist", "to_list"):  # pyarrow's, numpy's and pandas', polars'
        if callable(convert := getattr(values, name, None)):
            return list(convert())
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise InputError(f"{in_one_line(repr(values), _SHOWN)} is not a list of values", code="not-a-list")
    return [_plain(each) for each in values]


def names_of(ids: Any) -> list[str]:
    """Return ids as names of documents; `InputError` if it is not a list of them."""
    return _names(as_list(ids))


def _columns(frame: Any, what: str, roles: tuple[tuple[str, ...], ...]) -> tuple[Any, ...]:
    columns = getattr(frame, "column_names", None)  # pyarrow's; elsewhere `columns`
    names = [str(name) for name in (getattr(frame, "columns", ()) if columns is None else columns)]
    if not names:
        reason = f"{what}: {type(frame).__name__} is not a mapping, the name of a file or a frame with columns"
        raise InputError(reason, code="not-a-mapping")
    values = []
    for role in roles:
        column = column_named(names, role)
        if column is None:
            hint = _SWAPPED if column_named(names, SCORE if role is GRADE else GRADE) else ""
            refusal = f"{what}: no column {role[0]!r} among {', '.join(names)}; its names are {', '.join(role)}{hint}"
            raise InputError(refusal, code="column-missing")
        values.append(frame[column])
    return tuple(values)


_SHOWN = 60
_SWAPPED = "; are the qrels and the run swapped?"  # As files are asked (`readers/trec.py`)
