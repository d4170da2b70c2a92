"""TREC's files as trec_eval reads them: leniently in numbers, strictly in columns. What it refuses is refused."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterator, Mapping
from typing import NamedTuple

from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.data.run import Score
from rankspec.oracle.errors import InputError
from rankspec.oracle.readers.lines import Line, Text, miscounted

# ---- What each program takes, with the place in the program, and C's numbers
#
# `trec_eval` means two programs. Both put lines in order by themselves, so that neither the order of lines nor
# scattered queries matter; both separate columns by the blanks of ASCII; both read scores by C's atof and grades by
# C's atol.


class Program(NamedTuple):
    """What one version of trec_eval does with a file."""

    name: str  # what the program is called in messages
    comments: bool  # lines that start with # are passed over (in a run after blanks, too)
    dash_is_standard_input: bool  # a results file whose name starts with - is standard input, whatever follows
    evaluates_missing: bool  # a query of the qrels is evaluated even if the run lacks it


PROGRAMS: Mapping[Reading, Program | None] = {
    Reading.STRICT: None,
    Reading.TREC_EVAL_9: Program("trec_eval 9", comments=False, dash_is_standard_input=False, evaluates_missing=False),
    Reading.TREC_EVAL_10: Program("trec_eval 10", comments=True, dash_is_standard_input=True, evaluates_missing=True),
}
"""Reading -> whose it is. `Reading.STRICT` is nobody's: what one program reads and another skips is refused."""


_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_HEXADECIMAL = r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?"
_NAMED = r"([+-]?)(inf|nan)"
_WHOLE = re.compile(r"[+-]?[0-9]+")
_LONGEST_EXPONENT = 9  # Digits of an exponent from which on no mantissa keeps a number from 0 or infinity
# What C's strtol returns for a number beyond a long of 64 bits.
_LARGEST_LONG = 2**63 - 1


def atof(text: str) -> float:
    """Return the double nearest to the number that a text starts with, in C's grammar of numbers.

    >>> [atof(text) for text in ("1.5abc", "foo", "0x1p-2", "1e", "-inf", "1e999")]
    [1.5, 0.0, 0.25, 1.0, -inf, inf]
    """
    if ("x" in text or "X" in text) and (number := re.match(_HEXADECIMAL, text)):
        return _from_hexadecimal(number[0])
    if number := _DECIMAL.match(text):
        return float(number[0])
    if named := re.match(_NAMED, text, re.IGNORECASE):
        return math.copysign(float(named[2]), -1 if named[1] == "-" else 1)
    return 0.0


def _from_hexadecimal(text: str) -> float:
    mantissa, _, exponent = text.lower().partition("p")
    if len(exponent.lstrip("+-0")) > _LONGEST_EXPONENT:
        is_zero = not mantissa.lstrip("+-").removeprefix("0x").strip("0.")
        magnitude = 0.0 if exponent.startswith("-") or is_zero else math.inf
        return math.copysign(magnitude, -1 if text.startswith("-") else 1)
    try:
        return float.fromhex(text)
    except OverflowError:
        return math.copysign(math.inf, -1 if text.startswith("-") else 1)


def atol(text: str) -> int:
    """Return the whole number that a text starts with, held within 64 bits as glibc does.

    >>> [atol(text) for text in ("2", "-1x", "0.9", "foo", "99999999999999999999")]
    [2, -1, 0, 0, 9223372036854775807]
    """
    number = _WHOLE.match(text)
    if number is None:
        return 0
    digits = number[0].lstrip("+-0")
    if len(digits) > len(str(_LARGEST_LONG)):  # int() refuses thousands of digits
        digits = "9" * (len(str(_LARGEST_LONG)) + 1)
    magnitude = int(digits or "0")
    return -min(magnitude, _LARGEST_LONG + 1) if number[0].startswith("-") else min(magnitude, _LARGEST_LONG)


# ---- Files


# query, iteration, docno, grade; and a run's query, Q0, docno, rank, score, tag
_QRELS_COLUMNS = 4
_RUN_COLUMNS = 6
_COMMENT = b"#"
_LARGEST_GRADE = 10**9  # The counts of every grade up to the highest, 8 bytes each, fill a usual machine's memory
_CUT = re.compile(r"[+-]?[0-9]*\.[0-9]+([eE][+-]?[0-9]{1,3})?")


def read_judgments(
    text: Text, program: Program, evaluated: Container[str] | None
) -> tuple[Mapping[str, Mapping[str, int]], tuple[str, ...]]:
    """Return query -> docno -> grade, and the numbers that trec_eval cuts to whole ones; `InputError` with line."""
    # It refuses repeated judgments, equal ones too, and grades without end, in the queries that it evaluates (all if
    # `evaluated` is None). In the others the first judgment is kept.
    judgments: dict[str, dict[str, int]] = {}
    cut: list[str] = []
    for line in program_lines(text, program, blank_lines=False):
        if len(line.columns) != _QRELS_COLUMNS:
            raise malformed(line, "query iteration docno grade", program)
        query, _, docno, written = line.columns
        graded = judgments.setdefault(query, {})
        is_evaluated = evaluated is None or query in evaluated
        if docno in graded and is_evaluated:
            reason = f"query {query}, document {docno} is judged already; {program.name} exits with 4"
            raise line.refused(reason, code="document-repeated")
        grade = atol(written)
        if grade > _LARGEST_GRADE and is_evaluated:
            refusal = f"grade {written}: {program.name} counts every grade up to it, and runs out of memory"
            raise line.refused(refusal, code="grade-too-high")
        graded.setdefault(docno, grade)
        if _CUT.fullmatch(written) and float(written) != grade:
            cut.append(written)
    return judgments, tuple(cut)


def read_results(text: Text, program: Program) -> Iterator[tuple[Line, str, str, Score]]:
    """Yield each line with its query, document and score, which is a double; `InputError` with line."""
    for line in program_lines(text, program, blank_lines=True):
        if len(line.columns) < _RUN_COLUMNS:
            raise malformed(line, "query Q0 docno rank score tag", program)
        query, _, docno, _, written = line.columns[:5]
        score = atof(written)
        if math.isnan(score):
            reason = f"{program.name} accepts NaN, but its order is not defined; give a number"
            raise line.refused(f"score {written!r}: {reason}", code="score-nan")
        yield line, query, docno, score


def program_lines(text: Text, program: Program, *, blank_lines: bool, lone_comments: bool = False) -> Iterator[Line]:
    """Yield the lines that are no comments (nor blank, if these are passed over); `InputError` with line and reason."""
    # In a run a comment may be indented. The bytes of names are kept, whatever their encoding. With `lone_comments` the
    # program passes over one comment, and reads what follows as data, even the end of the file.
    has_lines = commented = False
    rows = text.content.removesuffix(b"\n").split(b"\n") if text.content else []
    for number, raw in enumerate(rows, start=1):
        if program.comments and (raw.lstrip() if blank_lines else raw).startswith(_COMMENT):
            if lone_comments and (commented or number == len(rows)):
                raise Line(text.name, number, ()).refused(
                    f"{program.name} takes a comment after a comment for data, and reads on after one at the end; "
                    "leave it out",
                    code="comment-after-comment",
                )
            commented = True
            continue
        commented = False
        columns = tuple([column.decode("utf-8", "surrogateescape") for column in raw.split()])
        if columns or not blank_lines:
            has_lines = True
            yield Line(text.name, number, columns)
    if not has_lines:
        raise InputError(f"{text.name}: no line in it; {program.name} exits with 2", code="file-empty")


def malformed(line: Line, names: str, program: Program | None) -> InputError:
    """Return the error of a line with another number of columns than a program wants, or a strict reading."""
    what = miscounted(line, names) if line.columns else "a blank line"
    return line.refused(what if program is None else f"{what}; {program.name} exits with 2", code="columns-miscounted")
