"""The arguments of functions that take a whole set of queries at once: lists of lists, data frames, matrices.

numpy and pandas belong to the functions that take them, so they are imported when a call is made, and not before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

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


@dataclass(frozen=True, slots=True)
class QueryLists:
    """Shape ``lists-of-lists``: for each query the ids of the relevant documents, and those of the retrieved ones."""

    queries: tuple[str, ...]
    actual: tuple[tuple[str, ...], ...]
    predicted: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Matrices:
    """Shape ``matrices``: a row a query, with the labels and the scores of equally many documents."""

    queries: tuple[str, ...]
    y_true: tuple[tuple[int, ...], ...]
    y_score: tuple[tuple[Score, ...], ...]


@dataclass(frozen=True, slots=True)
class Frames:
    """Shape ``frames``: a row a document of a query, with its grade, or with its score.

    ``columns`` are the names of query, document, grade and score.
    """

    qrels: Judgements
    run: Retrieved
    columns: tuple[str, str, str, str] = COLUMNS[0]


Batch = QueryLists | Matrices | Frames


def highest(grade: int | Subtopics) -> int:
    """Give a document's grade for the query: the highest one for a subtopic, where there are such."""
    return max(each for _, each in grade) if isinstance(grade, tuple) else grade


def lacks(package: str) -> bool:
    """Tell whether a package can't be imported here; nothing is imported to find out."""
    return find_spec(package) is None


def batch_message(arguments: Batch) -> dict[str, object]:
    """Give the arguments as what JSON can carry."""
    match arguments:
        case QueryLists(queries, actual, predicted):
            return {"queries": queries, "actual": actual, "predicted": predicted}
        case Matrices(queries, y_true, y_score):
            scores = [[score_text(score) for score in row] for row in y_score]
            return {"queries": queries, "y_true": y_true, "y_score": scores}
        case Frames(qrels, run, columns):
            scored = [(query, docno, score_text(score)) for query, docno, score in rows(run)]
            return {"columns": columns, "qrels": list(rows(qrels)), "run": scored}


def parse_lists(message: Any) -> QueryLists:
    """Read what ``batch_message`` wrote."""
    return QueryLists(*(tuple(message["queries"]), _table(message["actual"]), _table(message["predicted"])))


def parse_matrices(message: Any) -> Matrices:
    """Read what ``batch_message`` wrote."""
    scores = tuple(tuple(map(float, row)) for row in message["y_score"])
    return Matrices(tuple(message["queries"]), _table(message["y_true"]), scores)


def parse_frames(message: Any) -> Frames:
    """Read what ``batch_message`` wrote."""
    query, docno, grade, score = message["columns"]
    run = ((name, document, float(text)) for name, document, text in message["run"])
    return Frames(_gathered(message["qrels"]), _gathered(run), (query, docno, grade, score))


def batch_natives(arguments: Batch) -> dict[str, Any]:
    """Build the arguments that the function is given: new ones each time, by their names in the shape."""
    match arguments:
        case QueryLists(_, actual, predicted):
            return {"actual": [list(ids) for ids in actual], "predicted": [list(ids) for ids in predicted]}
        case Matrices(_, y_true, y_score):
            return {"y_true": _array(y_true, "int64"), "y_score": _array(y_score, "float64")}
        case Frames(qrels, run, columns):
            return {
                "qrels": _frame(qrels, (*columns[:2], columns[2]), "int64"),
                "run": _frame(run, (*columns[:2], columns[3]), "float64"),
            }


def batch_unchanged(arguments: Batch, given: Mapping[str, Any]) -> bool:
    """Say whether what the function was given still is what it was."""
    same: Callable[[Any, Any], bool]
    match arguments:
        case QueryLists():
            same = _equal
        case Matrices():
            same = import_module("numpy").array_equal
        case Frames():
            same = _same_frame
    fresh = batch_natives(arguments)
    return all(same(given[name], value) for name, value in fresh.items())


def score_text(score: Score) -> str:
    """Write the double that a score is, in the fewest digits that bring it back."""
    try:
        double = float(score)
    except OverflowError:
        double = math.inf if score > 0 else -math.inf
    if math.isinf(double):
        return "Infinity" if double > 0 else "-Infinity"  # the spelling that most languages read
    return repr(double).removesuffix(".0")


def rows(queries: Judgements | Retrieved) -> Iterator[tuple[str, str, Any]]:
    """Yield the rows of a frame."""
    for query, documents in queries:
        for docno, value in documents:
            yield query, docno, value


def _table(message: Any) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(row) for row in message)


def _gathered(message: Any) -> tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]:
    found: dict[str, list[tuple[str, Any]]] = {}
    for query, docno, value in message:
        found.setdefault(query, []).append((docno, value))
    return tuple((query, tuple(documents)) for query, documents in found.items())


def _array(table: tuple[tuple[Any, ...], ...], kind: str) -> Any:
    """Make a matrix, also of rows without columns."""
    numpy = import_module("numpy")
    return numpy.array([list(row) for row in table], dtype=kind).reshape(len(table), len(table[0]) if table else 0)


def _frame(queries: Judgements | Retrieved, columns: tuple[str, str, str], kind: str) -> Any:
    pandas = import_module("pandas")
    listed = list(rows(queries))
    return pandas.DataFrame(
        {
            columns[0]: pandas.Series([query for query, _, _ in listed], dtype="object"),
            columns[1]: pandas.Series([docno for _, docno, _ in listed], dtype="object"),
            columns[2]: pandas.Series([value for _, _, value in listed], dtype=kind),
        }
    )


def _equal(first: Any, second: Any) -> bool:
    return bool(first == second)


def _same_frame(given: Any, fresh: Any) -> bool:
    return list(given.columns) == list(fresh.columns) and bool(given.equals(fresh))
