"""The inputs of cases in all their forms, as qrels and a run; long ones may be written in short.

In a list of labels or scores, ``0 x 999`` stands for 999 zeros and ``1000..1`` for the whole numbers from 1000 down to
1. In an id, ``d<001..999>`` stands for d001 to d999, in as many digits as its first number has. As a key it gives each
of them the same value (a grade, or all that a query has); in a pair of a run it goes with as many scores, or with one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase, digits
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.data.data import Data
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run, Score, as_float64
from rankspec.oracle.errors import InputError
from rankspec.oracle.limits import ENTRIES
from rankspec.oracle.rankings.ranking import is_relevant
from rankspec.oracle.readers.judgements import Judgements, read_judgements
from rankspec.oracle.readers.trec import read_run

_REPETITION = re.compile(r"(\S+) x ([1-9][0-9]{0,9})")
_RANGE = re.compile(r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})")
_NAMES = re.compile(r"([^<>]*)<([0-9]{1,9})\.\.([0-9]{1,9})>([^<>]*)")


def numbers(entries: list[Any]) -> list[Any]:
    """Write out a list of labels or scores.

    >>> numbers([1, "0 x 3", "3..1", "0.5"])
    [1, 0, 0, 0, 3, 2, 1, '0.5']

    Raises:
        InputError: an entry stands for too many.
    """
    return [number for entry in entries for number in _numbers(entry)]


def labels(entries: list[Any]) -> list[int]:
    """Write out a list of labels; `InputError` for what is not a whole number, or stands for too many."""
    written = numbers(entries)
    if other := next((label for label in written if not isinstance(label, int)), None):
        raise InputError(f"{other!r} is not a label; give a whole number, or `0 x 999`", code="label-not-whole")
    return written


def _numbers(entry: Any) -> list[Any]:
    if not isinstance(entry, str):
        return [entry]
    if grade_range := _REPETITION.fullmatch(entry):
        text = grade_range[1]
        number = int(text) if re.fullmatch(r"-?[0-9]+", text) else text
        return [number] * _few(int(grade_range[2]), entry)
    if grade_range := _RANGE.fullmatch(entry):
        return _counted(int(grade_range[1]), int(grade_range[2]), entry)
    return [entry]


def _counted(first: int, last: int, entry: str) -> list[int]:
    step = 1 if first <= last else -1
    _few(abs(last - first) + 1, entry)
    return list(range(first, last + step, step))


def _few(count: int, entry: str) -> int:
    if count > ENTRIES.most:
        raise InputError(ENTRIES.reason(f"{entry!r} stands for {count} entries,"), code="beyond-limit")
    return count


def names(text: str) -> list[str]:
    """Write out an id.

    >>> names("d<08..10>")
    ['d08', 'd09', 'd10']

    Raises:
        InputError: it stands for too many.
    """
    matched = _NAMES.fullmatch(text)
    if matched is None:
        return [text]
    before, first, last, after = matched.groups()
    return [f"{before}{number:0{len(first)}}{after}" for number in _counted(int(first), int(last), text)]


def ids(entries: list[str]) -> list[str]:
    """Write out a list of ids."""
    return [name for entry in entries for name in names(entry)]


def keyed(entry: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Write out a mapping from ids.

    >>> dict(keyed({"q<1..2>": {"a": 1}}))
    {'q1': {'a': 1}, 'q2': {'a': 1}}

    Raises:
        InputError: an id appears twice.
    """
    seen = set()
    for key, value in entry.items():
        for name in names(key):
            if name in seen:
                raise InputError(f"{name!r} appears twice, in {key!r} too", code="key-repeated")
            seen.add(name)
            yield name, value


def scored(entries: list[Any]) -> list[tuple[str, Any]]:
    """Write out the pairs of a run.

    >>> scored([["d<1..3>", "3..1"], ["e<1..2>", 0]])
    [('d1', 3), ('d2', 2), ('d3', 1), ('e1', 0), ('e2', 0)]

    Raises:
        InputError: there is another number of documents than of scores.
    """
    pairs = list[tuple[str, Any]]()
    for docno, score in entries:
        documents, scores = names(docno), _numbers(score)
        if len(scores) not in {1, len(documents)}:
            reason = f"{docno!r} are {len(documents)} documents, and {score!r} {len(scores)} scores"
            raise InputError(reason, code="lengths-differ")
        pairs += zip(documents, scores * len(documents) if len(scores) == 1 else scores, strict=True)
    return pairs


QUERY = "q"  # The query of an input that names none
FORMS = ("relevance", "labels", "actual", "qrels", "queries", "files")  # The key by which each form is told


@dataclass(frozen=True)
class CaseInput:
    """An input in its own form, and as qrels and a run."""

    form: str  # one of `FORMS`
    data: Mapping[str, Any]  # the input as it stands in the file, long lists in short (see the head of this module)
    qrels: Qrels
    run: Run
    # other runs, by the names under which the run is compared with them
    against: Mapping[str, Run] = field(default_factory=lambda: MappingProxyType({}))


def case_input(entry: Mapping[str, Any], reading: Reading = Reading.STRICT) -> CaseInput:
    """Read an input, its files by a reading; `InputError` if it has none of the forms, or lists that don't fit."""
    form = next((form for form in FORMS if form in entry), None)
    if form is None:
        raise InputError(f"an input needs one of {', '.join(FORMS)}", code="data-missing")
    if form == "qrels":
        against = {name: _run(run) for name, run in entry.get("against", {}).items()}
        qrels = Qrels.of({query: dict(keyed(grades)) for query, grades in keyed(entry["qrels"])})
        return CaseInput(form, entry, qrels, _run(entry["run"]), MappingProxyType(against))
    if form == "files":
        return CaseInput(form, entry, *_from_files(entry["files"], reading))
    queries = dict(keyed(entry["queries"])) if form == "queries" else {QUERY: entry}
    read = {query: _one_query(entry) for query, entry in queries.items()}
    qrels = Qrels.of({query: grades for query, (grades, _) in read.items()})
    return CaseInput(form, entry, qrels, Run.of({query: documents for query, (_, documents) in read.items()}))


def data_of_case(source: CaseInput) -> Data:
    """Return the data of a case's input. Labels in rank order and lists of ids have no scores."""
    forms = source.data["queries"].values() if source.form == "queries" else [source.data.get("files", source.data)]
    return Data(
        source.qrels,
        source.run,
        scored=all("scores" in form or "run" in form for form in forms),
        named=all("run" in form or "actual" in form for form in forms),
        judged=all("actual" not in form for form in forms),
    )


def _from_files(texts: Mapping[str, str], reading: Reading) -> tuple[Qrels, Run]:
    """Read the texts of a qrels and a run file as a program reads the files; `judgements` is the qrels' format."""
    judgements = Judgements(texts.get("judgements", Judgements.QRELS.value))
    with TemporaryDirectory() as folder:
        for name in ("qrels", "run"):
            (Path(folder) / name).write_text(texts[name], encoding="utf-8", newline="")
        try:
            judged = read_judgements(Path(folder) / "qrels", judgements, reading)
            return judged, read_run(Path(folder) / "run", None, reading)
        except InputError as error:
            raise InputError(str(error).replace(f"{folder}/", ""), code=error.code) from None


def _run(entry: Mapping[str, Any]) -> Run:
    queries = keyed(entry)
    return Run.of({query: list(keyed(own)) if isinstance(own, Mapping) else scored(own) for query, own in queries})


def _one_query(entry: Mapping[str, Any]) -> tuple[dict[str, int], list[tuple[str, Any]]]:
    """Return grades and scored documents of one query in one of the forms without names for queries."""
    if "relevance" in entry:
        return from_relevance(labels(entry["relevance"]), entry.get("num_relevant"))
    if "labels" in entry:
        return from_labels_scores(labels(entry["labels"]), numbers(entry["scores"]))
    if "actual" in entry:
        return from_actual_predicted(ids(entry["actual"]), ids(entry["predicted"]))
    raise InputError("a query needs relevance, or labels and scores, or actual and predicted", code="data-missing")


def from_relevance(
    labels: list[int], num_relevant: int | None, rel: int = 1, most_missed: int | None = None
) -> tuple[dict[str, int], list[tuple[str, Any]]]:
    """Name the documents of labels, best first, and those missed; `InputError` for R below the hits or too large."""
    hits = sum(is_relevant(label, rel) for label in labels)
    missed = 0 if num_relevant is None else num_relevant - hits
    if missed < 0:
        reason = f"num_relevant={num_relevant} is below the {hits} relevant documents in the list"
        raise InputError(reason, code="num-relevant-too-low")
    if most_missed is not None and missed > most_missed:
        refusal = f"num_relevant={num_relevant}: more than {most_missed} relevant documents beyond the list"
        raise InputError(refusal, code="num-relevant-too-high")
    docnos = short_names(len(labels) + missed)
    grades = dict(zip(docnos, [*labels, *[max(rel, 1)] * missed], strict=True))
    return grades, list(zip(docnos[: len(labels)], range(len(labels), 0, -1), strict=True))


def from_labels_scores(labels: list[int], scores: list[Any]) -> tuple[dict[str, int], list[tuple[str, Any]]]:
    """Name documents with labels and scores, in the order given; `InputError` if the lists differ in length."""
    if len(labels) != len(scores):
        reason = f"{len(labels)} labels and {len(scores)} scores; there must be as many of each"
        raise InputError(reason, code="lengths-differ")
    docnos = short_names(len(labels))
    return dict(zip(docnos, labels, strict=True)), list(zip(docnos, scores, strict=True))


def from_actual_predicted(actual: list[str], predicted: list[str]) -> tuple[dict[str, int], list[tuple[str, Any]]]:
    """Score predicted ids by rank; the actual ones are the relevant documents."""
    return dict.fromkeys(actual, 1), list(zip(predicted, range(len(predicted), 0, -1), strict=True))


def short_names(count: int) -> list[str]:
    """Return so many names of documents, of one length, in ascending byte order: a, b, c, ... if these are enough."""
    for alphabet in (ascii_lowercase, digits + ascii_uppercase + ascii_lowercase):
        if count <= len(alphabet):
            return list(alphabet[:count])
    width = len(str(count))
    return [f"d{number:0{width}}" for number in range(1, count + 1)]


def set_data(qrels: Qrels, run: Run) -> dict[str, Any]:
    """Return judgments and lists as a case file has them."""
    return {
        "qrels": {query: dict(qrels.grades(query)) for query in qrels},
        "run": {query: [[docno, score_data(score)] for docno, score in run.documents(query)] for query in run},
    }


def score_data(score: Score) -> int | str:
    """Return a score as a case file has it: whole, or the text of a double."""
    return int(score) if isfinite(score) and score == int(score) else repr(float(score))


def features_of(qrels: Qrels, run: Run, rel: int) -> set[str]:
    """Return what an input has that some shape can't say."""
    lists = {query: run.documents(query) for query in dict.fromkeys((*qrels, *run))}
    has = {"names"}
    for query, listed in lists.items():
        grades, docnos, scores = qrels.grades(query), {docno for docno, _ in listed}, [score for _, score in listed]
        features = {
            "unretrieved": any(is_relevant(grade, rel) and docno not in docnos for docno, grade in grades.items()),
            "ties": len({*scores}) < len(listed),
            "unjudged": not docnos <= grades.keys(),
            "negative": any(grade < 0 for grade in grades.values()),
            "repeated": len(docnos) < len(listed),
            "doubles": any(not isinstance(each, float) and Fraction(each) != as_float64(each) for each in scores),
            "empty": not (listed and grades),
        }
        has |= {name for name, is_there in features.items() if is_there}
    return has
