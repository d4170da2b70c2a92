"""TREC's qrels (`query iteration docno grade`) and runs (`query Q0 docno rank score tag`); tables too (`tables.py`).

Queries keep the order of their first lines, documents the order of the file; the columns for iteration, rank and tag
are not used, as in trec_eval. A strict reading refuses a line that one program reads and another skips; the others read
what their program reads, see `trec_eval.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.data.qrels import DecimalGrade, Qrels, not_whole
from rankspec.oracle.data.run import Run, Score
from rankspec.oracle.limits import NUMBER_CHARACTERS
from rankspec.oracle.readers.lines import STANDARD_INPUT, Line, Text, miscounted, read_lines, require_few, text_of
from rankspec.oracle.readers.tables import Content, as_trec
from rankspec.oracle.readers.trec_eval import PROGRAMS, read_judgments, read_results

WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?([0-9]{1,18}\.[0-9]{0,18}|\.[0-9]{1,18})")
_SCORE = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE]([+-]?[0-9]{1,9}))?")
_INFINITY = re.compile(r"([+-]?)inf(inity)?", re.IGNORECASE)
_SMALLEST_EXPONENT = -5000  # 1e-5000 is a fraction of 16,610 bits; the least double is 5e-324
_SHORT = 100  # Characters of a score up to which no limit need be asked for
_QRELS_COLUMNS = ("query", "iteration", "docno", "grade")
_RUN_COLUMNS = ("query", "Q0", "docno", "rank", "score", "tag")
_FILES = {"qrels": _QRELS_COLUMNS, "a run": _RUN_COLUMNS}


class Repeated(Enum):
    """What a document that appears twice in a query of a run is to the reader."""

    REFUSED = "refused"  # A fault of the file
    KEPT = "kept"  # Left in the run, for a convention to decide (axis `duplicates`)


@clause("reading.*")
def read_qrels(
    source: Path | str, reading: Reading = Reading.STRICT, *, evaluated: Container[str] | None = None
) -> Qrels:
    """Read qrels from a file, plain or gzip, or from standard input (`-`).

    Args:
        source: the file.
        reading: strict, where identical repeated lines are one; or a program's.
        evaluated: the queries that will be evaluated, by default all. trec_eval refuses repeated judgments in these.

    Raises:
        InputError: with file, line and reason.
    """
    text = text_of(as_trec(source, Content.QRELS))
    if (plain := _plain_judgments(text.content)) is not None:
        qrels = Qrels(plain)
    elif (program := PROGRAMS[reading]) is None:
        qrels = Qrels.of(_strict_judgments(text))
    else:
        judged, cut = read_judgments(text, program, evaluated)
        qrels = replace(Qrels.of(judged), cut=cut)
    require_few(text, qrels.judgments)
    return qrels


def _strict_judgments(text: Text) -> Mapping[str, Mapping[str, int]]:
    judgments: dict[str, dict[str, int]] = {}
    places: dict[tuple[str, str], int] = {}
    for line in read_lines(text):
        query, _, docno, written = _columns(line, _QRELS_COLUMNS)
        if WHOLE.fullmatch(written):
            grade = int(written)
        elif _DECIMAL.fullmatch(written):
            grade = DecimalGrade.of(Fraction(written))
        else:
            raise line.refused(not_whole(written, " in ASCII digits"), code="grade-not-whole")
        earlier = judgments.setdefault(query, {}).setdefault(docno, grade)
        first = places.setdefault((query, docno), line.number)
        if earlier != grade:
            reason = f"query {query}, document {docno} has grade {grade} here and {earlier} in line {first}; keep one"
            raise line.refused(reason, code="grade-contradicts")
    return judgments


@clause("reading.*")
def read_run(source: Path | str, repeated: Repeated | None = None, reading: Reading = Reading.STRICT) -> Run:
    """Read a run from a file, plain or gzip, or from standard input (`-`).

    A strict reading reads scores exactly; those that are infinite or beyond the doubles are infinite. A program's reads
    them as doubles.

    Args:
        source: the file.
        repeated: what a document is that appears twice in a query. By default it is refused in a strict reading and
            kept in a program's, which looks for it later (axis `duplicates`).
        reading: strict, or a program's.

    Raises:
        InputError: with file, line and reason.
    """
    program = PROGRAMS[reading]
    is_standard_input = program is not None and program.dash_is_standard_input and str(source).startswith("-")
    text = text_of(as_trec(STANDARD_INPUT if is_standard_input else source, Content.RUN))
    keeps = repeated is Repeated.KEPT or (repeated is None and program is not None)
    results: dict[str, list[tuple[str, Score]]] = {}
    places: dict[tuple[str, str], int] = {}
    for line, query, docno, score in _strict_results(text) if program is None else read_results(text, program):
        first = places.setdefault((query, docno), line.number)
        if first != line.number and not keeps:
            reason = f"query {query}, document {docno} appears twice (lines {first} and {line.number}); keep one"
            raise line.refused(reason, code="document-repeated")
        results.setdefault(query, []).append((docno, score))
    require_few(text, results)
    return Run.of(results)


def _strict_results(text: Text) -> Iterator[tuple[Line, str, str, Score]]:
    for line in read_lines(text):
        query, _, docno, _, written, _ = _columns(line, _RUN_COLUMNS)
        yield line, query, docno, _score(line, written)


def _columns(line: Line, names: tuple[str, ...]) -> tuple[str, ...]:
    if len(line.columns) != len(names):
        other = next((what for what, columns in _FILES.items() if len(columns) == len(line.columns)), None)
        if "," in line.columns[0]:
            hint = "; the first line of a table names its columns: query_id, doc_id, score"
        elif other is not None and line.number == 1:
            hint = f"; this looks like {other}: are the qrels and the run swapped?"
        else:
            hint = ""
        raise line.refused(f"{miscounted(line, ' '.join(names))}{hint}", code="columns-miscounted")
    return line.columns


def _score(line: Line, text: str) -> Score:
    if infinity := _INFINITY.fullmatch(text):
        return -math.inf if infinity[1] == "-" else math.inf
    if len(text) > _SHORT and len(text) > NUMBER_CHARACTERS.most:
        raise NUMBER_CHARACTERS.exceeded(f"{line.file}, line {line.number}", f"score {text!r} has")
    number = _SCORE.fullmatch(text)
    if number is None:
        what = "NaN can't be ordered" if text.lower().lstrip("+-") == "nan" else "not a decimal number in ASCII digits"
        raise line.refused(f"score {text!r}: {what}", code="score-not-a-number")
    if math.isinf(float(text)):
        return float(text)
    if not number[1].strip("0."):
        return 0  # whatever the exponent
    if number[3] is not None and int(number[3]) < _SMALLEST_EXPONENT:
        reason = f"score {text!r}: an exponent below {_SMALLEST_EXPONENT} is taken for a mistake"
        raise line.refused(reason, code="exponent-too-low")
    return Fraction(text)


# Qrels that have nothing odd about them, read quickly: the usual readers read or explain all others.
#
# What every reading takes alike is plain: four columns in each line, small grades in ASCII digits, UTF-8, no document
# twice, no comment, no byte order mark.

_GRADE_BYTES = re.compile(rb"[+-]?[0-9]{1,9}")
_BYTE_ORDER_MARK = "\ufeff"


class _Grades(dict[bytes, int]):
    """Small grades by their texts, each read once."""

    def __missing__(self, text: bytes) -> int:
        if not _GRADE_BYTES.fullmatch(text):
            raise ValueError(text)
        return self.setdefault(text, int(text))


def _plain_judgments(content: bytes) -> Mapping[str, Mapping[str, int]] | None:
    """Return query -> docno -> grade; None if the text is not plain."""
    lines = content.removesuffix(b"\n").split(b"\n")
    grades = _Grades()
    judgments: dict[str, dict[str, int]] = {}
    current, graded = b"", dict[str, int]()
    try:
        if not content.isascii():
            content.decode()  # also the column that nobody looks at
        for line in lines:
            query, _, docno, text = line.split()  # held for all lines at once, columns take twice the time
            if query != current:
                current, graded = query, judgments.setdefault(query.decode(), {})
            graded[docno.decode()] = grades[text]
    except ValueError:  # not UTF-8, not four columns, or no small grade
        return None
    is_odd = any(query.startswith(("#", _BYTE_ORDER_MARK)) for query in judgments)
    if is_odd or sum(map(len, judgments.values())) != len(lines):
        return None
    return MappingProxyType({query: MappingProxyType(graded) for query, graded in judgments.items()})
