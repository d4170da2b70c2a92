"""What the adapters of libraries that read tables share: qrels and runs as columns, one row a document of a query."""

from __future__ import annotations

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
Columns = tuple[list[str], list[str], list[float]]


def relevant(qrels: Qrels, rel: int) -> Columns:
    """Give queries, documents and grades of the relevant documents: a table without thresholds has those."""
    rows = [(query, docno, grade) for query, graded in qrels.items() for docno, grade in graded.items() if grade >= rel]
    return [row[0] for row in rows], [row[1] for row in rows], [float(row[2]) for row in rows]


def retrieved(run: Run) -> Columns:
    """Give queries, documents and scores, in the run's order."""
    rows = [(query, docno, score) for query, scored in run.items() for docno, score in scored.items()]
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]
