"""Between which versions of a library its answers change, by bisection, as the record of the library keeps it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankspec.conformance.atlas.record import VersionChange, VersionHistory
from rankspec.conformance.cases.inputs import set_data
from rankspec.conformance.checks.diff import AnswerChange, Drift, drifts
from rankspec.conformance.checks.records import ImplementationRecord
from rankspec.conformance.questions.question import Question


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

    def without_a_number(each: AnswerChange) -> int:
        return (each.old.value is None) + (each.new.value is None)

    return min(drift.real, key=lambda each: (without_a_number(each), each.new.size))


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
