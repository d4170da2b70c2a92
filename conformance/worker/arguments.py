"""The arguments of one call, a frozen class a shape: as data, as a message, and as what a function is given.

In a message, runs and qrels are lists of pairs, not objects: not every language keeps the order of an
object's keys. A score is decimal text that comes back as the same double in every language, ``Infinity`` if it
is infinite. A document that is judged for subtopics has pairs of a subtopic and a grade where others have a grade.
``files`` are the texts of the two files; the second column of the qrels is the subtopic.

numpy and pandas belong to the functions that take them, so they are imported when a call is made, and not before.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from importlib import import_module
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rankspec.conformance.worker.shapes import Shape

if TYPE_CHECKING:
    from typing import Self

_Queries = tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]
Score = float | int
Judgements = tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
"""Pairs of a query and its pairs of a document and its grade."""
Subtopics = tuple[tuple[str, int], ...]
"""A document's grades for the subtopics of a query: pairs of a subtopic and a grade."""
SubtopicJudgements = tuple[tuple[str, tuple[tuple[str, int | Subtopics], ...]], ...]
"""The same as `Judgements`, where a document may be judged for subtopics instead."""
Retrieved = tuple[tuple[str, tuple[tuple[str, Score], ...]], ...]
"""Pairs of a query and its pairs of a document and its score, in file order."""

COLUMNS = (
    ("query", "docno", "grade", "score"),
    ("qid", "docno", "label", "score"),
    ("query_id", "doc_id", "relevance", "score"),
    ("q_id", "doc_id", "score", "score"),
    ("query", "document", "relevance", "score"),
    ("user_id", "item_id", "rating", "prediction"),
    ("userID", "itemID", "rating", "prediction"),
)
"""What frames call the query, the document, its grade and its score: rankspec, PyTerrier, ir_measures, ranx, ...

The first is what a function is given of which nothing is known.
"""

_SCORES = ("y_score", "run")
NO_SUBTOPIC = "0"  # What stands in the second column of a qrels file that has no subtopics


class _Arguments:
    """What the classes have in common: the fields of the simple ones are numbers, texts, and tuples of them.

    ``shape`` is what a function has that takes such arguments.
    """

    __slots__ = ()
    shape: ClassVar[Shape]

    @property
    def size(self) -> int:
        """The number of values, roughly: what a message of them costs."""
        lists = (value for value in self.plain().values() if isinstance(value, list))
        return sum(len(each) if isinstance(each, list) else 1 for value in lists for each in value)

    @property
    def query_count(self) -> int:
        """The number of queries that they are about."""
        return 1

    def message(self) -> dict[str, Any]:
        """Return what JSON can carry."""
        return {each.name: _sent(getattr(self, each.name), each.name) for each in fields(self)}  # type: ignore[arg-type]

    @classmethod
    def parse(cls, message: Any) -> Self:
        """Read what ``message`` wrote."""
        return cls(*(_received(message[each.name], each.name) for each in fields(cls)))  # type: ignore[arg-type]

    def plain(self) -> dict[str, Any]:
        """Return them as Python's own values, by their names in the shape: new ones each time."""
        return {name: _listed(getattr(self, name)) for name in self.shape.natives}

    def natives(self, folder: Path) -> dict[str, Any]:  # noqa: ARG002 - where files are written
        """Return what the function is given; paths lie in the folder, which is created for it."""
        return self.plain()

    def by_query(self, returned: Any) -> object:
        """Return what a function returned, as a mapping where it is a number for each query without its name."""
        return returned


@dataclass(frozen=True, slots=True)
class RankedLabels(_Arguments):
    """Shape ``ranking``: labels in rank order, and the number of relevant documents there are."""

    shape: ClassVar[Shape] = Shape.RANKING
    relevance: tuple[int, ...]
    num_relevant: int


@dataclass(frozen=True, slots=True)
class LabelsScores(_Arguments):
    """Shape ``labels-scores``: label and score of each document, in input order."""

    shape: ClassVar[Shape] = Shape.LABELS_SCORES
    y_true: tuple[int, ...]
    y_score: tuple[Score, ...]

    @property
    def size(self) -> int:
        """The number of documents, of which each has a label and a score."""
        return len(self.y_true)


@dataclass(frozen=True, slots=True)
class ActualPredicted(_Arguments):
    """Shape ``actual-predicted``: ids of the relevant documents, and of the retrieved ones in rank order."""

    shape: ClassVar[Shape] = Shape.ACTUAL_PREDICTED
    actual: tuple[str, ...]
    predicted: tuple[str, ...]


class _QrelsAndRun(_Arguments):
    """Whole sets of queries, in any form: ``qrels`` and ``run`` are pairs of a query and its documents."""

    __slots__ = ()
    qrels: Any
    run: Any

    @property
    def size(self) -> int:
        """The number of documents that are judged or retrieved."""
        return sum(len(documents) for _, documents in (*self.qrels, *self.run))

    @property
    def query_count(self) -> int:
        """The number of queries that are judged or asked."""
        return len({query for query, _ in (*self.qrels, *self.run)})


@dataclass(frozen=True, slots=True)
class QrelsRun(_QrelsAndRun):
    """Shape ``qrels-run``. A document stands once in a query, since the function gets dicts."""

    shape: ClassVar[Shape] = Shape.QRELS_RUN
    qrels: SubtopicJudgements
    run: Retrieved

    def __post_init__(self) -> None:
        """Refuse what a dict of dicts would silently drop."""
        for name, queries in (("qrels", self.qrels), ("run", self.run)):
            if len(dict(queries)) < len(queries):
                raise ValueError(f"{name}: a query appears twice, which a dict of dicts can't express")
            for query, documents in queries:
                if len(dict(documents)) < len(documents):
                    raise ValueError(f"{name}: query {query!r}: a document appears twice, which a dict can't express")

    @classmethod
    def parse(cls, message: Any) -> QrelsRun:
        """Read what ``message`` wrote."""
        run = ((query, tuple((docno, float(score)) for docno, score in listed)) for query, listed in message["run"])
        return cls(_received(message["qrels"], "qrels"), tuple(run))

    def plain(self) -> dict[str, Any]:
        """Return dicts of dicts; a document that is judged for subtopics has a dict of them."""
        return {
            "qrels": {
                query: {docno: dict(grade) if isinstance(grade, tuple) else grade for docno, grade in documents}
                for query, documents in self.qrels
            },
            "run": {query: dict(documents) for query, documents in self.run},
        }


@dataclass(frozen=True, slots=True)
class Files(_QrelsAndRun):
    """Shape ``files``: the lines of two TREC files, in order. A score may be the very text of its column."""

    shape: ClassVar[Shape] = Shape.FILES
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

    def message(self) -> dict[str, object]:
        """Return the texts of the files."""
        qrels, run = self._texts()
        return {"qrels": qrels, "run": run}

    @classmethod
    def parse(cls, message: Any) -> Files:
        """Read what ``message`` wrote."""
        return cls(_parse_judgements(message["qrels"]), _parse_lines(message["run"], document=2, value=4))

    def plain(self) -> dict[str, Any]:
        """Return nothing: they are written."""
        return {}

    def natives(self, folder: Path) -> dict[str, Any]:
        """Write the files, and return their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = {"qrels_path": folder / "qrels.txt", "run_path": folder / "run.txt"}
        for path, text in zip(paths.values(), self._texts(), strict=True):
            path.write_text(text, encoding="utf-8", newline="\n")
        return {name: os.fspath(path) for name, path in paths.items()}

    def unchanged(self, arguments: Mapping[str, Any]) -> bool:
        """Compare the bytes."""
        paths = (Path(arguments["qrels_path"]), Path(arguments["run_path"]))
        return all(
            path.is_file() and path.read_bytes() == text.encode()
            for path, text in zip(paths, self._texts(), strict=True)
        )

    def _texts(self) -> tuple[str, str]:
        qrels = [
            f"{query} {subtopic} {docno} {grade}\n"
            for query, docs in self.qrels
            for docno, judged in docs
            for subtopic, grade in (judged if isinstance(judged, tuple) else ((NO_SUBTOPIC, judged),))
        ]
        run = [
            f"{query} Q0 {docno} {rank} {score} rankspec\n"
            for query, docs in self.run
            for rank, (docno, score) in enumerate(docs, start=1)
        ]
        return "".join(qrels), "".join(run)


@dataclass(frozen=True, slots=True)
class Frames(_QrelsAndRun):
    """Shape ``frames``: a row a document of a query, with its grade, or with its score.

    ``columns`` are the names of query, document, grade and score.
    """

    shape: ClassVar[Shape] = Shape.FRAMES
    qrels: Judgements
    run: Retrieved
    columns: tuple[str, str, str, str] = COLUMNS[0]

    def message(self) -> dict[str, object]:
        """Return what JSON can carry."""
        scored = [(query, docno, _score_text(score)) for query, docno, score in _rows(self.run)]
        return {"columns": self.columns, "qrels": list(_rows(self.qrels)), "run": scored}

    @classmethod
    def parse(cls, message: Any) -> Frames:
        """Read what ``message`` wrote."""
        query, docno, grade, score = message["columns"]
        run = ((name, document, float(text)) for name, document, text in message["run"])
        return cls(_gathered(message["qrels"]), _gathered(run), (query, docno, grade, score))

    def plain(self) -> dict[str, Any]:
        """Return the rows."""
        return {"qrels": list(_rows(self.qrels)), "run": list(_rows(self.run))}

    @property
    def names(self) -> dict[str, tuple[str, str, str]]:
        """The names of the columns of each frame."""
        query, docno, grade, score = self.columns
        return {"qrels": (query, docno, grade), "run": (query, docno, score)}

    def natives(self, folder: Path) -> dict[str, Any]:  # noqa: ARG002 - where files are written
        """Return two data frames."""
        kinds = {"qrels": "int64", "run": "float64"}
        return {name: _frame(rows, self.names[name], kinds[name]) for name, rows in self.plain().items()}

    def by_query(self, returned: Any) -> object:
        """Return a mapping for a Series."""
        if hasattr(returned, "to_dict") and hasattr(returned, "index"):
            return {str(query): value for query, value in returned.to_dict().items()}
        return returned


class _SideBySide(_Arguments):
    """Queries side by side, whose names the function is not given."""

    __slots__ = ()
    queries: tuple[str, ...]

    @property
    def query_count(self) -> int:
        """The number of queries."""
        return len(self.queries)

    def by_query(self, returned: Any) -> object:
        """Return a mapping for a list or an array of as many numbers as there are queries."""
        if isinstance(returned, str | bytes | Mapping):
            return returned
        is_column = getattr(returned, "ndim", 0) == 2 and returned.shape[1] == 1  # noqa: PLR2004 - one cutoff
        returned = returned[:, 0] if is_column else returned
        listed = returned.tolist() if getattr(returned, "ndim", 0) == 1 else returned
        if not isinstance(listed, list | tuple) or len(listed) != len(self.queries):
            return returned
        return dict(zip(self.queries, returned, strict=True))


@dataclass(frozen=True, slots=True)
class QueryLists(_SideBySide):
    """Shape ``lists-of-lists``: for each query the ids of the relevant documents, and those of the retrieved ones."""

    shape: ClassVar[Shape] = Shape.LISTS
    queries: tuple[str, ...]
    actual: tuple[tuple[str, ...], ...]
    predicted: tuple[tuple[str, ...], ...]

    @property
    def singles(self) -> dict[str, ActualPredicted]:
        """The arguments of each query by itself."""
        return dict(zip(self.queries, map(ActualPredicted, self.actual, self.predicted), strict=True))


@dataclass(frozen=True, slots=True)
class Matrices(_SideBySide):
    """Shape ``matrices``: a row a query, with the labels and the scores of equally many documents."""

    shape: ClassVar[Shape] = Shape.MATRICES
    queries: tuple[str, ...]
    y_true: tuple[tuple[int, ...], ...]
    y_score: tuple[tuple[Score, ...], ...]

    @property
    def singles(self) -> dict[str, LabelsScores]:
        """The arguments of each query by itself."""
        return dict(zip(self.queries, map(LabelsScores, self.y_true, self.y_score), strict=True))

    def natives(self, folder: Path) -> dict[str, Any]:  # noqa: ARG002 - where files are written
        """Return two arrays, also of rows without columns."""
        numpy, kinds = import_module("numpy"), {"y_true": "int64", "y_score": "float64"}
        width = len(self.y_true[0]) if self.y_true else 0
        return {
            name: numpy.array(rows, dtype=kinds[name]).reshape(len(rows), width) for name, rows in self.plain().items()
        }


Batch = QueryLists | Matrices | Frames
Arguments = RankedLabels | LabelsScores | ActualPredicted | QrelsRun | Files | Batch

_CLASSES: tuple[type[Arguments], ...] = (
    RankedLabels, LabelsScores, ActualPredicted, QrelsRun, Files, QueryLists, Matrices, Frames,
)  # fmt: skip


def parse_arguments(shape: Shape, message: Any) -> Arguments:
    """Read the message of the arguments of a shape."""
    return next(each for each in _CLASSES if each.shape is shape).parse(message)


def queries_of(mapping: Mapping[str, Mapping[str, Any]]) -> _Queries:
    """Turn qrels or a run in dicts of dicts into the pairs of ``QrelsRun`` and ``Files``, in order."""
    return tuple((query, tuple(documents.items())) for query, documents in mapping.items())


def highest(grade: int | Subtopics) -> int:
    """Give a document's grade for the query: the highest one for a subtopic, where there are such."""
    return max(each for _, each in grade) if isinstance(grade, tuple) else grade


def lacks(package: str) -> bool:
    """Tell whether a package can't be imported here; nothing is imported to find out."""
    return find_spec(package) is None


def _score_text(score: Score) -> str:
    """Write the double that a score is, in the fewest digits that bring it back."""
    try:
        double = float(score)
    except OverflowError:
        double = math.inf if score > 0 else -math.inf
    if math.isinf(double):
        return "Infinity" if double > 0 else "-Infinity"  # the spelling that most languages read
    return repr(double).removesuffix(".0")


def _rows(queries: Judgements | Retrieved) -> Iterator[tuple[str, str, Any]]:
    """Yield the rows of a frame."""
    for query, documents in queries:
        for docno, value in documents:
            yield query, docno, value


def _frame(rows: list[tuple[str, str, Any]], columns: tuple[str, str, str], kind: str) -> Any:
    pandas = import_module("pandas")
    return pandas.DataFrame(
        {
            columns[0]: pandas.Series([query for query, _, _ in rows], dtype="object"),
            columns[1]: pandas.Series([docno for _, docno, _ in rows], dtype="object"),
            columns[2]: pandas.Series([value for _, _, value in rows], dtype=kind),
        }
    )


def _sent(value: Any, name: str) -> Any:
    """Return the value of a field with scores as text, which every language reads as the same double."""
    if isinstance(value, tuple):
        return [_sent(each, name) for each in value]
    return _score_text(value) if name in _SCORES and not isinstance(value, str) else value


def _received(value: Any, name: str) -> Any:
    """Return what ``_sent`` was given."""
    if isinstance(value, list | tuple):
        return tuple(_received(each, name) for each in value)
    return float(value) if name in _SCORES else value


def _listed(value: Any) -> Any:
    return [*map(_listed, value)] if isinstance(value, tuple) else value


def _gathered(message: Any) -> _Queries:
    queries: dict[str, list[tuple[str, Any]]] = {}
    for query, docno, value in message:
        queries.setdefault(query, []).append((docno, value))
    return tuple((query, tuple(documents)) for query, documents in queries.items())


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
    return tuple(
        (query, tuple(pair for docno, own in groupby(same, lambda columns: columns[2]) for pair in _judged(docno, own)))
        for query, same in groupby(lines, lambda columns: columns[0])
    )


def _judged(docno: str, lines: Iterator[list[str]]) -> list[tuple[str, int | Subtopics]]:
    grades = tuple((subtopic, int(grade)) for _, subtopic, _, grade in lines)
    is_plain = all(subtopic == NO_SUBTOPIC for subtopic, _ in grades)
    return [(docno, grade) for _, grade in grades] if is_plain else [(docno, grades)]
