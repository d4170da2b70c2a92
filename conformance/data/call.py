"""The data of a Python call: by position or by name, as lists, arrays, frames or files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Real
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard, cast

from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.data.given import Given, data_of
from rankspec.conformance.data.objects import SomeRun, as_list, as_qrels, as_run, names_of
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import InputError, OracleError
from rankspec.oracle.readers.lines import STANDARD_INPUT, open_source, read_lines
from rankspec.oracle.readers.tables import Content, as_trec
from rankspec.oracle.refusals import refusals
from rankspec.oracle.suggestions import suggestion
from rankspec.oracle.sweeps.space import Data

# ---- Runs

_GRADE = r"grade (\d+), which gains 2\^"
_TWICE = r"query (\S+): document (\S+) appears twice in the run"
_QUERY, _DOCNO = 0, 2
"""The columns of a run."""


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
    """Say in which line of the qrels it stands, if what is raised is that a grade is beyond its limit.

    Raises:
        InputError: instead of what was raised.
    """
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
    """Say where, if what is raised says that a document appears twice.

    Raises:
        InputError: instead of what was raised.
    """
    try:
        yield
    except OracleError as error:
        if (reason := located(str(error), run)) != str(error):
            raise InputError(reason, code=error.code) from error
        raise


def require_accepted(qrels: Qrels, run: Run, name: str, convention: Convention) -> None:
    """Refuse what the convention's program would have refused.

    Raises:
        InputError: with the file, the reason, and how many more there are.
    """
    if refused := refusals(qrels, run, convention):
        reason = str(refused[0])
        where = located(reason, name)
        more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        raise InputError(f"{where if where != reason else f'{name}: {reason}'}{more}", code=refused[0].code)


def runs_of(given: Sequence[str]) -> list[str]:
    """Return the runs: each file that is named, and each file of a folder that is, but for a folder of Parquet parts.

    Raises:
        InputError: a folder is empty.
    """
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


class CallData(Given, total=False):
    """Data by name: one of the forms of `Given`; `labels` and `scores` are `y_true` and `y_score`, too."""

    y_true: Sequence[int]
    y_score: Sequence[object]


SomeRuns: TypeAlias = SomeRun | Sequence[SomeRun] | Mapping[str, SomeRun]
"""A run, a folder of them, or several: a list, or name -> run."""

_OTHER_NAMES = {"y_true": "labels", "y_score": "scores"}
_WRITTEN = "a measure, then labels in rank order, or qrels and a run"
_TWO = 2
_SHOWN = 60


def data_of_call(data: Sequence[Any], named: CallData, rel: int = 1, reading: Reading = Reading.STRICT) -> Data:
    """Return the data of a call.

    Args:
        data: what is given by position.
        named: what is given by name.
        rel: the least grade that is relevant.
        reading: how files are read.

    Raises:
        InputError: they are none of the forms or more than one, or hold what no convention could evaluate.
    """
    given = _by_name(data, named)
    with noticing_swap(given.get("qrels"), given.get("run"), reading):
        return data_of(cast("Given", given), rel, reading)


def qrels_and_run(data: Sequence[Any], named: CallData) -> tuple[Any, Any] | None:
    """Return the qrels and the run of a call that has them and nothing else."""
    given = [*data, *(named[name] for name in ("qrels", "run") if name in named)]
    return (given[0], given[1]) if len(given) == _TWO == len(data) + len(named) else None


def _by_name(data: Sequence[Any], named: CallData) -> dict[str, Any]:
    given: dict[str, Any] = _by_position(data)
    for name, value in named.items():
        own = _OTHER_NAMES.get(name, name)
        if name not in CallData.__annotations__:
            cutoff = "; a cutoff is written in the measure: AP@10" if name in {"k", "cutoff", "top_k"} else ""
            near = cutoff or suggestion(name, (*CallData.__annotations__, "under", "measure", "per_query"))
            raise InputError(f"{name}: there is no such argument{near}; data are {_WRITTEN}", code="unknown-argument")
        if given.get(own) is not None:
            raise InputError(f"{own} is given twice; give it once", code="argument-repeated")
        given[own] = value
    for name, value in given.items():
        if value is not None:
            given[name] = _plain(name, value)
    return given


def _plain(name: str, value: Any) -> Any:
    """Return lists, arrays and columns as lists of plain values, and R as an integer.

    Raises:
        InputError: a list or a whole number is wanted, and it is none.
    """
    try:
        if name in {"relevance", "labels", "scores"}:
            return as_list(value)
        if name in {"actual", "predicted"}:
            return names_of(value)
        return index(value) if name == "num_relevant" else value
    except InputError as error:
        raise InputError(f"{name}: {error}", code=error.code) from None
    except TypeError:
        raise InputError(
            f"{name}: {in_one_line(repr(value), _SHOWN)} is not a whole number", code="not-whole"
        ) from None


def _by_position(data: Sequence[Any]) -> dict[str, Any]:
    for each in data:
        if isinstance(each, Real) or callable(each):
            raise InputError(
                f"{in_one_line(repr(each), _SHOWN)} is not data; write {_WRITTEN}", code="data-not-recognised"
            )
    if len(data) == _TWO and all(map(is_list, data)):
        raise InputError(
            "two lists can be labels and scores, or relevant ids and ranked ones; write labels=..., scores=... or "
            "actual=..., predicted=...",
            code="data-ambiguous",
        )
    if len(data) > _TWO:
        raise InputError(
            f"{len(data)} arguments of data; write {_WRITTEN}, and the rest by name", code="data-ambiguous"
        )
    return {"relevance": data[0]} if len(data) == 1 and is_list(data[0]) else dict(zip(("qrels", "run"), data))  # noqa: B905


def is_list(given: object) -> TypeGuard[Iterable[Any]]:
    """Tell whether it is a list, an array or a column: no mapping, no text and no frame."""
    has_columns = hasattr(given, "columns") or hasattr(given, "column_names")
    is_named = isinstance(given, str | PathLike | Mapping | Run)
    return isinstance(given, Iterable) and not has_columns and not is_named


@contextmanager
def noticing_swap(qrels: Any, run: Any, reading: Reading) -> Iterator[None]:
    """Say, if data are refused, that qrels and run can be read the other way round.

    Raises:
        InputError: what was raised, with more words.
    """
    try:
        yield
    except InputError as error:
        if _has_floats(run) or _can_be_read(qrels, run, reading) or not _can_be_read(run, qrels, reading):
            raise
        raise InputError(f"{error}; qrels and run look swapped: give the qrels first", code=error.code) from None


def _has_floats(run: Any) -> bool:
    """Tell whether a dictionary's numbers are scores: grades are no floats, though 1.0 is read as one."""
    listed = [each for each in run.values() if isinstance(each, dict)] if isinstance(run, dict) else []
    return any(isinstance(score, float) for each in listed for score in each.values())


def _can_be_read(qrels: Any, run: Any, reading: Reading) -> bool:
    try:
        as_qrels(qrels, reading)
        as_run(run, reading)
    except InputError:
        return False
    return True


def runs_by_name(runs: SomeRuns) -> tuple[dict[str, Any], bool]:
    """Return name -> run, and whether these are several: files are named as they are given, others by their places.

    Raises:
        InputError: there is none, or one is given twice.
    """
    if is_file(runs):
        files = runs_of([str(runs)])
        return dict(zip(files, files, strict=True)), len(files) > 1
    if isinstance(runs, Mapping) and _holds_runs(runs):
        return {str(name): run for name, run in runs.items()}, True
    if not is_list(runs):
        return {"run": runs}, False
    listed = list(runs)
    named = {str(run) if is_file(run) else f"run {place}": run for place, run in enumerate(listed, start=1)}
    if not listed:
        raise InputError("no run is given", code="run-missing")
    if len(named) < len(listed):
        raise InputError("a run is given twice; give each once", code="run-repeated")
    return named, True


def is_file(given: object) -> bool:
    """Tell whether it is the name of a file."""
    return isinstance(given, str | PathLike)


def _holds_runs(given: Mapping[Any, Any]) -> bool:
    """Tell name -> run from query -> docno -> score."""
    first = next(iter(given.values()), None)
    if isinstance(first, Mapping):
        return isinstance(next(iter(first.values()), None), Mapping | list | tuple)
    return first is not None and not is_list(first)
