"""Preferences, as trec_eval's `-R prefs` and `-R qrels_prefs` read them.

A line of `prefs` is `query group subgroup docno level`; in `qrels_prefs`, `query group docno level`, a group has one
subgroup.
"""

from __future__ import annotations

import math
from pathlib import Path

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.data.preferences import ONE
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import as_float32, parse_score
from rankspec.oracle.errors import InputError
from rankspec.oracle.readers.lines import Line, miscounted, read_lines, require_few
from rankspec.oracle.readers.programs import PROGRAMS, Program, atof
from rankspec.oracle.readers.trec_eval import malformed, program_lines

_COLUMNS = ("query", "group", "subgroup", "docno", "level")
_WITHOUT_SUBGROUP = ("query", "group", "docno", "level")


@clause("prefs.format", "prefs.qrels-format", "reading.*")
def read_preferences(
    source: Path | str, reading: Reading = Reading.STRICT, *, has_subgroups: bool | None = None
) -> Qrels:
    """Read preferences, plain or gzip, or from `-`; `InputError` with file, line and reason, also for duplicates."""
    # A program reads levels by atof, trec_eval 9 as singles. By default the columns of the first line, five or four,
    # say whether there are subgroups.
    program = PROGRAMS[reading]
    lines = (
        read_lines(source) if program is None else program_lines(source, program, blank_lines=False, lone_comments=True)
    )
    judgments: dict[str, dict[str, dict[str, dict[str, object]]]] = {}
    names = None if has_subgroups is None else _names(has_subgroups=has_subgroups)
    for line in lines:
        if names is None:
            names = _names(has_subgroups=len(line.columns) == len(_COLUMNS))
        if len(line.columns) != len(names):
            raise _miscounted(line, names, program)
        named = dict(zip(names, line.columns, strict=True))
        query, group, subgroup, docno = (named.get(name, ONE) for name in _COLUMNS[:-1])
        levels = judgments.setdefault(query, {}).setdefault(docno, {}).setdefault(group, {})
        if subgroup in levels:
            raise line.refused(
                f"query {query}, group {group}, subgroup {subgroup}, document {docno} appears twice; keep one "
                "(trec_eval counts a repeated line as another document)",
                code="document-repeated",
            )
        levels[subgroup] = _level(line, named["level"], reading)
    require_few(source, judgments)
    try:
        return Qrels.of(judgments)
    except InputError as refused:
        raise InputError(f"{source}: {refused}", code=refused.code) from None


def _names(*, has_subgroups: bool) -> tuple[str, ...]:
    return _COLUMNS if has_subgroups else _WITHOUT_SUBGROUP


def _miscounted(line: Line, names: tuple[str, ...], program: Program | None) -> InputError:
    wanted = " ".join(names)
    return (
        line.refused(miscounted(line, wanted), code="columns-miscounted")
        if program is None
        else malformed(line, wanted, program)
    )


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
