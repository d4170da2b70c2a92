"""TREC's files as trec_eval reads them: leniently in numbers, strictly in columns. What it refuses is refused."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterator, Mapping
from pathlib import Path

from rankspec.oracle.data.run import Score
from rankspec.oracle.errors import InputError
from rankspec.oracle.readers.lines import (
    STANDARD_INPUT,
    Line,
    content_of,
    miscounted,
    refuse_binary,
    require_few,
    require_short_lines,
    twice,
)
from rankspec.oracle.readers.programs import Program, atof, atol

# query, iteration, docno, grade; and a run's query, Q0, docno, rank, score, tag
_QRELS_COLUMNS = 4
_RUN_COLUMNS = 6
_COMMENT = b"#"
_LARGEST_GRADE = 10**9
_CUT = re.compile(r"[+-]?[0-9]*\.[0-9]+([eE][+-]?[0-9]{1,3})?")
"""Beyond it the counts of every grade up to the highest, 8 bytes each, fill the memory of a usual machine."""


def read_judgments(
    source: Path | str, program: Program, evaluated: Container[str] | None
) -> tuple[Mapping[str, Mapping[str, int]], tuple[str, ...]]:
    """Return query -> docno -> grade, and the numbers that trec_eval cuts to whole ones; `InputError` with line."""
    # It refuses repeated judgments, equal ones too, and grades without end, in the queries that it evaluates (all if
    # `evaluated` is None). In the others the first judgment is kept.
    judgments: dict[str, dict[str, int]] = {}
    cut: list[str] = []
    for line in program_lines(source, program, blank_lines=False):
        if len(line.columns) != _QRELS_COLUMNS:
            raise malformed(line, "query iteration docno grade", program)
        query, _, docno, text = line.columns
        graded = judgments.setdefault(query, {})
        is_evaluated = evaluated is None or query in evaluated
        if docno in graded and is_evaluated:
            raise line.refused(
                f"query {query}, document {docno} is judged already; {program.name} exits with 4",
                code="document-repeated",
            )
        grade = atol(text)
        if grade > _LARGEST_GRADE and is_evaluated:
            raise line.refused(
                f"grade {text}: {program.name} counts every grade up to it, and runs out of memory",
                code="grade-too-high",
            )
        graded.setdefault(docno, grade)
        if _CUT.fullmatch(text) and float(text) != grade:
            cut.append(text)
    require_few(source, judgments)
    return judgments, tuple(cut)


def read_results(
    source: Path | str, program: Program, *, keep_repeated: bool = True
) -> Mapping[str, list[tuple[str, Score]]]:
    """Return query -> documents with scores, as doubles, in the order of the file; `InputError` with line."""
    # trec_eval looks for repeated documents among those that its -M leaves, so they are kept for the evaluation.
    if program.dash_is_standard_input and str(source).startswith("-"):
        source = STANDARD_INPUT
    results: dict[str, list[tuple[str, Score]]] = {}
    places: dict[tuple[str, str], int] = {}
    for line in program_lines(source, program, blank_lines=True):
        if len(line.columns) < _RUN_COLUMNS:
            raise malformed(line, "query Q0 docno rank score tag", program)
        query, _, docno, _, text = line.columns[:5]
        score = atof(text)
        if math.isnan(score):
            reason = f"{program.name} accepts NaN, but its order is not defined; give a number"
            raise line.refused(f"score {text!r}: {reason}", code="score-nan")
        first = places.setdefault((query, docno), line.number)
        if first != line.number and not keep_repeated:
            raise line.refused(twice(line, query, docno, first), code="document-repeated")
        results.setdefault(query, []).append((docno, score))
    require_few(source, results)
    return results


def program_lines(
    source: Path | str, program: Program, *, blank_lines: bool, lone_comments: bool = False
) -> Iterator[Line]:
    """Yield the lines that are no comments (nor blank, if these are passed over); `InputError` with line and reason."""
    # In a run a comment may be indented. The bytes of names are kept, whatever their encoding. With `lone_comments` the
    # program passes over one comment, and reads what follows as data, even the end of the file.
    name, content = content_of(source)
    require_short_lines(name, content)
    found = commented = False
    rows = content.removesuffix(b"\n").split(b"\n") if content else []
    for number, raw in enumerate(rows, start=1):
        refuse_binary(name, number, raw)
        if program.comments and (raw.lstrip() if blank_lines else raw).startswith(_COMMENT):
            if lone_comments and (commented or number == len(rows)):
                raise InputError(
                    f"{name}, line {number}: {program.name} takes a comment after a comment for data, and reads on "
                    "after one at the end; leave it out",
                    code="comment-after-comment",
                )
            commented = True
            continue
        commented = False
        columns = tuple([column.decode("utf-8", "surrogateescape") for column in raw.split()])
        if columns or not blank_lines:
            found = True
            yield Line(name, number, columns)
    if not found:
        raise InputError(f"{name}: no line in it; {program.name} exits with 2", code="file-empty")


def malformed(line: Line, names: str, program: Program) -> InputError:
    """Return the error of a line with another number of columns than the program wants."""
    what = miscounted(line, names) if line.columns else "a blank line"
    return line.refused(f"{what}; {program.name} exits with 2", code="columns-miscounted")
