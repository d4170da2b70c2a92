"""What a person has at hand, as data: of one of seven forms by name, as typed, or as the arguments of a Python call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from operator import index
from os import PathLike
from typing import Any, TypeAlias, TypedDict, TypeGuard, cast

from rankspec.conformance.cases.inputs import QUERY, from_actual_predicted, from_labels_scores, from_relevance
from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.data.objects import SomeQrels, SomeRun, as_list, as_qrels, as_run, names_of
from rankspec.conformance.data.runs import runs_of
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.data import Data
from rankspec.oracle.data.document_weights import in_copies
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import InputError, suggestion
from rankspec.oracle.query_set import unmatched
from rankspec.oracle.readers.detections import ONE_CLASS, detections_from
from rankspec.oracle.readers.lines import STANDARD_INPUT
from rankspec.oracle.readers.verdicts import contexts_from, statements_from


class DataArguments(TypedDict, total=False):
    """One of seven forms.

    * `relevance`: labels in rank order, with `num_relevant` (R; by default the hits)
    * `labels` and `scores`: one of each a document, in the order of the input; with `sample_weight`, what each
      document weighs in precision and recall
    * `actual` and `predicted`: the relevant ids, and the ids in rank order
    * `qrels` and `run`: dictionaries, `Qrels` and `Run`, frames, or names of TREC files; `query` takes one of them
    * `verdicts` or `statements`: lists of verdicts by query, on contexts in rank order or on the statements of a
      reference, or the name of a JSON file; `query` takes one of them
    * `detections`: class -> `{"ground_truths": N, "detections": [(score, matched), ...]}`, or the name of a file, with
      `ground_truths` (class -> N) where it doesn't say; `query` takes one class
    """

    relevance: Sequence[int]
    num_relevant: int | None
    labels: Sequence[int]
    scores: Sequence[object]
    sample_weight: Sequence[object] | None
    actual: Sequence[str]
    predicted: Sequence[str]
    qrels: SomeQrels
    run: SomeRun
    query: str | None
    verdicts: Any
    statements: Any
    detections: Any
    ground_truths: Mapping[str, int] | None


_MOST_MISSED = 1_000_000  # More relevant documents are a slip of the keyboard, and each would be a name in memory

_FORMS = (
    *(("relevance",), ("labels", "scores"), ("actual", "predicted"), ("qrels", "run")),
    *(("verdicts",), ("statements",), ("detections",)),
)
_FORMS_TEXT = (
    "relevance, or labels and scores, or actual and predicted, or qrels and a run, or verdicts, statements or "
    "detections"
)
_OWNERS = {
    "num_relevant": {"relevance"},
    "sample_weight": {"labels"},
    "query": {"qrels", "verdicts", "statements", "detections"},
    "ground_truths": {"detections"},
}
"""What belongs to some forms alone."""


def data_of(arguments: DataArguments, rel: int = 1, reading: Reading = Reading.STRICT) -> Data:
    """Return data of one of the forms; `rel` decides the hits where R is stated; `InputError` for none or several."""
    present: dict[str, Any] = {name: value for name, value in arguments.items() if value is not None}
    form = _form_of(present)
    if "query" in {extra for extra, owners in _OWNERS.items() if owners & {*form}}:
        data = _by_query(present, reading)
        if "query" not in present:
            return data
        query, known = str(present["query"]), list(dict.fromkeys([*data.qrels, *data.run]))
        if query in known:
            return data.of_query(query)
        reason = f"query {query!r} is neither in the qrels nor in the run; the first queries are {', '.join(known[:5])}"
        raise InputError(reason, code="unknown-query")
    if form == ("relevance",):
        labels = _labels(present["relevance"])
        grades, documents = from_relevance(labels, present.get("num_relevant"), rel, _MOST_MISSED)
    elif form == ("labels", "scores"):
        labels, scores = _labels(present["labels"]), list(present["scores"])
        grades, documents = from_labels_scores(labels, scores)
        if "sample_weight" in present:
            copies = in_copies(list(zip(labels, scores, strict=True)), list(present["sample_weight"]))
            grades, documents = from_labels_scores([label for label, _ in copies], [score for _, score in copies])
    else:
        grades, documents = from_actual_predicted(list(present["actual"]), list(present["predicted"]))
    return Data(
        Qrels.of({QUERY: grades}),
        Run.of({QUERY: documents}),
        scored="scores" in form,
        named="actual" in form,
        judged="actual" not in form,
        weighed="sample_weight" in present,
    )


def one_threshold(measures: Iterable[Measure], num_relevant: object) -> int:
    """Return the measures' threshold; `InputError` for several beside R: missed documents had a grade for each."""
    thresholds = {each.rel for each in measures}
    if num_relevant is not None and len(thresholds) > 1:
        reason = "R is given, and the measures have different thresholds (rel); ask for each by itself"
        raise InputError(reason, code="thresholds-differ")
    return max(thresholds)


def _form_of(present: Mapping[str, Any]) -> tuple[str, ...]:
    begun = [form for form in _FORMS if set(form) & present.keys()]
    if not begun:
        raise InputError(f"no data: give {_FORMS_TEXT}", code="data-missing")
    if len(begun) > 1:
        raise InputError(f"two kinds of data: give {_FORMS_TEXT}", code="data-conflict")
    (form,) = begun
    if lacking := [name for name in form if name not in present]:
        reason = f"{form[0] if form[0] not in lacking else form[-1]} needs {lacking[0]} beside it"
        raise InputError(reason, code="data-missing")
    for extra, owners in _OWNERS.items():
        if extra in present and not owners & {*form}:
            refusal = f"{extra} belongs to {' or '.join(sorted(owners))}, and says nothing beside {form[0]}"
            raise InputError(refusal, code="data-conflict")
    return form


def _by_query(present: Mapping[str, Any], reading: Reading) -> Data:
    if "qrels" in present:
        qrels, run = as_qrels(present["qrels"], reading), as_run(present["run"], reading)
        unmatched(list(qrels), list(run))
        return Data(qrels, run)
    if "detections" in present:
        return Data(*detections_from(present["detections"], present.get("ground_truths")), named=False)
    if "statements" in present:
        return Data(*statements_from(present["statements"]), scored=False, named=False)
    return Data(*contexts_from(present["verdicts"]), scored=False, named=False)


def _labels(labels: Iterable[object]) -> list[int]:
    """Return labels as whole numbers; truth values and numpy's integers are taken for what they are."""
    read = []
    for place, label in enumerate(labels, start=1):
        try:
            whole = int(label)  # type: ignore[call-overload]
        except (TypeError, ValueError, OverflowError):
            whole = None
        if whole is None or isinstance(label, str) or whole != label:
            raise InputError(f"label {place}: {label!r} is not a whole number", code="label-not-whole")
        read.append(int(whole))
    return read


# ---- What was typed

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


def data_of_texts(rel: int, options: dict[str, str | None], reading: Reading = Reading.STRICT) -> Data:
    """Return the data of the options, files by a reading; `InputError` for none, two forms, or an unreadable list."""
    stated: dict[str, Any] = {name: text for name, text in options.items() if text is not None}
    for name in {"relevance", "labels"} & stated.keys():
        stated[name] = [whole_number(item, f"--{name}, place {place}") for place, item in _items(stated[name])]
    for name in {"scores", "sample_weight", "actual", "predicted"} & stated.keys():
        stated[name] = [item for _, item in _items(stated[name])]
    if "num_relevant" in stated:
        stated["num_relevant"] = whole_number(stated["num_relevant"], "--num-relevant")
    if "ground_truths" in stated:
        stated["ground_truths"] = _numbers(stated["ground_truths"])
    if stated.get("qrels") == stated.get("run") == STANDARD_INPUT:
        raise InputError("--qrels - and --run -: only one of them can be standard input", code="standard-input-twice")
    return data_of(cast("DataArguments", stated), rel, reading)


def computing_command(options: Mapping[str, str | None]) -> list[str]:
    """Return the command that computes a measure on the data that options give, without the measure."""
    words = [
        word for name, text in options.items() if text is not None for word in (f"--{name.replace('_', '-')}", text)
    ]
    is_scored = {name for name, text in options.items() if text is not None} == {"qrels", "run"}
    return ["rankspec", "score" if is_scored else "explain", *words] if words else []


def _numbers(text: str) -> dict[str, int]:
    """Read numbers of ground truths: `5` of the one class, or `cat=5,dog=2`."""
    numbers: dict[str, int] = {}
    for _, item in _items(text):
        name, equals, number = item.rpartition("=")
        name = name.strip() if equals else ONE_CLASS
        if name in numbers:
            raise InputError(f"--ground-truths: {name} is given twice; keep one", code="argument-repeated")
        numbers[name] = whole_number(number, "--ground-truths")
        if numbers[name] < 0:
            reason = f"--ground-truths: {number} is not a number of ground truths"
            raise InputError(reason, code="ground-truths-not-whole")
    return numbers


def _items(text: str) -> list[tuple[int, str]]:
    """Return the items of a list with their places. Brackets around it are allowed."""
    bare = text.strip()
    if bare.startswith("[") and bare.endswith("]"):
        bare = bare[1:-1]
    items = [item.strip() for item in bare.split(",")] if bare.strip() else []
    if "" in items:
        reason = f"{text!r}: item {items.index('') + 1} is empty; separate items by single commas"
        raise InputError(reason, code="item-empty")
    return list(enumerate(items, start=1))


def whole_number(text: str, where: str) -> int:
    """Read a whole number; an `InputError` says, by `where`, what it is of."""
    if not _WHOLE.fullmatch(text.strip()):
        raise InputError(f"{where}: {text!r} is not a whole number", code="not-whole")
    return int(text)


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
    refuse_swapped(given.get("qrels"), given.get("run"))
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
        reason = f"{name}: {in_one_line(repr(value), _SHOWN)} is not a whole number"
        raise InputError(reason, code="not-whole") from None


def _by_position(data: Sequence[Any]) -> dict[str, Any]:
    for each in data:
        if isinstance(each, Real) or callable(each):
            refusal = f"{in_one_line(repr(each), _SHOWN)} is not data; write {_WRITTEN}"
            raise InputError(refusal, code="data-not-recognised")
    if len(data) == _TWO and all(map(is_list, data)):
        raise InputError(
            "two lists can be labels and scores, or relevant ids and ranked ones; write labels=..., scores=... or "
            "actual=..., predicted=...",
            code="data-ambiguous",
        )
    if len(data) > _TWO:
        reason = f"{len(data)} arguments of data; write {_WRITTEN}, and the rest by name"
        raise InputError(reason, code="data-ambiguous")
    return {"relevance": data[0]} if len(data) == 1 and is_list(data[0]) else dict(zip(("qrels", "run"), data))  # noqa: B905


def is_list(value: object) -> TypeGuard[Iterable[Any]]:
    """Tell whether it is a list, an array or a column: no mapping, no text and no frame."""
    has_columns = hasattr(value, "columns") or hasattr(value, "column_names")
    is_named = isinstance(value, str | PathLike | Mapping | Qrels | Run)
    return isinstance(value, Iterable) and not has_columns and not is_named


def refuse_swapped(qrels: Any, run: Any) -> None:
    """Refuse (`InputError`) dictionaries of qrels and run that have the other's numbers."""
    # Grades are seldom floats; what is no dictionary says how it is to be read.
    decimal = next((each for each in _floats(qrels) if not each.is_integer()), None)
    if decimal is not None and isinstance(run, dict) and next(_floats(run), None) is None:
        raise InputError(
            f"the qrels have decimals ({decimal}), the run whole numbers alone; qrels and run look swapped: give the"
            " qrels first (or write such scores as 3.0)",
            code="grade-not-whole",
        )


def _floats(value: Any) -> Iterator[float]:
    listed = [each for each in value.values() if isinstance(each, dict)] if isinstance(value, dict) else []
    return (number for each in listed for number in each.values() if isinstance(number, float))


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
