"""Odd calls to put beside or before a question: an empty query, one without relevant documents.

Whoever evaluates a query set meets such queries. What is answered to them is a question of its own; here they show
whether they change what is answered to the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import TypeVar

from rankspec.conformance.worker.arguments import (
    ActualPredicted,
    Arguments,
    Files,
    Frames,
    LabelsScores,
    Matrices,
    QrelsRun,
    QueryLists,
    RankedLabels,
    Subtopics,
)
from rankspec.conformance.worker.messages import Call

_Value = TypeVar("_Value")
_Queries = tuple[tuple[str, tuple[tuple[str, _Value], ...]], ...]
_Graded = tuple[tuple[str, int | Subtopics], ...]

NO_JUDGEMENTS = "without judgements"
NO_RELEVANT = "without relevant documents"
NOTHING_RETRIEVED = "to which nothing was retrieved"
EMPTY_LIST = "an empty list"


@dataclass(frozen=True)
class Neighbour:
    """An odd call."""

    call: Call
    odd: str  # what is odd, in words that go on after the id of the question
    # the queries of the question that are in it too, whose values must be what they are without the odd ones; none
    # where a call is about one query, and the odd call stands by itself
    queries: frozenset[str] = frozenset()


def neighbours_of(call: Call) -> list[Neighbour]:
    """Return the odd calls that go with a call."""
    match call.arguments:
        case RankedLabels(relevance, _):
            misses = (0,) * max(len(relevance), 1)
            alone: dict[str, Arguments] = {EMPTY_LIST: RankedLabels((), 0), NO_RELEVANT: RankedLabels(misses, 0)}
        case LabelsScores(labels, scores):
            misses = (0,) * max(len(labels), 1)
            alone = {EMPTY_LIST: LabelsScores((), ()), NO_RELEVANT: LabelsScores(misses, scores or (1.0,))}
        case ActualPredicted(actual, predicted):
            alone = {
                EMPTY_LIST: ActualPredicted(actual or ("a",), ()),
                NO_RELEVANT: ActualPredicted((), predicted or ("a",)),
            }
        case QrelsRun() | Files() | Frames():
            return _beside(call, call.arguments)
        case QueryLists() | Matrices():
            return list(_in_rows(call, call.arguments))
    return [
        Neighbour(replace(call, arguments=arguments), odd if odd == EMPTY_LIST else f"a list {odd}")
        for odd, arguments in alone.items()
    ]


def _in_rows(call: Call, arguments: QueryLists | Matrices) -> Iterator[Neighbour]:
    """Put an odd row before the others and one behind."""
    names = frozenset(arguments.queries)
    ends = _name(names, "0"), _name(names, "z")
    queries = (ends[0], *arguments.queries, ends[1])

    def between(odd: tuple[_Value, ...], rows: tuple[tuple[_Value, ...], ...]) -> tuple[tuple[_Value, ...], ...]:
        return (odd, *rows, odd)

    found: dict[str, Arguments] = {}
    if isinstance(arguments, QueryLists):
        listed = next((ids for ids in arguments.predicted if ids), ("d",))
        for odd, ids, retrieved in ((NO_RELEVANT, (), listed), (NOTHING_RETRIEVED, listed, ())):
            found[odd] = QueryLists(queries, between(ids, arguments.actual), between(retrieved, arguments.predicted))
    elif arguments.y_true:
        misses = (0,) * len(arguments.y_true[0])
        scores = between(arguments.y_score[0], arguments.y_score)
        found[NO_RELEVANT] = Matrices(queries, between(misses, arguments.y_true), scores)
    for odd, asked in found.items():
        yield Neighbour(replace(call, arguments=asked), f"queries {odd}", names)


def _beside(call: Call, arguments: QrelsRun | Files | Frames) -> list[Neighbour]:
    """Put an odd query before the others and one behind: what goes wrong with it may tell in either."""
    # Their names and documents are as long as those that are there: some libraries compile for each length.
    names = frozenset(query for query, _ in (*arguments.qrels, *arguments.run))
    listed = next((documents for _, documents in arguments.run if documents), (("d", 1.0),))
    docnos = tuple(dict.fromkeys(docno for docno, _ in listed))
    subtopic = next(
        (grade[0][0] for _, judged in arguments.qrels for _, grade in judged if isinstance(grade, tuple)), None
    )
    misses, hits = (
        tuple((docno, grade if subtopic is None else ((subtopic, grade),)) for docno in docnos) for grade in (0, 1)
    )
    is_file = isinstance(arguments, Files | Frames)  # which has no lines of a query without any
    kinds: Mapping[str, tuple[_Graded | None, tuple[tuple[str, float | int | str], ...] | None]] = {
        NO_JUDGEMENTS: (None if is_file else (), listed),
        NO_RELEVANT: (misses, listed),
        NOTHING_RETRIEVED: (hits, None if is_file else ()),
    }
    ends = _name(names, "0"), _name(names, "z")
    found = []
    for odd, (judged, retrieved) in kinds.items():
        asked = replace(
            arguments,
            qrels=_between(ends, judged, arguments.qrels),  # type: ignore[arg-type]
            run=_between(ends, retrieved, arguments.run),  # type: ignore[arg-type]
        )
        found.append(Neighbour(replace(call, arguments=asked), f"queries {odd}", names))
    return found


def _name(taken: frozenset[str], letter: str) -> str:
    length = max(map(len, taken), default=1)
    return next(name for more in count() if (name := letter * (length + more)) not in taken)


def _between(
    ends: tuple[str, str], documents: tuple[tuple[str, _Value], ...] | None, queries: _Queries[_Value]
) -> _Queries[_Value]:
    """Put queries with these documents at both ends; None if there the odd queries are missing."""
    first, last = ends
    return queries if documents is None else ((first, documents), *queries, (last, documents))
