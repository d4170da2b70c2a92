"""The formats of judgements and preferences, by trec_eval's names, and the reader of each.

A line of `prefs` is `query group subgroup docno level`; in `qrels_prefs`, `query group docno level`, a group has one
subgroup.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator
from enum import Enum
from pathlib import Path

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.data.preferences import ONE
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import as_float32, parse_score
from rankspec.oracle.errors import InputError
from rankspec.oracle.readers.lines import Line, Text, read_lines, require_few, text_of
from rankspec.oracle.readers.tables import Content, as_trec
from rankspec.oracle.readers.trec import WHOLE, read_qrels
from rankspec.oracle.readers.trec_eval import PROGRAMS, Program, atof, atol, malformed, program_lines

_PREFERENCE_COLUMNS = ("query", "group", "subgroup", "docno", "level")
_COLUMNS = {True: _PREFERENCE_COLUMNS, False: ("query", "group", "docno", "level")}  # with subgroups, and without


@clause("prefs.format", "prefs.qrels-format", "reading.*")
def read_preferences(
    source: Path | str, reading: Reading = Reading.STRICT, *, has_subgroups: bool | None = None
) -> Qrels:
    """Read preferences, plain or gzip, or from `-`; `InputError` with file, line and reason, also for duplicates."""
    # A program reads levels by atof, trec_eval 9 as singles. By default the columns of the first line, five or four,
    # say whether there are subgroups.
    program, text = PROGRAMS[reading], text_of(source)
    judgments: dict[str, dict[str, dict[str, dict[str, object]]]] = {}
    for line in _lines(text, program):
        if has_subgroups is None:
            has_subgroups = len(line.columns) == len(_PREFERENCE_COLUMNS)
        names = _COLUMNS[has_subgroups]
        if len(line.columns) != len(names):
            raise malformed(line, " ".join(names), program)
        named = dict(zip(names, line.columns, strict=True))
        query, group, subgroup, docno = (named.get(name, ONE) for name in _PREFERENCE_COLUMNS[:-1])
        levels = judgments.setdefault(query, {}).setdefault(docno, {}).setdefault(group, {})
        if subgroup in levels:
            raise line.refused(
                f"query {query}, group {group}, subgroup {subgroup}, document {docno} appears twice; keep one "
                "(trec_eval counts a repeated line as another document)",
                code="document-repeated",
            )
        levels[subgroup] = _level(line, named["level"], reading)
    require_few(text, judgments)
    try:
        return Qrels.of(judgments)
    except InputError as refused:
        raise InputError(f"{source}: {refused}", code=refused.code) from None


@clause("prefs.format")
def _level(line: Line, text: str, reading: Reading) -> object:
    """Return a level as the program reads it; the oracle's own reading is exact."""
    if reading is Reading.STRICT:
        try:
            return parse_score(text)
        except InputError:
            raise line.refused(f"level {text!r} is not a number in ASCII digits", code="level-not-a-number") from None
    level = atof(text)
    if math.isnan(level):
        raise line.refused(f"level {text!r} is not a number and can't be compared", code="level-not-a-number")
    return as_float32(level) if reading is Reading.TREC_EVAL_9 else level


class Judgements(Enum):
    """A format of judgements, trec_eval's -R."""

    QRELS = "qrels"  # `query iteration docno grade`
    QRELS_JG = "qrels_jg"  # `query group docno grade`; a group can be a subtopic
    PREFS = "prefs"  # `query group subgroup docno level`
    QRELS_PREFS = "qrels_prefs"  # `query group docno level`

    @property
    def has_preferences(self) -> bool:
        """Whether documents are judged by preferences."""
        return self in {Judgements.PREFS, Judgements.QRELS_PREFS}


def read_judgements(
    source: Path | str,
    judgements: Judgements,
    reading: Reading = Reading.STRICT,
    *,
    evaluated: Container[str] | None = None,
) -> Qrels:
    """Read judgements of a format, plain or gzip, or `-`; `InputError` with file, line and reason."""
    # `evaluated` is `read_qrels`'s, of plain qrels.
    if judgements is Judgements.QRELS:
        return read_qrels(source, reading, evaluated=evaluated)
    if judgements is Judgements.QRELS_JG:
        return read_subtopic_qrels(source, reading)
    return read_preferences(source, reading, has_subgroups=judgements is Judgements.PREFS)


@clause("subtopic.grades", "reading.*")
def read_subtopic_qrels(source: Path | str, reading: Reading = Reading.STRICT) -> Qrels:
    """Read qrels whose second column is the subtopic, or for a program the judgment group (trec_eval -R qrels_jg)."""
    # `InputError` with file, line and reason; so for a document that is judged twice for a subtopic, differently, or by
    # a program for a group.
    program, text = PROGRAMS[reading], text_of(as_trec(source, Content.QRELS))
    names = ("query", "subtopic" if program is None else "group", "docno", "grade")
    judgments: dict[str, dict[str, dict[str, int]]] = {}
    known: dict[str, int] = {}
    for line in _lines(text, program):
        if len(line.columns) != len(names):
            raise malformed(line, " ".join(names), program)
        query, subtopic, docno, written = line.columns
        if (grade := known.get(written)) is None:
            if program is None and not WHOLE.fullmatch(written):
                raise line.refused(f"grade {written!r} is not a whole number in ASCII digits", code="grade-not-whole")
            grade = known[written] = int(written) if program is None else atol(written)
        grades = judgments.setdefault(query, {}).setdefault(docno, {})
        if program is not None and subtopic in grades:
            reason = f"query {query}, group {subtopic}, document {docno} is judged already; {program.name} exits with 2"
            raise line.refused(reason, code="document-repeated")
        if grades.setdefault(subtopic, grade) != grade:
            raise line.refused(
                f"query {query}, subtopic {subtopic}, document {docno} has grade {grade} here and "
                f"{grades[subtopic]} before; keep one",
                code="grade-contradicts",
            )
    require_few(text, judgments)
    return Qrels.of(judgments)


def _lines(text: Text, program: Program | None) -> Iterator[Line]:
    return read_lines(text) if program is None else program_lines(text, program, blank_lines=False, lone_comments=True)
