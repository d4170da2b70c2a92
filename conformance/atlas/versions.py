"""Between which versions of a library its answers change: they are asked the same small inputs, all or by bisection."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankspec.conformance.atlas.record import VersionChange, VersionHistory
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cases.files.on_disk import write_whole
from rankspec.conformance.cases.inputs import set_data
from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.checks.check import CheckPlan, Listener, check
from rankspec.conformance.checks.diff import AnswerChange, Drift, drifts
from rankspec.conformance.checks.recording import record_of
from rankspec.conformance.checks.records import ImplementationRecord
from rankspec.conformance.checks.stream import OBJECTS, ReportFileError, read_check
from rankspec.conformance.implementations.specs import Implementation, SpecificationError, known_adapters, parse
from rankspec.conformance.questions.question import Question, questions_of
from rankspec.conformance.run import progress_bars
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.uv import published_versions
from rankspec.conformance.worker.loading import built_in
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import InputError, suggestion

_MOST_DOCUMENTS = 16  # Of an input, retrieved and judged ones: what is small tells as much, in a tenth of the time
_FEWEST = 2


@dataclass(frozen=True)
class Unasked:
    """A version that could not be asked, and why, in a line."""

    why: str


Said = ImplementationRecord | Unasked  # What came of asking a version


def history(
    versions: Sequence[str],
    ask: Callable[[str], Said],
    questions: Mapping[str, Question],
    command: str,
    *,
    bisect: bool,
) -> VersionHistory:
    """Ask the first and the last version (oldest first), and, to bisect, those between where answers change."""
    # `questions` are by id; `command` is what was run.
    said: dict[int, Said] = {}
    changes: list[VersionChange] = []

    def at(place: int) -> Said:
        if place not in said:
            said[place] = ask(versions[place])
        return said[place]

    def is_answering(place: int) -> bool:
        return not isinstance(at(place), Unasked)

    def end(places: Sequence[int]) -> int | None:
        """Return the first place that answers; after each failure the next is twice as far."""
        strides = (2**power - 1 for power in range(len(places).bit_length()))
        return next((places[each] for each in strides if is_answering(places[each])), None)

    def search(low: int, high: int) -> None:
        """Find the changes between two places that answered, oldest first."""
        drift, centre = change_between(at(low), at(high)), (low + high) // 2
        if drift is None:
            return
        inside = sorted(range(low + 1, high), key=lambda place: (abs(place - centre), place)) if bisect else []
        middle = next(filter(is_answering, inside), None)
        if middle is None:
            changes.append(_change(drift, tuple(versions[each] for each in sorted(inside)), questions))
        else:
            search(low, middle)
            search(middle, high)

    places = range(len(versions))
    first, last = end(places), end(places[::-1])
    if first is not None and last is not None and first < last:
        search(first, last)
    by_version = {versions[place]: each for place, each in sorted(said.items())}
    return VersionHistory(
        tuple(version for version, each in by_version.items() if not isinstance(each, Unasked)),
        {version: each.why for version, each in by_version.items() if isinstance(each, Unasked)},
        tuple(changes),
        command,
        dt.datetime.now(tz=dt.UTC).date().isoformat(),
    )


def change_between(old: Said, new: Said) -> Drift | None:
    """Return what changed between two versions, if that is more than the last digits."""
    if isinstance(old, Unasked) or isinstance(new, Unasked) or (is_silent(old) and is_silent(new)):
        return None
    (step,) = drifts([old, new])
    return step if step.real else None


def is_silent(record: ImplementationRecord) -> bool:
    """Tell whether no number came at all: the version lacks what is called, and how it says so is no behaviour."""
    return all(case.value is None and not case.per_query for case in record.applicable)


def smallest_change(drift: Drift) -> AnswerChange:
    """Return the change with the smallest input; the more of its two answers are numbers, the sooner."""
    return min(drift.real, key=lambda each: ((each.old.value is None) + (each.new.value is None), each.new.size))


def _change(drift: Drift, unasked: tuple[str, ...], questions: Mapping[str, Question]) -> VersionChange:
    smallest = smallest_change(drift)
    old, new = smallest.texts
    if is_silent(drift.old):  # the call is of a later version, or the environment's packages are
        old = f"{old}, as to every input"
    ends, counts = (drift.old.version or "", drift.new.version or ""), (len(drift.real), drift.compared)
    return VersionChange(*ends, unasked, *counts, input_of(questions[smallest.id]), old, new)


def input_of(question: Question) -> dict[str, Any]:
    """Return the input of a question as a case file writes it, with its cutoff."""
    data = set_data(question.qrels, question.run)
    return data if question.measure.k is None else {**data, "k": question.measure.k}


@dataclass
class VersionAnswers:
    """Asks a version of an adapter for a measure, or reads what it answered before."""

    name: str
    measure: Measure
    out: Path | None
    limits: Limits
    on_version: Callable[[str], None] = lambda _: None  # hears which version is asked

    def __post_init__(self) -> None:
        every = questions_of(shipped_cases(), self.measure)
        self.questions: list[Question] = [each for each in every if sum(each.size[1:]) <= _MOST_DOCUMENTS]

    def __call__(self, version: str) -> Said:
        """Return what a version answers, or why it can't be asked."""
        place = None if self.out is None else self.out / f"{self.name}-{version}-{self.measure}.json"
        if place is not None and place.exists():
            with suppress(ReportFileError, ValueError, KeyError):  # a damaged file is written anew
                content = place.read_bytes()
                if content.startswith(b'{"unasked"'):
                    return Unasked(str(json.loads(content)["unasked"]))
                return read_check(str(place), content).implementations[0]
        self.on_version(f"{self.name} {version}")
        data = self._answers(parse(f"{self.name}=={version}"))
        if place is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, json.dumps(data, ensure_ascii=False))
        if "unasked" in data:
            return Unasked(str(data["unasked"]))
        return read_check(version, json.dumps(data).encode()).implementations[0]

    def _answers(self, implementation: Implementation) -> dict[str, object]:
        try:
            with progress_bars.lines([implementation.text]) as line_of:
                line = line_of(implementation.text)
                plan = CheckPlan(self.questions, fixed_measure=True)
                listener = Listener(line.count, on_preparing=line.prepare)
                checked = check(Workers(implementation, self.limits), plan, listener)
        except SpecificationError as error:
            return {"unasked": str(error)}
        return {"schema": OBJECTS[0], **data_of(record_of([checked], measure=self.measure))}


def chosen_versions(name: str, versions: list[str] | None, first: str | None, last: str | None) -> list[str]:
    """Return the versions (by default those published) from one to another; `InputError` for fewer than two."""
    if name not in known_adapters():
        near = suggestion(name, dict.fromkeys(known_adapters()))
        why = f"{name}: no adapter has this name{near}; `rankspec adapters` lists them"
        raise InputError(why, code="unknown-adapter")
    known = versions or published_versions(built_in(name).distribution)
    for option, wanted in (("--from", first), ("--to", last)):
        if wanted is not None and wanted not in known:
            raise InputError(f"{option} {wanted}: not among the versions {', '.join(known)}", code="unknown-version")
    low = 0 if first is None else known.index(first)
    high = len(known) - 1 if last is None else known.index(last)
    if high - low + 1 < _FEWEST:
        raise InputError(f"two versions are needed; there are {', '.join(known) or 'none'}", code="versions-missing")
    return list(known[low : high + 1])


def drift_of(version_answers: VersionAnswers, versions: Sequence[str], *, bisect: bool) -> VersionHistory:
    """Ask versions, all or by bisection, and return what changed; `SpecificationError` if no two could be asked."""
    name, questions = version_answers.name, {each.id: each for each in version_answers.questions}
    command = f"rankspec drift {name} --measure '{version_answers.measure}'{' --bisect' if bisect else ''}"
    answers = history(versions, version_answers, questions, command, bisect=bisect)
    if len(answers.versions) < _FEWEST:
        why = "; ".join(f"{version}: {why}" for version, why in answers.failed.items())
        raise SpecificationError(f"{name}: fewer than two versions could be asked: {why}", code="versions-missing")
    return answers
