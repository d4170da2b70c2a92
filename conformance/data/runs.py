"""Files of runs: which a call names, and where in one a document stands a second time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import InputError, OracleError
from rankspec.oracle.readers.lines import STANDARD_INPUT, open_source, read_lines
from rankspec.oracle.readers.tables import Content, as_trec
from rankspec.oracle.refusals import refusals

_GRADE = r"grade (\d+), which gains 2\^"
_TWICE = r"query (\S+): document (\S+) appears twice in the run"
_QUERY, _DOCNO = 0, 2  # The columns of a run


def located(reason: str, run: str) -> str:
    """Say file and line before a reason that is a document's second place in a run."""
    found = re.search(_TWICE, reason)
    if found is None:
        return reason
    if run == STANDARD_INPUT:
        return f"standard input: {reason}"
    query, docno = (name.encode(errors="surrogateescape") for name in found.groups())
    lines, reason = list[int](), reason.removeprefix(f"{run}: ")
    with open_source(run) as opened:
        for number, line in enumerate(opened.file, start=1):
            columns = line.split() if docno in line else []
            if len(columns) > _DOCNO and columns[_QUERY] == query and columns[_DOCNO] == docno:
                lines.append(number)
    if len(lines) < 2:  # noqa: PLR2004 - the run was read otherwise than by its lines
        return f"{run}: {reason}"
    return f"{run}, line {lines[1]}: {reason.replace(found[0], f'{found[0]} (lines {lines[0]} and {lines[1]})')}"


@contextmanager
def locating_grade(qrels: str) -> Iterator[None]:
    """Say in which line of the qrels a grade stands that an `InputError` calls beyond its limit."""
    try:
        yield
    except InputError as error:
        found = re.match(_GRADE, str(error))
        if found is None or qrels == STANDARD_INPUT:
            raise
        lines = read_lines(source := as_trec(qrels, Content.QRELS))
        number = next((line.number for line in lines if line.columns[-1] == found[1]), None)
        raise InputError(f"{source}{'' if number is None else f', line {number}'}: {error}", code=error.code) from error


@contextmanager
def locating(run: str) -> Iterator[None]:
    """Say where a document appears twice, if an `InputError` says that it does."""
    try:
        yield
    except OracleError as error:
        if (reason := located(str(error), run)) != str(error):
            raise InputError(reason, code=error.code) from error
        raise


def require_accepted(qrels: Qrels, run: Run, name: str, convention: Convention) -> None:
    """Refuse what the convention's program would have; the `InputError` has the first reason, and how many more."""
    if refused := refusals(qrels, run, convention):
        reason = str(refused[0])
        where = located(reason, name)
        more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        raise InputError(f"{where if where != reason else f'{name}: {reason}'}{more}", code=refused[0].code)


def runs_of(given: Sequence[str]) -> list[str]:
    """Return the files named, and those of folders but of Parquet parts; `InputError` for an empty folder."""
    runs: list[str] = []
    for each in given:
        path = Path(each)
        if path.is_dir() and not any(path.rglob("*.parquet")):
            inside = sorted(str(file) for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
            if not inside:
                raise InputError(f"{each}: no run in the folder", code="run-missing")
            runs += inside
        else:
            runs.append(each)
    return runs
