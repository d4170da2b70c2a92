"""Finding the smallest pair of calls that shows why an answer changed, by asking short lists in fresh processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from rankspec.conformance.checks.minimal_pair import Cause, Made, Pair
from rankspec.conformance.judge.agreement import agrees, bound_of
from rankspec.conformance.run.connection import FIRST_SEED, SECOND_SEED, Connectable
from rankspec.conformance.run.outcomes import Outcome, OutOfMemory, TimedOut

_MOST_PROCESSES = 30
_MOST_PREPARED = 16
"""Of an adapter's: a library may take seconds to import."""


class SpentError(Exception):
    """As many processes were started as one may spend on finding pairs."""


@dataclass
class Laboratory:
    """Asks short lists of calls, each in a process of its own.

    Attributes:
        guilty: calls that were found to change the answers to others.
        explained: id of the first question whose pair was found.
    """

    connectable: Connectable
    guilty: list[Made] = field(default_factory=list)
    explained: str = ""
    processes: int = 0

    def last(self, calls: Sequence[Made], seed: str) -> Outcome:
        """Return what comes of the last of some calls; how the process was lost in it, even if only once.

        Raises:
            SpentError: there were too many processes already, there is a reason to stop, or no process is fresh.
        """
        most = _MOST_PREPARED if self.connectable.is_costly else _MOST_PROCESSES
        if self.processes >= most or self.connectable.halt.reason or not self.connectable.is_fresh:
            raise SpentError
        self.processes += 1
        with self.connectable.connect(seed) as connection:
            report = connection.ask([made.call for made in calls])
        if report.ended:
            raise SpentError
        lost = [incident.outcome for incident in report.incidents if incident.index == len(calls) - 1]
        return lost[0] if lost else report.outcomes[-1]


@dataclass(frozen=True)
class Sighting:
    """An answer in its place: what came, after which calls, under which PYTHONHASHSEED."""

    outcome: Outcome
    before: Sequence[Made]
    seed: str


def find_pair(laboratory: Laboratory, made: Made, sightings: Sequence[Sighting]) -> Pair | None:
    """Find out what changed an answer that was seen more than once; None if it can't be brought about again.

    Raises:
        SpentError: it takes too many processes.
    """
    if any(isinstance(sighting.outcome, TimedOut | OutOfMemory) for sighting in sightings):
        return None  # each attempt would cost the whole limit
    same = partial(agrees, bound=bound_of(made.call))
    alone = laboratory.last([made], FIRST_SEED)
    for guilty in laboratory.guilty:
        if not same(alone, outcome := laboratory.last([guilty, made], FIRST_SEED)):
            return Pair(Cause.EARLIER_CALL, made, guilty, alone, outcome)
    if (pair := _without_history(laboratory, made, alone)) is not None:
        return pair
    for sighting in sightings:
        if not same(sighting.outcome, alone) and (pair := _after(laboratory, made, alone, sighting)) is not None:
            return pair
    again = laboratory.last([made], FIRST_SEED)
    return None if same(alone, again) else Pair(Cause.CHANCE, made, None, alone, again)


def _without_history(laboratory: Laboratory, made: Made, alone: Outcome) -> Pair | None:
    same = partial(agrees, bound=bound_of(made.call))
    other = laboratory.last([made], SECOND_SEED)
    if same(alone, other):
        return None
    for seed, before in ((FIRST_SEED, alone), (SECOND_SEED, other)):
        if not same(before, again := laboratory.last([made], seed)):
            return Pair(Cause.CHANCE, made, None, before, again)
    return Pair(Cause.HASH_SEED, made, None, alone, other)


def _after(laboratory: Laboratory, made: Made, alone: Outcome, sighting: Sighting) -> Pair | None:
    """Find the call before it that makes the difference, and what has to follow that one."""

    def changed(before: Sequence[Made]) -> Outcome | None:
        outcome = laboratory.last([*before, made], sighting.seed)
        return None if agrees(outcome, alone, bound_of(made.call)) else outcome

    for guess in dict.fromkeys([*sighting.before[-1:], made]):  # most often it is one of these
        if outcome := changed([guess]):
            return _found(laboratory, Pair(Cause.EARLIER_CALL, made, guess, alone, outcome))
    if not sighting.before or not changed(sighting.before):
        return None
    length = _shortest(len(sighting.before), lambda length: changed(sighting.before[-length:]) is not None)
    other, rest = sighting.before[-length], sighting.before[len(sighting.before) - length + 1 :]
    if outcome := changed([other]):
        return _found(laboratory, Pair(Cause.EARLIER_CALL, made, other, alone, outcome))
    more = _shortest(len(rest), lambda length: changed([other, *rest[-length:]]) is not None)
    outcome = changed([other, *rest[-more:]])
    return None if outcome is None else Pair(Cause.EARLIER_CALL, made, other, alone, outcome, more)


def _found(laboratory: Laboratory, pair: Pair) -> Pair:
    if pair.other is not None and pair.other not in laboratory.guilty:
        laboratory.guilty.append(pair.other)
    return pair


def _shortest(longest: int, shows: Callable[[int], bool]) -> int:
    """Return the least length that shows it, from 1 on; the longest one is known to."""
    low, high = 1, longest
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle + 1, high)
    return high
