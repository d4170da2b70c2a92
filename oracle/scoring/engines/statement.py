"""The relational step as one SQL statement, which the embedded engine and a cluster both run.

From `run(query, docno, score, line)` and `qrels(place, query, docno, judgment)` it makes a row for each judged document
that was retrieved: its query's place, its judgment's place among all, how many documents have a greater score, how many
have the same one (itself among them), and how many of these stand before it. Whole numbers that add up the same in any
partition.
"""

from __future__ import annotations

from collections.abc import Mapping

from rankspec.oracle.conventions.axes import ScorePrecision, Ties

_ORDER: Mapping[Ties, str] = {
    Ties.DOCNO_DESCENDING: "r.docno DESC",
    Ties.DOCNO_ASCENDING: "r.docno ASC",
    Ties.INPUT_ORDER: "r.line ASC",
    Ties.REVERSE_INPUT: "r.line DESC",
    Ties.GROUPED: "r.score DESC",
    Ties.EXPECTED: "r.score DESC",
}
"""Tie rule -> the order of documents of equal score; under the last two there is none."""

TIES = frozenset(_ORDER)
"""The tie rules that ranks can be counted under. Under the others labels decide, measure by measure."""

BY_LINE = frozenset({Ties.INPUT_ORDER, Ties.REVERSE_INPUT})
"""The tie rules that look at where a line stands in the file."""

ROUNDED: Mapping[ScorePrecision, str] = {
    ScorePrecision.EXACT: "score",
    ScorePrecision.FLOAT64: "score",
    ScorePrecision.FLOAT32: (
        "CASE WHEN score >= 3.4028235677973366e38 THEN CAST('Infinity' AS DOUBLE)"
        " WHEN score <= -3.4028235677973366e38 THEN CAST('-Infinity' AS DOUBLE)"
        " ELSE CAST(CAST(score AS FLOAT) AS DOUBLE) END"
    ),
}
"""Score precision -> the score that is compared. What exact comparison needs beyond doubles, engines look for first.

From half a unit beyond the greatest single on, singles are infinite.
"""

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "query": ("query", "query_id", "q_id", "qid"),
    "docno": ("docno", "doc_id"),
    "score": ("score",),
}
"""Column of a table -> the names that it is known by."""


def ranks(ties: Ties) -> str:
    """Return the statement, which sorts each query's documents."""
    return f"""
SELECT place, judgment, equal_or_above - 1 AS above, tied, ranked - equal_or_above AS before
FROM (
  SELECT q.place AS place, q.judgment AS judgment,
    RANK() OVER (PARTITION BY r.query ORDER BY r.score DESC) AS equal_or_above,
    COUNT(*) OVER (PARTITION BY r.query, r.score) AS tied,
    ROW_NUMBER() OVER (PARTITION BY r.query ORDER BY r.score DESC, {_ORDER[ties]}) AS ranked
  FROM run r LEFT JOIN qrels q ON r.query = q.query AND r.docno = q.docno
) AS everything
WHERE place IS NOT NULL
"""


LENGTHS = "SELECT query, COUNT(*) AS documents, MIN(line) AS first_line FROM run GROUP BY query"
"""The length of each query's list, and where it begins."""

REPEATED = "SELECT query, docno FROM run GROUP BY query, docno HAVING COUNT(*) > 1 LIMIT 1"
"""A document that appears twice in a query, if there is one."""
