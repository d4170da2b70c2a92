"""What the adapters of libraries that read data frames share: qrels and runs as tables, a row a document of a query."""

from collections.abc import Sequence
from typing import Any

from rankspec.conformance.worker.adapter import Qrels, Run


def relevant(qrels: Qrels, rel: int, columns: tuple[str, str, str]) -> Any:
    """Make a table of the relevant documents, for a library without thresholds: query, document, grade."""
    rows = [(query, docno, grade) for query, graded in qrels.items() for docno, grade in graded.items() if grade >= rel]
    return _table(rows, columns)


def retrieved(run: Run, columns: tuple[str, str, str]) -> Any:
    """Make a table of what was retrieved: query, document, score, in the run's order."""
    rows = [(query, docno, score) for query, scored in run.items() for docno, score in scored.items()]
    return _table(rows, columns)


def _table(rows: Sequence[tuple[str, str, float]], columns: tuple[str, str, str]) -> Any:
    """Make a table, whose columns have types without rows too."""
    import pandas as pd

    return pd.DataFrame(rows, columns=list(columns)).astype(dict(zip(columns, (str, str, float), strict=True)))
