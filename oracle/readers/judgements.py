"""The formats of judgements, by trec_eval's names, and the reader of each."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from enum import Enum
from pathlib import Path

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.readers.lines import miscounted, read_lines, require_few
from rankspec.oracle.readers.preferences import read_preferences
from rankspec.oracle.readers.programs import PROGRAMS, Program, atol
from rankspec.oracle.readers.tables import Content, as_trec
from rankspec.oracle.readers.trec import read_qrels
from rankspec.oracle.readers.trec_eval import malformed, program_lines


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


_COLUMNS = ("query", "subtopic", "docno", "grade")
_GRADE = re.compile(r"[+-]?[0-9]{1,18}")


@clause("subtopic.grades", "reading.*")
def read_subtopic_qrels(source: Path | str, reading: Reading = Reading.STRICT) -> Qrels:
    """Read qrels whose second column is the subtopic, or for a program the judgment group (trec_eval -R qrels_jg)."""
    # `InputError` with file, line and reason; so for a document that is judged twice for a subtopic, differently.
    source = as_trec(source, Content.QRELS)
    if (program := PROGRAMS[reading]) is not None:
        return Qrels.of(_judged_by_group(source, program))
    judgments: dict[str, dict[str, dict[str, int]]] = {}
    known: dict[str, int] = {}
    for line in read_lines(source):
        if len(line.columns) != len(_COLUMNS):
            raise line.refused(miscounted(line, " ".join(_COLUMNS)), code="columns-miscounted")
        query, subtopic, docno, text = line.columns
        if (grade := known.get(text)) is None:
            if not _GRADE.fullmatch(text):
                raise line.refused(f"grade {text!r} is not a whole number in ASCII digits", code="grade-not-whole")
            grade = known[text] = int(text)
        grades = judgments.setdefault(query, {}).setdefault(docno, {})
        if grades.setdefault(subtopic, grade) != grade:
            raise line.refused(
                f"query {query}, subtopic {subtopic}, document {docno} has grade {grade} here and "
                f"{grades[subtopic]} before; keep one",
                code="grade-contradicts",
            )
    require_few(source, judgments)
    return Qrels.of(judgments)


def _judged_by_group(source: Path | str, program: Program) -> Mapping[str, Mapping[str, Mapping[str, int]]]:
    """Return query -> docno -> judgment group -> grade."""
    judgments: dict[str, dict[str, dict[str, int]]] = {}
    for line in program_lines(source, program, blank_lines=False, lone_comments=True):
        if len(line.columns) != len(_COLUMNS):
            raise malformed(line, "query group docno grade", program)
        query, group, docno, text = line.columns
        grades = judgments.setdefault(query, {}).setdefault(docno, {})
        if group in grades:
            reason = f"query {query}, group {group}, document {docno} is judged already; {program.name} exits with 2"
            raise line.refused(reason, code="document-repeated")
        grades[group] = atol(text)
    require_few(source, judgments)
    return judgments
