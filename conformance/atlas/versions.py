"""What bisection found, as the record of a library keeps it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class Step:
    """A change between two versions."""

    drift: Drift  # from the last version that answers as before to the first one that does not
    unasked: tuple[str, ...] = ()  # the versions between the two; none of them could be asked


@dataclass(frozen=True)
class History:
    """What was found over a range of versions."""

    asked: tuple[str, ...]  # the versions that answered, oldest first
    failed: dict[str, str]  # version -> why it could not be asked
    steps: tuple[Step, ...]  # where the answers change, oldest first


@dataclass
class _Search:
    """A search under way."""

    versions: Sequence[str]
    ask: Callable[[str], Said]
    said: dict[int, Said] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    def at(self, place: int) -> Said:
        if place not in self.said:
            self.said[place] = self.ask(self.versions[place])
        return self.said[place]

    def end(self, places: Sequence[int]) -> int | None:
        """Return the first place that answers; after each failure the next is twice as far."""
        place, stride = 0, 1
        while place < len(places):
            if not isinstance(self.at(places[place]), Unasked):
                return places[place]
            place, stride = place + stride, 2 * stride
        return None

    def between(self, low: int, high: int, *, inwards: bool) -> None:
        """Find the changes between two places that answered, oldest first."""
        drift = change_between(self.at(low), self.at(high))
        if drift is None:
            return
        middle = self.middle(low, high) if inwards else None
        if middle is None:
            self.steps.append(Step(drift, tuple(self.versions[low + 1 : high]) if inwards else ()))
            return
        self.between(low, middle, inwards=True)
        self.between(middle, high, inwards=True)

    def middle(self, low: int, high: int) -> int | None:
        """Return the place nearest to the middle that answers; None if none between the two does."""
        centre = (low + high) // 2
        for place in sorted(range(low + 1, high), key=lambda place: (abs(place - centre), place)):
            if not isinstance(self.at(place), Unasked):
                return place
        return None


def history(versions: Sequence[str], ask: Callable[[str], Said], *, bisect: bool) -> History:
    """Ask the first and the last version (oldest first), and, to bisect, those between where answers change."""
    search = _Search(versions, ask)
    places = range(len(versions))
    first, last = search.end(places), search.end(list(reversed(places)))
    if first is not None and last is not None and first < last:
        search.between(first, last, inwards=bisect)
    by_place = sorted(search.said.items())
    return History(
        tuple(versions[place] for place, each in by_place if not isinstance(each, Unasked)),
        {versions[place]: each.why for place, each in by_place if isinstance(each, Unasked)},
        tuple(search.steps),
    )


def change_between(old: Said, new: Said) -> Drift | None:
    """Return what changed between two versions, if that is more than the last digits."""
    if isinstance(old, Unasked) or isinstance(new, Unasked) or (is_silent(old) and is_silent(new)):
        return None
    (step,) = drifts([old, new])
    return step if step.real else None


def is_silent(said: ImplementationRecord) -> bool:
    """Tell whether no number came at all: the version lacks what is called, and how it says so is no behaviour."""
    return all(case.value is None and not case.per_query for case in said.asked)


def smallest_change(step: Step) -> AnswerChange:
    """Return the change with the smallest input; the more of its two answers are numbers, the sooner."""

    def without_a_number(each: AnswerChange) -> int:
        return (each.old.value is None) + (each.new.value is None)

    return min(step.drift.real, key=lambda each: (without_a_number(each), each.new.size))


def versions_asked(versions: History, questions: Mapping[str, Question], command: str) -> VersionHistory:
    """Return what bisection found as a record keeps it, with the command; `questions` are by id."""
    return VersionHistory(
        versions.asked,
        versions.failed,
        tuple(_change(step, questions) for step in versions.steps),
        command,
        dt.datetime.now(tz=dt.UTC).date().isoformat(),
    )


def _change(step: Step, questions: Mapping[str, Question]) -> VersionChange:
    smallest = smallest_change(step)
    old, new = smallest.texts
    if is_silent(step.drift.old):  # the call is of a later version, or the environment's packages are
        old = f"{old}, as to every input"
    return VersionChange(
        step.drift.old.version or "",
        step.drift.new.version or "",
        step.unasked,
        len(step.drift.real),
        step.drift.compared,
        given(questions[smallest.id]),
        old,
        new,
    )


def given(question: Question) -> dict[str, Any]:
    """Return the input of a question as a case file writes it, with its cutoff."""
    data = set_data(question.qrels, question.run)
    return data if question.measure.k is None else {**data, "k": question.measure.k}
