"""Answers that did not stay the same, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankspec.conformance.checks.minimal_pair import (
    Cause,
    Laboratory,
    Made,
    MinimalPair,
    Sighting,
    SpentError,
    find_pair,
    words_of,
)
from rankspec.conformance.checks.repeatability import Repetition, changed_query
from rankspec.conformance.implementations.specs import ImportFailure
from rankspec.conformance.judge.agreement import agrees, bound_of, differ_in_last_digits
from rankspec.conformance.run.connection import FIRST_SEED, SECOND_SEED
from rankspec.conformance.run.limits import Halted
from rankspec.conformance.run.outcomes import Crashed, Outcome, OutOfMemory, PerQuery, Report, TimedOut


@dataclass(frozen=True)
class Instability:
    """An answer that did not stay the same.

    Attributes:
        text: what was seen.
        sightings: the answers in their places, for a search for the cause.
        pair: the pair of calls, where what was seen is one already.
    """

    text: str
    sightings: tuple[Sighting, ...] = ()
    pair: MinimalPair | None = None

    @property
    def is_neighbours(self) -> bool:
        """Whether the answer itself stayed the same, and changes with an odd query beside it alone."""
        return self.pair is not None and self.pair.cause is Cause.NEIGHBOUR


def settled(first: Report, second: Repetition, index: int) -> Outcome:
    """Return what came of a question: what had no answer in time once had none, whatever it answered the other time."""
    outcomes = (first.outcomes[index], *second.outcomes.get(index, ()))
    return next((each for each in outcomes if isinstance(each, TimedOut)), outcomes[0])


def change_of(first: Report, second: Repetition, questions: Sequence[Made], index: int) -> Instability | None:
    """Return how an answer changed, None if it did not; a timeout is one, not another answer."""
    outcome, bound = first.outcomes[index], bound_of(questions[index].call)
    if isinstance(settled(first, second, index), TimedOut):
        return None
    for time, other in enumerate(second.outcomes.get(index, [])):
        if not agrees(outcome, other, bound):
            again = Sighting(other, second.before(index, time), SECOND_SEED)
            return Instability(
                f"{words_of(outcome)}, then {words_of(other)} {second.where}",
                (again, Sighting(outcome, questions[:index], FIRST_SEED)),
            )
    if crashed := _crashes(first, second, questions, index):
        return Instability(f"{words_of(crashed[0].outcome)}, then {words_of(outcome)} in a new process", crashed)
    spoilt = first.again.get(index, outcome)
    if not agrees(outcome, spoilt, bound):
        pair = MinimalPair(Cause.CHANGED_ARGUMENTS, questions[index], questions[index], outcome, spoilt)
        return Instability(pair.text, pair=pair)
    if (beside := second.beside.get(index)) is not None:
        pair = _neighbour_pair(questions[index], *beside)
        return Instability(pair.text, pair=pair)
    return None


def _crashes(first: Report, second: Repetition, questions: Sequence[Made], index: int) -> tuple[Sighting, ...]:
    """Return how a process ended in a question that did no harm in a new process: an earlier call's doing, or chance.

    If an earlier call used up the memory or the time, that is no answer that changed.
    """
    crashes = isinstance(first.outcomes[index], Crashed)  # it came again
    found = [
        Sighting(incident.outcome, questions[:index], FIRST_SEED)
        for incident in first.incidents
        if incident.index == index and isinstance(incident.outcome, Crashed) and not crashes
    ]
    if isinstance(lost := second.lost.get(index), Crashed) and not crashes:
        found.append(Sighting(lost, second.before(index), SECOND_SEED))
    return tuple(found)


def last_digits(first: Report, second: Repetition, questions: Sequence[Made]) -> str:
    """Say that answers changed in the last digits of their floats, and show one; empty if none did.

    A program that adds up in the order of a set is no less a program of its convention.
    """
    changed = [
        (index, outcome)
        for index, outcomes in sorted(second.outcomes.items())
        for outcome in outcomes[:1]
        if differ_in_last_digits(first.outcomes[index], outcome, bound_of(questions[index].call))
    ]
    if not changed:
        return ""
    index, outcome = changed[0]
    count = f"{len(changed)} answer{'s change' if len(changed) > 1 else ' changes'} in the last digits"
    before, after = words_of(first.outcomes[index]), words_of(outcome)
    return f"{count}, as sums in another order do: {questions[index].id} gives {before}, then {after} {second.where}"


def short_of_memory(first: Report, second: Repetition) -> list[tuple[int, str]]:
    """Return in which questions the memory of a process ran full that was enough for the question by itself."""
    lost = [(incident.index, incident.outcome) for incident in first.incidents] + [*second.lost.items()]
    return [
        (index, f"{outcome.bytes / 2**30:.1f} GiB of memory, after other questions; by itself it needs less")
        for index, outcome in lost
        if index is not None and isinstance(outcome, OutOfMemory) and not isinstance(first.outcomes[index], OutOfMemory)
    ]


def explained(laboratory: Laboratory, made: Made, change: Instability) -> tuple[str, MinimalPair | None]:
    """Return in words how an answer changed, and the smallest pair of calls that shows it, if one is found."""
    try:
        pair = _confirmed(laboratory, made, change)
    except (SpentError, ImportFailure, Halted):
        seen = laboratory.explained
        return f"{change.text}; {seen} shows with what" if seen else change.text, None
    if pair is None:
        return change.text, None
    laboratory.explained = laboratory.explained or made.id
    return pair.text, pair


def _confirmed(laboratory: Laboratory, made: Made, change: Instability) -> MinimalPair | None:
    if change.pair is None:
        return find_pair(laboratory, made, change.sightings)
    if not change.is_neighbours or change.pair.other is None or laboratory.processes >= _CONFIRMED:
        return change.pair
    alone, together = (laboratory.last([each], FIRST_SEED) for each in (made, change.pair.other))
    query = changed_query(frozenset({change.pair.query}), alone, together, bound_of(change.pair.other.call))
    return _neighbour_pair(made, change.pair.other, query, alone, together) if query else None


_CONFIRMED = 10
"""Processes that are spent on seeing again what a neighbour changes; after that it is taken for seen."""


def _neighbour_pair(made: Made, other: Made, query: str, alone: Outcome, together: Outcome) -> MinimalPair:
    values = [outcome.values.get(query) if isinstance(outcome, PerQuery) else outcome for outcome in (alone, together)]
    return MinimalPair(Cause.NEIGHBOUR, made, other, values[0], values[1], query=query)
