"""Whether answers stay the same: asked again, in another order and another process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from rankspec.conformance.checks.minimal_pair import (
    Cause,
    Laboratory,
    MinimalPair,
    NamedCall,
    Sighting,
    SpentError,
    find_pair,
    words_of,
)
from rankspec.conformance.implementations.specs import ImportFailure
from rankspec.conformance.judge.agreement import agrees, bound_of, differ_in_last_digits
from rankspec.conformance.run.connection import FIRST_SEED, SECOND_SEED
from rankspec.conformance.run.limits import Halted
from rankspec.conformance.run.outcomes import (
    Connection,
    Crashed,
    Lost,
    Outcome,
    OutOfMemory,
    Report,
    TimedOut,
)


@dataclass
class Repetition:
    """Questions that are asked again over a second connection, the last one first, and what came of it."""

    questions: Sequence[NamedCall]
    on_question: Callable[[int], None] = lambda _: None  # hears the index of each question that is answered
    where: str = "in another order"  # how it was asked, in words that go on after an answer
    outcomes: dict[int, Outcome] = field(default_factory=dict)  # by the index of a question
    # by the index of a question, how the process was lost in it, which did not come again
    lost: dict[int, Lost] = field(default_factory=dict)
    ended: str = ""  # why not everything was asked; empty if it was
    _asked: list[int] = field(default_factory=list)

    def ask(self, connection: Connection, again: Iterable[int]) -> None:
        """Ask the questions of these indices. In a fresh process under another hash seed, hidden state shows too."""
        self._asked = sorted(again, reverse=True)
        report = connection.ask(
            [self.questions[index].call for index in self._asked],
            lambda place, outcome: self.outcomes.update({self._asked[place]: outcome}),
        )
        for incident in report.incidents:
            if incident.index is not None:
                self.lost.setdefault(self._asked[incident.index], incident.outcome)
        for index in self._asked[: report.known]:
            self.on_question(index)
        self.ended = report.ended

    def before(self, index: int) -> Sequence[NamedCall]:
        """Return the calls that were made before a question was put."""
        return [self.questions[each] for each in self._asked[: self._asked.index(index)]]


@dataclass(frozen=True)
class Instability:
    """An answer that did not stay the same."""

    text: str  # what was seen
    sightings: tuple[Sighting, ...] = ()  # the answers in their places, for a search for the cause
    pair: MinimalPair | None = None  # the pair of calls, where what was seen is one already


def settled(first: Report, second: Repetition, index: int) -> Outcome:
    """Return what came of a question: what had no answer in time once had none, whatever it answered the other time."""
    once, again = first.outcomes[index], second.outcomes.get(index)
    return again if isinstance(again, TimedOut) and not isinstance(once, TimedOut) else once


def change_of(first: Report, second: Repetition, index: int) -> Instability | None:
    """Return how an answer changed, None if it did not; a timeout is one, not another answer."""
    outcome, question = first.outcomes[index], second.questions[index]
    same = partial(agrees, outcome, bound=bound_of(question.call))
    if isinstance(settled(first, second, index), TimedOut):
        return None
    other = second.outcomes.get(index, outcome)
    if other != outcome and not same(other):
        again = Sighting(other, second.before(index), SECOND_SEED)
        once = Sighting(outcome, second.questions[:index], FIRST_SEED)
        return Instability(f"{words_of(outcome)}, then {words_of(other)} {second.where}", (again, once))
    if crashed := _crashes(first, second, index):
        return Instability(f"{words_of(crashed[0].outcome)}, then {words_of(outcome)} in a new process", crashed)
    spoilt = first.again.get(index, outcome)
    if spoilt == outcome or same(spoilt):
        return None
    pair = MinimalPair(Cause.CHANGED_ARGUMENTS, question, question, outcome, spoilt)
    return Instability(pair.text, pair=pair)


def _crashes(first: Report, second: Repetition, index: int) -> tuple[Sighting, ...]:
    """Return how a process ended in a question that did no harm in a new process: an earlier call's doing, or chance.

    If an earlier call used up the memory or the time, that is not an answer that changed.
    """
    if isinstance(first.outcomes[index], Crashed):  # it came again
        return ()
    lost = [(each.outcome, second.questions[:index], FIRST_SEED) for each in first.incidents if each.index == index]
    if index in second.lost:
        lost.append((second.lost[index], second.before(index), SECOND_SEED))
    return tuple(Sighting(*each) for each in lost if isinstance(each[0], Crashed))


def last_digits(first: Report, second: Repetition) -> str:
    """Say that answers changed in the last digits of their floats, and show one; empty if none did."""
    # A program that adds up in the order of a set is no less a program of its convention.
    changed = [
        (index, outcome)
        for index, outcome in sorted(second.outcomes.items())
        if outcome != first.outcomes[index]
        and differ_in_last_digits(first.outcomes[index], outcome, bound_of(second.questions[index].call))
    ]
    if not changed:
        return ""
    index, outcome = changed[0]
    count = f"{len(changed)} answer{'s change' if len(changed) > 1 else ' changes'} in the last digits"
    before, after = words_of(first.outcomes[index]), words_of(outcome)
    name = second.questions[index].id
    return f"{count}, as sums in another order do: {name} gives {before}, then {after} {second.where}"


def short_of_memory(first: Report, second: Repetition) -> list[tuple[int, str]]:
    """Return in which questions the memory of a process ran full that was enough for the question by itself."""
    lost = [(incident.index, incident.outcome) for incident in first.incidents] + [*second.lost.items()]
    return [
        (index, f"{outcome.bytes / 2**30:.1f} GiB of memory after other questions; alone it needs less")
        for index, outcome in lost
        if index is not None and isinstance(outcome, OutOfMemory) and not isinstance(first.outcomes[index], OutOfMemory)
    ]


def explained(laboratory: Laboratory, named_call: NamedCall, change: Instability) -> tuple[str, MinimalPair | None]:
    """Return in words how an answer changed, and the smallest pair of calls that shows it, if one is found."""
    try:
        pair = change.pair or find_pair(laboratory, named_call, change.sightings)
    except (SpentError, ImportFailure, Halted):
        seen = laboratory.explained
        return f"{change.text}; {seen} shows with what" if seen else change.text, None
    if pair is None:
        return change.text, None
    laboratory.explained = laboratory.explained or named_call.id
    return pair.text, pair
