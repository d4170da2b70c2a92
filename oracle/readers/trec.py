"""TREC's qrels (`query iteration docno grade`) and runs (`query Q0 docno rank score tag`).

Queries keep the order of their first lines, documents the order of the file; the columns for iteration, rank and tag
are not used, as in trec_eval. Strictness is the point: a line that one program reads and another skips is refused.
"""

from __future__ import annotations

import math
import re
from enum import Enum
from fractions import Fraction
from pathlib import Path

from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.data.scores import Score
from rankspec.oracle.readers.lines import Line, read_lines

_GRADE = re.compile(r"[+-]?[0-9]{1,18}")
_SCORE = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE]([+-]?[0-9]{1,9}))?")
_INFINITY = re.compile(r"([+-]?)inf(inity)?", re.IGNORECASE)
_SMALLEST_EXPONENT = -5000
_MOST_CHARACTERS = 4000
_QRELS_COLUMNS = ("query", "iteration", "docno", "grade")
_RUN_COLUMNS = ("query", "Q0", "docno", "rank", "score", "tag")


class Repeated(Enum):
    """What a document that stands twice in a query of a run is to the reader."""

    REFUSED = "refused"
    """A fault of the file."""

    KEPT = "kept"
    """Left in the run, for a convention to decide (axis `duplicates`)."""


def read_qrels(source: Path | str) -> Qrels:
    """Read qrels from a file, plain or gzip, or from standard input (`-`). Identical repeated lines are one.

    Raises:
        InputError: with file, line and reason.
    """
    judgments: dict[str, dict[str, int]] = {}
    places: dict[tuple[str, str], int] = {}
    for line in read_lines(source):
        query, _, docno, text = _columns(line, _QRELS_COLUMNS)
        if not _GRADE.fullmatch(text):
            raise line.refused(f"grade {text!r} is no whole number in ASCII digits")
        grade = int(text)
        earlier = judgments.setdefault(query, {}).setdefault(docno, grade)
        first = places.setdefault((query, docno), line.number)
        if earlier != grade:
            raise line.refused(
                f"query {query}, document {docno} has grade {grade} here and {earlier} in line {first}; keep one"
            )
    return Qrels.of(judgments)


def read_run(source: Path | str, repeated: Repeated = Repeated.REFUSED) -> Run:
    """Read a run from a file, plain or gzip, or from standard input (`-`). Scores are read exactly.

    Infinite scores, and those beyond the doubles, are infinite.

    Raises:
        InputError: with file, line and reason.
    """
    results: dict[str, list[tuple[str, Score]]] = {}
    places: dict[tuple[str, str], int] = {}
    for line in read_lines(source):
        query, _, docno, _, text, _ = _columns(line, _RUN_COLUMNS)
        first = places.setdefault((query, docno), line.number)
        if first != line.number and repeated is Repeated.REFUSED:
            raise line.refused(f"query {query}, document {docno} stands in line {first} already; keep one")
        results.setdefault(query, []).append((docno, _score(line, text)))
    return Run.of(results)


def _columns(line: Line, names: tuple[str, ...]) -> tuple[str, ...]:
    if len(line.columns) != len(names):
        raise line.refused(f"{len(line.columns)} columns instead of {len(names)}, which are {' '.join(names)}")
    return line.columns


def _score(line: Line, text: str) -> Score:
    if infinity := _INFINITY.fullmatch(text):
        return -math.inf if infinity[1] == "-" else math.inf
    number = _SCORE.fullmatch(text) if len(text) <= _MOST_CHARACTERS else None
    if number is None:
        what = "NaN can't be ordered" if text.lower().lstrip("+-") == "nan" else "no decimal number in ASCII digits"
        raise line.refused(f"score {text!r}: {what}")
    if math.isinf(float(text)):
        return float(text)
    if not number[1].strip("0."):
        return 0  # whatever the exponent
    if number[3] is not None and int(number[3]) < _SMALLEST_EXPONENT:
        raise line.refused(f"score {text!r}: an exponent below {_SMALLEST_EXPONENT} is taken for a mistake")
    return Fraction(text)
