"""The inputs of cases in all their forms, as qrels and a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral
from operator import index
from os import PathLike
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase, digits
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, TypeAlias

from rankspec.conformance.cases import expansion
from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.data.qrels import Qrels, not_whole
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import InputError
from rankspec.oracle.rankings.ranking import is_relevant
from rankspec.oracle.readers.judgements import Judgements, read_judgements
from rankspec.oracle.readers.trec import Repeated, read_qrels, read_run
from rankspec.oracle.sweeps.space import Data

QUERY = "q"
"""The query of an input that names none."""

FORMS = ("relevance", "labels", "actual", "qrels", "queries", "files")
"""The key by which each form is told."""


@dataclass(frozen=True)
class CaseInput:
    """An input in its own form, and as qrels and a run.

    Attributes:
        form: one of `FORMS`.
        given: the input as it stands in the file, long lists in short (`expansion.py`).
        against: other runs, by the names under which the run is compared with them.
    """

    form: str
    given: Mapping[str, Any]
    qrels: Qrels
    run: Run
    against: Mapping[str, Run] = field(default_factory=lambda: MappingProxyType({}))


def case_input(given: Mapping[str, Any], reading: Reading = Reading.STRICT) -> CaseInput:
    """Read an input; the reading is how the text of files is read.

    Raises:
        InputError: it has none of the forms, or its lists don't fit together, or its files can't be read.
    """
    form = next((form for form in FORMS if form in given), None)
    if form is None:
        raise InputError(f"an input needs one of {', '.join(FORMS)}", code="data-missing")
    if form == "qrels":
        against = {name: _run(run) for name, run in given.get("against", {}).items()}
        qrels = Qrels.of({query: dict(expansion.keyed(grades)) for query, grades in expansion.keyed(given["qrels"])})
        return CaseInput(form, given, qrels, _run(given["run"]), MappingProxyType(against))
    if form == "files":
        return CaseInput(form, given, *_from_files(given["files"], reading))
    queries = dict(expansion.keyed(given["queries"])) if form == "queries" else {QUERY: given}
    read = {query: _one_query(entry) for query, entry in queries.items()}
    qrels = Qrels.of({query: grades for query, (grades, _) in read.items()})
    return CaseInput(form, given, qrels, Run.of({query: documents for query, (_, documents) in read.items()}))


def data_of_case(given: CaseInput) -> Data:
    """Return the data of a case's input. Labels in rank order and lists of ids have no scores."""
    forms = given.given["queries"].values() if given.form == "queries" else [given.given.get("files", given.given)]
    return Data(
        given.qrels,
        given.run,
        scored=all("scores" in form or "run" in form for form in forms),
        named=all("run" in form or "actual" in form for form in forms),
        judged=all("actual" not in form for form in forms),
    )


def _from_files(texts: Mapping[str, str], reading: Reading) -> tuple[Qrels, Run]:
    """Read the texts of a qrels and a run file as a program reads the files; `judgements` is the qrels' format."""
    judgements = Judgements(texts.get("judgements", Judgements.QRELS.value))
    with TemporaryDirectory() as folder:
        for name in ("qrels", "run"):
            (Path(folder) / name).write_text(texts[name], encoding="utf-8", newline="")
        try:
            judged = read_judgements(Path(folder) / "qrels", judgements, reading)
            return judged, read_run(Path(folder) / "run", None, reading)
        except InputError as error:
            raise InputError(str(error).replace(f"{folder}/", ""), code=error.code) from None


def _run(given: Mapping[str, Any]) -> Run:
    return Run.of({query: _pairs(documents) for query, documents in expansion.keyed(given)})


def _pairs(documents: Mapping[str, Any] | list[Any]) -> list[tuple[str, Any]]:
    return list(expansion.keyed(documents)) if isinstance(documents, Mapping) else expansion.scored(documents)


def _one_query(given: Mapping[str, Any]) -> tuple[dict[str, int], list[tuple[str, Any]]]:
    """Return grades and scored documents of one query in one of the forms without names for queries."""
    if "relevance" in given:
        return from_relevance(expansion.labels(given["relevance"]), given.get("num_relevant"))
    if "labels" in given:
        return from_labels_scores(expansion.labels(given["labels"]), expansion.numbers(given["scores"]))
    if "actual" in given:
        return from_actual_predicted(expansion.ids(given["actual"]), expansion.ids(given["predicted"]))
    raise InputError("a query needs relevance, or labels and scores, or actual and predicted", code="data-missing")


def from_relevance(
    labels: list[int], num_relevant: int | None, rel: int = 1, most_missed: int | None = None
) -> tuple[dict[str, int], list[tuple[str, Any]]]:
    """Name the documents of a list of labels in rank order, best first, and the relevant ones that it lacks.

    Raises:
        InputError: R is below the hits, or beyond the list by more than is allowed.
    """
    hits = sum(is_relevant(label, rel) for label in labels)
    missed = 0 if num_relevant is None else num_relevant - hits
    if missed < 0:
        raise InputError(
            f"num_relevant={num_relevant} is below the {hits} relevant documents in the list",
            code="num-relevant-too-low",
        )
    if most_missed is not None and missed > most_missed:
        raise InputError(
            f"num_relevant={num_relevant}: more than {most_missed} relevant documents beyond the list",
            code="num-relevant-too-high",
        )
    docnos = short_names(len(labels) + missed)
    grades = dict(zip(docnos, [*labels, *[max(rel, 1)] * missed], strict=True))
    return grades, list(zip(docnos[: len(labels)], range(len(labels), 0, -1), strict=True))


def from_labels_scores(labels: list[int], scores: list[Any]) -> tuple[dict[str, int], list[tuple[str, Any]]]:
    """Name documents with labels and scores, in the order given.

    Raises:
        InputError: the lists differ in length.
    """
    if len(labels) != len(scores):
        raise InputError(
            f"{len(labels)} labels and {len(scores)} scores; there must be as many of each", code="lengths-differ"
        )
    docnos = short_names(len(labels))
    return dict(zip(docnos, labels, strict=True)), list(zip(docnos, scores, strict=True))


def from_actual_predicted(actual: list[str], predicted: list[str]) -> tuple[dict[str, int], list[tuple[str, Any]]]:
    """Score predicted ids by rank; the actual ones are the relevant documents."""
    return dict.fromkeys(actual, 1), list(zip(predicted, range(len(predicted), 0, -1), strict=True))


def short_names(count: int) -> list[str]:
    """Return so many names of documents, of one length, in ascending byte order: a, b, c, ... if these are enough."""
    for alphabet in (ascii_lowercase, digits + ascii_uppercase + ascii_lowercase):
        if count <= len(alphabet):
            return list(alphabet[:count])
    width = len(str(count))
    return [f"d{number:0{width}}" for number in range(1, count + 1)]


SomeQrels: TypeAlias = Qrels | Mapping[str, Mapping[str, Any]] | str | PathLike[str] | Any
"""`Qrels`, query -> docno -> grade, the name of a TREC file, or a frame of (query, docno, grade)."""
SomeRun: TypeAlias = Run | Mapping[str, Mapping[str, Any] | Iterable[tuple[str, Any]]] | str | PathLike[str] | Any
"""`Run`, query -> docno -> score (or pairs of them), the name of a TREC file, or a frame of (query, docno, score)."""

_QUERY = ("query", "query_id", "qid", "topic", "topic_id", "user", "user_id", "uid")
_DOCNO = ("docno", "doc_no", "doc_id", "doc", "document", "document_id", "item", "item_id", "iid")
_GRADE = ("grade", "relevance", "rel", "label", "qrel", "rating")
_SCORE = ("score", "sim", "similarity", "prediction", "rating")
"""What columns of frames are called, in any case and with or without signs (`userID`); the first that is there counts.

What was predicted goes before a rating: frames of recommendations have both.
"""


def as_qrels(given: SomeQrels, reading: Reading = Reading.STRICT) -> Qrels:
    """Return qrels of what a person has.

    Raises:
        InputError: it is no qrels; a query or docno is not text, or a grade no whole number.
    """
    if isinstance(given, Qrels):
        return given
    if isinstance(given, str | PathLike):
        return read_qrels(Path(given), reading)
    if isinstance(given, Mapping):
        return Qrels.of({_key(query): _graded(query, documents) for query, documents in given.items()})
    judgments: dict[str, dict[str, Any]] = {}
    queries, docnos, labels = map(as_list, _columns(given, "qrels", (_QUERY, _DOCNO, _GRADE)))
    if bool in set(map(type, labels)):
        labels = [int(label) if isinstance(label, bool) else label for label in labels]
    for query, docno, grade in zip(_names(queries), _names(docnos), labels, strict=True):
        known = judgments.setdefault(query, {})
        if known.setdefault(docno, grade) != grade:
            raise InputError(
                f"qrels, query {query}, document {docno}: judged {known[docno]} and {grade}", code="grade-contradicts"
            )
    return Qrels.of({query: _graded(query, documents) for query, documents in judgments.items()})


def as_run(given: SomeRun, reading: Reading = Reading.STRICT) -> Run:
    """Return a run of what a person has. A document that appears twice is left for a convention to decide.

    Raises:
        InputError: it is no run; a query or docno is not text, or a score can't be ordered.
    """
    if isinstance(given, Run):
        return given
    if isinstance(given, str | PathLike):
        return read_run(Path(given), Repeated.KEPT, reading)
    if isinstance(given, Mapping):
        return Run.of({_key(query): _scored(query, documents) for query, documents in given.items()})
    results: dict[str, list[tuple[str, object]]] = {}
    for query, docno, score in zip(*map(as_list, run_columns(given)), strict=True):
        results.setdefault(_name(query), []).append((_name(docno), _plain(score)))
    return Run.of(results)


def run_columns(frame: Any) -> tuple[Any, ...]:
    """Return the columns of a frame that hold queries, docnos and scores.

    Raises:
        InputError: it is no frame, or lacks one.
    """
    return _columns(frame, "run", (_QUERY, _DOCNO, _SCORE))


def _graded(query: object, documents: object) -> Mapping[str, Any]:
    if not isinstance(documents, Mapping):
        raise InputError(
            f"qrels, query {query}: {type(documents).__name__} is not a mapping of docno to grade", code="not-a-mapping"
        )
    if set(map(type, documents)) <= {str} and set(map(type, documents.values())) <= {int}:
        return documents  # nothing is to be made of them
    return {_key(docno): _grade(grade, f"qrels, query {query}, document {docno}") for docno, grade in documents.items()}


def _scored(query: object, documents: object) -> list[tuple[str, object]]:
    if isinstance(documents, Mapping):
        documents = documents.items()
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        raise InputError(
            f"run, query {query}: {type(documents).__name__} is not a mapping of docno to score", code="not-a-mapping"
        )
    pairs = [tuple(pair) if isinstance(pair, tuple | list) else (pair,) for pair in documents]
    if any(len(pair) != len(("docno", "score")) for pair in pairs):
        raise InputError(f"run, query {query}: give docno -> score, or pairs of docno and score", code="not-a-mapping")
    return [(_key(docno), _plain(score)) for docno, score in pairs]


def _grade(grade: object, where: str) -> object:
    """Return a grade, the grades for subtopics, or the levels of preferences."""
    if isinstance(grade, Mapping) and any(isinstance(each, Mapping) for each in grade.values()):
        return grade
    if isinstance(grade, Mapping):
        return {_name(subtopic): _whole(each, f"{where}, subtopic {subtopic}") for subtopic, each in grade.items()}
    return _whole(grade, where)


def _whole(grade: object, where: str) -> int:
    """Return a grade as an integer; numpy's and those of frames included, truth values and fractions not."""
    plain = _plain(grade)
    if isinstance(plain, bool):
        raise InputError(f"{where}: grade {grade!r} is not a whole number", code="grade-not-whole")
    if isinstance(plain, float) and plain.is_integer():  # what a frame with a gap makes of integers
        return int(plain)
    try:
        return int(index(plain))  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{where}: {not_whole(plain)}", code="grade-not-whole") from None


def _plain(score: object) -> object:
    """Return a score as a plain number: numpy's and those of tensors by their `item()`, which changes no value."""
    if isinstance(score, int | float | Fraction | str):
        return float(score) if isinstance(score, float) else score
    item = getattr(score, "item", None)
    return item() if callable(item) else score


def _name(given: object) -> str:
    """Return a query's or document's name; a frame may hold numbers, which are named as they are written."""
    return given if isinstance(given, str) else str(given)


def _names(given: list[Any]) -> list[str]:
    """Return names, which most frames hold as they are."""
    return given if set(map(type, given)) == {str} else list(map(_name, given))


def _key(given: Any) -> Any:
    """Return a key of a dictionary, whole numbers as the texts that they are in files."""
    return str(given) if isinstance(given, Integral) else given


def as_list(values: Any) -> list[Any]:
    """Return the values of a list, an array or a column as a list of plain ones; float32 keeps its value.

    Raises:
        InputError: it is none of them.
    """
    for name in ("to_pylist", "tolist", "to_list"):  # pyarrow's, numpy's and pandas', polars'
        if callable(convert := getattr(values, name, None)):
            return list(convert())
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise InputError(f"{in_one_line(repr(values), _SHOWN)} is not a list of values", code="not-a-list")
    return [_plain(each) for each in values]


def names_of(ids: Any) -> list[str]:
    """Return ids as names of documents.

    Raises:
        InputError: it is not a list of them.
    """
    return _names(as_list(ids))


def _columns(frame: Any, what: str, roles: tuple[tuple[str, ...], ...]) -> tuple[Any, ...]:
    columns = getattr(frame, "column_names", None)  # pyarrow's; elsewhere `columns`
    names = [str(name) for name in (getattr(frame, "columns", ()) if columns is None else columns)]
    if not names:
        raise InputError(
            f"{what}: {type(frame).__name__} is not a mapping, the name of a file or a frame with columns",
            code="not-a-mapping",
        )
    found = []
    bare = {_bare(name): name for name in reversed(names)}
    for role in roles:
        column = next((bare[_bare(name)] for name in role if _bare(name) in bare), None)
        if column is None:
            known = ", ".join(names)
            raise InputError(
                f"{what}: no column {role[0]!r} among {known}; its names are {', '.join(role)}", code="column-missing"
            )
        found.append(frame[column])
    return tuple(found)


def _bare(name: str) -> str:
    return name.casefold().translate(_SIGNS)


_SIGNS = dict.fromkeys(map(ord, "_- ."))
_SHOWN = 60
