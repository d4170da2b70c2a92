"""What `drift` does: ask the versions of a library the same small inputs, and find where their answers change."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rankspec.conformance.atlas.record import VersionHistory
from rankspec.conformance.atlas.versions import Said, Unasked, history
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cases.files.on_disk import write_whole
from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.checks.check import Listener, Plan, check
from rankspec.conformance.checks.recording import record_of
from rankspec.conformance.checks.stream import OBJECTS, ReportFileError, read_check
from rankspec.conformance.implementations.specs import Implementation, SpecificationError, known_adapters, parse
from rankspec.conformance.questions.question import Question, questions_of
from rankspec.conformance.run import progress_bars
from rankspec.conformance.run.limits import Halt, Limits
from rankspec.conformance.run.uv import published_versions
from rankspec.conformance.worker.loading import built_in
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import InputError, suggestion

_MOST_DOCUMENTS = 16  # Of an input, retrieved and judged ones: what is small tells as much, in a tenth of the time
_FEWEST = 2


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
                plan = Plan(self.questions, fixed_measure=True)
                listener = Listener(line.count, on_preparing=line.prepare)
                checked = check(implementation, plan, self.limits, listener, Halt())
        except SpecificationError as error:
            return {"unasked": str(error)}
        return {"schema": OBJECTS[0], **data_of(record_of([checked], measure=self.measure))}


def chosen_versions(name: str, versions: list[str] | None, first: str | None, last: str | None) -> list[str]:
    """Return the versions (by default those published) from one to another; `InputError` for fewer than two."""
    if name not in known_adapters():
        near = suggestion(name, dict.fromkeys(known_adapters()))
        raise InputError(
            f"{name}: no adapter has this name{near}; `rankspec adapters` lists them", code="unknown-adapter"
        )
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
    command = (
        f"rankspec drift {version_answers.name} --measure '{version_answers.measure}'{' --bisect' if bisect else ''}"
    )
    answers = history(
        versions, version_answers, {each.id: each for each in version_answers.questions}, command, bisect=bisect
    )
    if len(answers.versions) < _FEWEST:
        why = "; ".join(f"{version}: {why}" for version, why in answers.failed.items())
        raise SpecificationError(
            f"{version_answers.name}: fewer than two versions could be asked: {why}", code="versions-missing"
        )
    return answers
