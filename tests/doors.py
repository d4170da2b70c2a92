"""Qrels and runs as people have them: one drawn input, through every door by which it can come in.

A door makes of rows what a person gives to `rankspec.evaluate`: dictionaries, frames of three packages, files. What a
package or a kind of data has no form for is None.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import strategies as st
from rankspec.oracle import Qrels, Run
from rankspec.oracle.scoring import evaluator
from rankspec.oracle.scoring.engines import counting

HAS = {name: find_spec(name) is not None for name in ("pandas", "pyarrow", "polars")}
TEXTS = ("a", "b", "B", "é", "10", "2", "d\U0001d11e")
NUMBERS = (1, 2, 7, 10, 100, 2**40, 0)
EXACT = 2**53
SCORES = {
    "doubles": (0.5, 1.0, 2.25, -3.0, 1e30, 0.1, float("inf"), float("-inf"), 0.0),
    "singles": (0.5, 1.0, -3.0, 2.0**40, 0.25),
    "whole": (0, 1, -1, EXACT, EXACT + 1, -EXACT, -EXACT - 1, -EXACT - 2),
    "small": (0, 1, 2, 3),
    "texts": ("0.5", "1e0", "0.25", "1.00000000000000000001", "-3"),
}


@dataclass(frozen=True)
class Given:
    """What comes in.

    Attributes:
        judgments: query, docno and grade, each document once a query.
        rows: query, docno and score.
        kind: of the scores, a key of `SCORES`.
    """

    judgments: tuple[tuple[object, object, int], ...]
    rows: tuple[tuple[object, object, object], ...]
    kind: str

    @property
    def nested_run(self):
        """Return the run as a dictionary, of pairs where a document appears twice."""
        return listed(self.rows) if self.has_repeats else nested(self.rows)

    @property
    def has_repeats(self):
        return len({row[:2] for row in self.rows}) < len(self.rows)

    @property
    def qrels(self):
        return Qrels.of(nested(self.judgments))

    @property
    def run(self):
        return Run.of(listed(self.rows))


@st.composite
def inputs(draw, most=12):
    """Draw qrels and a run that have a query in common; one in three runs has a document twice or more."""
    names = st.sampled_from(draw(st.sampled_from([TEXTS, NUMBERS])))
    kind = draw(st.sampled_from([*SCORES]))
    scores = st.sampled_from(SCORES[kind])
    may_repeat = draw(st.integers(0, 2)) == 0
    keys = st.tuples(names, names)
    rows = draw(
        st.lists(
            st.tuples(keys, scores), min_size=1, max_size=most, unique_by=None if may_repeat else lambda row: row[0]
        )
    )
    if not draw(st.booleans()):  # a query's rows stand together
        queries = [*dict.fromkeys(query for (query, _), _ in rows)]
        rows.sort(key=lambda row: queries.index(row[0][0]))
    judged = draw(st.dictionaries(keys, st.integers(-1, 3), max_size=most))
    judged.setdefault(draw(st.sampled_from(rows))[0], 1)
    ordered = sorted(judged.items(), key=lambda item: str(item[0][0]))
    return Given(
        tuple((query, docno, grade) for (query, docno), grade in ordered),
        tuple((query, docno, score) for (query, docno), score in rows),
        kind,
    )


def nested(rows):
    """Return query -> docno -> value, of what is there once."""
    found = {}
    for query, docno, value in rows:
        found.setdefault(str(query), {})[str(docno)] = value
    return found


def listed(rows):
    """Return query -> pairs of docno and value."""
    found = {}
    for query, docno, value in rows:
        found.setdefault(str(query), []).append((str(docno), value))
    return found


def runs(given, folder):
    """Yield the name of each door and the run that comes in by it."""
    rows = given.rows
    if not given.has_repeats:
        yield "dictionary", nested(rows)
        yield (
            "numbers name documents",
            {query: {docno: score for other, docno, score in rows if other == query} for query, _, _ in rows},
        )
        if given.kind != "whole":
            yield (
                "numpy numbers",
                {
                    query: {docno: np.float64(score) for docno, score in each.items()}
                    for query, each in nested(rows).items()
                },
            )
        if given.kind in {"singles", "small"}:
            yield (
                "numpy singles",
                {
                    query: {docno: np.float32(score) for docno, score in each.items()}
                    for query, each in nested(rows).items()
                },
            )
    yield "pairs", listed(rows)
    if not any(score != score for _, _, score in rows):  # noqa: PLR0124 - NaN, of which there is no run
        yield "Run", given.run
    yield from frames(rows, "score", given.kind)
    path = folder / "run"
    path.write_text("".join(f"{query} Q0 {docno} 1 {score} t\n" for query, docno, score in rows), encoding="utf-8")
    yield "file", path
    yield "file's name", str(path)


def qrels(given, folder):
    """Yield the name of each door and the qrels that come in by it."""
    judgments = given.judgments
    yield "dictionary", nested(judgments)
    yield (
        "numpy numbers",
        {query: {docno: np.int8(grade) for docno, grade in each.items()} for query, each in nested(judgments).items()},
    )
    yield "Qrels", given.qrels
    yield from frames(judgments, "grade", "small")
    path = folder / "qrels"
    path.write_text("".join(f"{query} 0 {docno} {grade}\n" for query, docno, grade in judgments), encoding="utf-8")
    yield "file", path


def frames(rows, value, kind):
    """Yield frames of rows: of each package, as it is, in pieces, a part of a larger one, with names as categories."""
    table = dict(zip(("query", "docno", value), map(list, zip(*rows, strict=True)), strict=True))
    texts = table | {name: list(map(str, table[name])) for name in ("query", "docno")}
    more = {name: [column[0], *column, column[-1]] for name, column in table.items()}
    if HAS["pandas"]:
        import pandas as pd  # noqa: PLC0415 - where it is installed

        whole = pd.DataFrame(table)
        yield "pandas", whole
        yield "pandas, texts", pd.DataFrame(texts)
        yield "pandas, objects", pd.DataFrame(texts).astype({"query": object, "docno": object})
        yield "pandas, categories", pd.DataFrame(texts).astype({"query": "category", "docno": "category"})
        yield "pandas, a part of it", pd.DataFrame(more)[1:-1]
        renamed = whole.rename(columns={"query": "qid", "docno": "doc_id"})
        yield "pandas, other names", renamed[["doc_id", value, "qid"]]
        if kind in {"singles", "small"}:
            yield "pandas, singles", whole.astype({value: np.float32} if value == "score" else {value: np.int8})
    if HAS["pyarrow"]:
        import pyarrow as pa  # noqa: PLC0415 - where it is installed

        arrow = pa.table(texts)
        yield "pyarrow", arrow
        yield "pyarrow, numbers", pa.table(table)
        yield "pyarrow, pieces", pa.concat_tables([arrow.slice(0, 1), arrow.slice(1, 0), arrow.slice(1)])
        yield "pyarrow, a part of it", pa.table(more).slice(1, len(rows))
        names = {name: pa.array(texts[name]).dictionary_encode() for name in ("query", "docno")}
        yield "pyarrow, categories", pa.table(texts | names)
        large = {name: pa.array(texts[name], pa.large_string()) for name in ("query", "docno")}
        yield "pyarrow, large texts", pa.table(texts | large)
    if HAS["polars"]:
        import polars as pl  # noqa: PLC0415 - where it is installed

        yield "polars", pl.DataFrame(texts)
        yield "polars, numbers", pl.DataFrame(table)
        yield "polars, pieces", pl.concat([pl.DataFrame(texts)[:1], pl.DataFrame(texts)[1:]], rechunk=False)


@contextmanager
def small_limits(rows=3):
    """What is counted by numpy from many documents on is so from the first on, a few at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluator, "FEWEST_DOCUMENTS", 0)
        patch.setattr(counting, "_ROWS", rows)
        patch.setattr(counting, "_AT_ONCE", rows)
        yield
