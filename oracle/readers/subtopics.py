"""Qrels of subtopics, as ndeval reads them: `query subtopic docno grade`, a line for every subtopic judged."""

from __future__ import annotations

import re
from pathlib import Path

from rankspec.oracle.clauses import clause
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.readers.lines import read_lines

_COLUMNS = ("query", "subtopic", "docno", "grade")
_GRADE = re.compile(r"[+-]?[0-9]{1,18}")


@clause("subtopic.grades")
def read_subtopic_qrels(source: Path | str) -> Qrels:
    """Read qrels whose second column is the subtopic, from a file, plain or gzip, or from standard input (`-`).

    Raises:
        InputError: with file, line and reason; so for a document that is judged twice for a subtopic, differently.
    """
    judgments: dict[str, dict[str, dict[str, int]]] = {}
    for line in read_lines(source):
        if len(line.columns) != len(_COLUMNS):
            raise line.refused(
                f"{len(line.columns)} columns instead of {len(_COLUMNS)}, which are {' '.join(_COLUMNS)}"
            )
        query, subtopic, docno, text = line.columns
        if not _GRADE.fullmatch(text):
            raise line.refused(f"grade {text!r} is no whole number in ASCII digits")
        grades = judgments.setdefault(query, {}).setdefault(docno, {})
        if grades.setdefault(subtopic, int(text)) != int(text):
            raise line.refused(
                f"query {query}, subtopic {subtopic}, document {docno} has grade {int(text)} here and "
                f"{grades[subtopic]} before; keep one"
            )
    return Qrels.of(judgments)
