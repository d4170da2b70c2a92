"""What a call says, as a small table: what stands at which rank, what was never retrieved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rankspec.conformance.cases.inputs import short_names
from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.worker.arguments import (
    ActualPredicted,
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

_WIDTH = 68
_MOST_STRIPS = 3
_MOST_ROWS = 30
_LONGEST_CELL = 24


def input_lines(call: Call) -> list[str]:
    r"""Lay out the arguments of a call.

    >>> print("\n".join(input_lines(Call("AP", RankedLabels((1, 0, 1), 2), k=10))))
    rank       1  2  3
    relevance  1  0  1
    num_relevant = 2, k = 10
    """
    settings = {"k": call.k, "rel": call.rel}
    match call.arguments:
        case RankedLabels(relevance, num_relevant):
            lines = _strips({"rank": _ranks(relevance), "relevance": [*map(str, relevance)]})
            settings = {"num_relevant": num_relevant, **settings}
        case LabelsScores(y_true, y_score):
            lines = _labels(y_true, y_score)
        case ActualPredicted(actual, predicted):
            lines = _ids(actual, predicted)
        case QrelsRun(qrels, run) | Files(qrels, run) | Frames(qrels, run):
            lines = list(_queries(dict(qrels), _merged(run)))
        case QueryLists(queries, actuals, predictions):
            lines = [
                line
                for query, actual, predicted in zip(queries, actuals, predictions, strict=True)
                for line in (f"query {_cell(query)}", *map(_indented, _ids(actual, predicted)))
            ]
        case Matrices(queries, rows, score_rows):
            lines = [
                line
                for query, y_true, y_score in zip(queries, rows, score_rows, strict=True)
                for line in (f"query {_cell(query)}", *map(_indented, _labels(y_true, y_score)))
            ]
    stated = ", ".join(f"{name} = {value}" for name, value in settings.items() if value is not None)
    return [*lines, *([stated] if stated else [])]


def _labels(y_true: Sequence[int], y_score: Sequence[float]) -> list[str]:
    documents = short_names(len(y_true))
    return _strips({"document": documents, "y_true": [*map(str, y_true)], "y_score": [*map(_score, y_score)]})


def _ids(actual: Sequence[str], predicted: Sequence[str]) -> list[str]:
    hits = ["yes" if docno in actual else "-" for docno in predicted]
    lines = _strips({"rank": _ranks(predicted), "predicted": [*predicted], "in actual": hits})
    return lines + _strips({"actual": [*actual] or ["(none)"]})


def _indented(line: str) -> str:
    return f"  {line}"


def _ranks(documents: Sequence[object]) -> list[str]:
    return [str(rank) for rank in range(1, len(documents) + 1)]


def _strips(rows: Mapping[str, Sequence[str]]) -> list[str]:
    """Lay lists of one length side by side, in strips that fit the page."""
    columns = list(zip(*([_cell(cell) for cell in row] for row in rows.values()), strict=True))
    heading = max(map(len, rows))
    strips: list[list[tuple[str, ...]]] = [[]]
    width = 0
    for column in columns:
        needed = max(map(len, column)) + 2
        if width + needed > _WIDTH - heading and strips[-1]:
            strips.append([])
            width = 0
        width += needed
        strips[-1].append(column)
    lines = []
    for strip in strips[:_MOST_STRIPS]:
        widths = [max(map(len, column)) for column in strip]
        for number, name in enumerate(rows):
            cells = (column[number].ljust(width) for column, width in zip(strip, widths, strict=True))
            lines.append(f"{name.ljust(heading)}  {'  '.join(cells)}".rstrip() if strip else f"{name}  (empty)")
    hidden = sum(map(len, strips[_MOST_STRIPS:]))
    return [*lines, *([f"... and {hidden} more"] if hidden else [])]


def _merged(
    run: Sequence[tuple[str, tuple[tuple[str, float | int | str], ...]]],
) -> dict[str, list[tuple[str, str]]]:
    """Gather the lines of each query of a file, which may be apart."""
    merged: dict[str, list[tuple[str, str]]] = {}
    for query, documents in run:
        merged.setdefault(query, []).extend((docno, _score(score)) for docno, score in documents)
    return merged


def _queries(
    qrels: Mapping[str, Sequence[tuple[str, int | Subtopics]]], run: Mapping[str, Sequence[tuple[str, str]]]
) -> Iterator[str]:
    """Yield a table a query, in the order of its lines: rank is what the scores and the tie rule make of them."""
    left = _MOST_ROWS
    for query in dict.fromkeys([*qrels, *run]):
        grades = dict(qrels.get(query, ()))
        where = ", which is not in the qrels" if query not in qrels else ""
        yield f"query {_cell(query)}{where}" + ("" if query in run else ", which is not in the run")
        retrieved = run.get(query, ())
        rows = [(docno, score, _grade(grades.get(docno, "unjudged"))) for docno, score in retrieved]
        found = {docno for docno, _ in retrieved}
        rows += [(docno, "not retrieved", _grade(grade)) for docno, grade in grades.items() if docno not in found]
        yield from (f"  {line}" for line in _table([("document", "score", "grade"), *rows[:left]]))
        if len(rows) > left:
            yield f"  ... and {len(rows) - left} more documents"
        left = max(left - len(rows), 1)


def _grade(grade: int | str | Subtopics) -> str:
    r"""Write a grade; those for subtopics as `a: 1, b: 0`."""
    return ", ".join(f"{name}: {each}" for name, each in grade) if isinstance(grade, tuple) else str(grade)


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    cells = [[_cell(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _score(score: float | str) -> str:
    return repr(score).removesuffix(".0") if isinstance(score, float | int) else score


def _cell(text: str) -> str:
    return in_one_line(text, _LONGEST_CELL) or "''"
