"""Runs and qrels as tables that are in memory already: anything that speaks Arrow's interchange (PyCapsules).

Frames of polars and pandas do, and tables of pyarrow. A run's rows go to the embedded engine as they are; no Python
object is made of them. The extra `rankspec[score]` has what this needs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.errors import InputError
from rankspec.oracle.scoring.engines.choosing import in_order
from rankspec.oracle.scoring.engines.embedded import product_of_tables
from rankspec.oracle.scoring.engines.scoring import RunValues, score_many

_COLUMNS = ("query", "docno", "grade")


def score_tables(
    measures: Collection[Measure], qrels: Qrels | Any, run: Any, convention: Convention = DEFAULT
) -> Mapping[Measure, RunValues]:
    """Return the correctly rounded values of a run's queries, and of their mean, under several measures.

    Args:
        measures: the measures.
        qrels: judgments, or a table with the columns query, docno (texts) and grade (whole numbers).
        run: a table with the columns query, docno (texts) and score (a number), in any order of rows.
        convention: the convention. Scores are doubles.

    Raises:
        ConventionError: the convention means nothing for one of the measures.
        EngineRefusalError: a document appears twice, or the engine can't answer under the convention; `evaluate` does.
        InputError: a table has other columns, NaN for a score, or `rankspec[score]` is not installed.
        UndefinedValueError: a value is undefined and the convention says `error`.
    """
    judged = qrels if isinstance(qrels, Qrels) else qrels_of_table(qrels)
    product = product_of_tables(judged, _arrow(run), in_order(measures, convention))
    return score_many(measures, product, convention)


def qrels_of_table(table: Any) -> Qrels:
    """Return judgments of a table; `InputError` for missing or mistyped columns, duplicates, or no pyarrow."""
    rows = _arrow(table)
    missing = [name for name in _COLUMNS if name not in rows.column_names]
    if missing:
        raise InputError(
            f"qrels: no column {missing[0]}; a table of judgments has query, docno and grade", code="column-missing"
        )
    judgments: dict[str, dict[str, int]] = {}
    query_column, docno_column = (rows.column(name).cast("string").to_pylist() for name in _COLUMNS[:2])
    for query, docno, grade in zip(query_column, docno_column, rows.column(_COLUMNS[2]).to_pylist(), strict=True):
        graded = judgments.setdefault(query, {})
        if docno in graded:
            raise InputError(
                f"qrels: query {query}, document {docno} appears twice; keep one", code="document-repeated"
            )
        graded[docno] = grade
    return Qrels.of(judgments)


def _arrow(table: Any) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise InputError(
            'tables need pyarrow and DuckDB: pip install "rankspec[score]"', code="package-missing"
        ) from None
    if isinstance(table, pa.Table):
        return table
    if not hasattr(table, "__arrow_c_stream__"):
        raise InputError(
            f"a {type(table).__name__} is not a table: it does not speak Arrow's interchange", code="not-a-table"
        )
    return pa.table(table)
