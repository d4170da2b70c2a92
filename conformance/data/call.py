"""The data of a Python call: by position or by name, as lists, arrays, frames or files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Real
from operator import index
from os import PathLike
from typing import Any, TypeAlias, TypeGuard, cast

from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.data.arguments import DataArguments, data_of
from rankspec.conformance.data.objects import SomeRun, as_list, as_qrels, as_run, names_of
from rankspec.conformance.data.runs import runs_of
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import InputError, suggestion
from rankspec.oracle.sweeps.space import Data


class CallData(DataArguments, total=False):
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
    """Return a call's data, by position and by name; `InputError` for none or several forms, or no such data."""
    given = _by_name(data, named)
    with noticing_swap(given.get("qrels"), given.get("run"), reading):
        return data_of(cast("DataArguments", given), rel, reading)


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
    """Return lists, arrays and columns as plain lists, and R as an integer; `InputError` if it is none."""
    try:
        if name in {"relevance", "labels", "scores", "sample_weight"}:
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


def is_list(value: object) -> TypeGuard[Iterable[Any]]:
    """Tell whether it is a list, an array or a column: no mapping, no text and no frame."""
    has_columns = hasattr(value, "columns") or hasattr(value, "column_names")
    is_named = isinstance(value, str | PathLike | Mapping | Qrels | Run)
    return isinstance(value, Iterable) and not has_columns and not is_named


@contextmanager
def noticing_swap(qrels: Any, run: Any, reading: Reading) -> Iterator[None]:
    """Say, in an `InputError`, that refused data can be read the other way round, or have the other's numbers."""
    try:
        yield
    except InputError as error:
        if [*_floats(run)] or _can_be_read(qrels, run, reading) or not _can_be_read(run, qrels, reading):
            raise
        raise InputError(f"{error}; qrels and run look swapped: give the qrels first", code=error.code) from None
    decimal = next((each for each in _floats(qrels) if not each.is_integer()), None)
    if decimal is not None and not _has_floats(run):
        raise InputError(
            f"the qrels have decimals ({decimal}), the run whole numbers alone; qrels and run look swapped: give the"
            " qrels first (or write such scores as 3.0)",
            code="grade-not-whole",
        )


def _has_floats(run: Any) -> bool:
    """Tell whether numbers are scores: grades are seldom floats; what is no dictionary says how it is to be read."""
    return not isinstance(run, dict) or bool([*_floats(run)])


def _floats(value: Any) -> Iterator[float]:
    listed = [each for each in value.values() if isinstance(each, dict)] if isinstance(value, dict) else []
    return (number for each in listed for number in each.values() if isinstance(number, float))


def _can_be_read(qrels: Any, run: Any, reading: Reading) -> bool:
    try:
        as_qrels(qrels, reading)
        as_run(run, reading)
    except InputError:
        return False
    return True


def runs_by_name(runs: SomeRuns) -> tuple[dict[str, Any], bool]:
    """Return name (of a file) or place -> run, and whether they are several; `InputError` for none, or one twice."""
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


def is_file(value: object) -> bool:
    """Tell whether it is the name of a file."""
    return isinstance(value, str | PathLike)


def _holds_runs(value: Mapping[Any, Any]) -> bool:
    """Tell name -> run from query -> docno -> score."""
    first = next(iter(value.values()), None)
    if isinstance(first, Mapping):
        return isinstance(next(iter(first.values()), None), Mapping | list | tuple)
    return first is not None and not is_list(first)
