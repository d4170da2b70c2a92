"""Whether answers stay the same, asked again in another order and process, and the pair of calls that shows it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any

from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.implementations.specs import ImportFailure
from rankspec.conformance.judge.agreement import agrees, bound_of, differ_in_last_digits
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.run.connection import FIRST_SEED, SECOND_SEED, Connectable
from rankspec.conformance.run.limits import Halted
from rankspec.conformance.run.outcomes import (
    Connection,
    Crashed,
    Lost,
    Malformed,
    Outcome,
    OutOfMemory,
    PerQuery,
    Raised,
    Report,
    TimedOut,
    mean_of,
)
from rankspec.conformance.worker.messages import Call

_LONGEST_BITS = 1024
"""Of a denominator that is written out: enough for every case, and far below what Python refuses to write."""
_MOST_PROCESSES = 30
_MOST_PREPARED = 16  # Of an adapter's: a library may take seconds to import
_AT_ONCE = 16  # So many questions are put at a time: whoever listens hears of them then, lost processes and all


def outcome_text(outcome: Outcome | None) -> str:
    """Write what came of a call in a few words: a number, the exception's name, or a word that `verdicts` explains."""
    value = outcome_value(outcome)
    if value is not None:
        return str(value)
    match outcome:
        case Raised(kind, _):
            return kind
        case Malformed():
            return "no number"
        case PerQuery(values):
            return "no queries" if not values else "no number"
        case TimedOut():
            return str(Verdict.TIMEOUT.value)
        case Crashed() | OutOfMemory():
            return str(Verdict.CRASH.value)
        case _:
            return "not asked"


def outcome_value(outcome: Outcome | None) -> float | str | None:
    """Return the number of an outcome, or of the set, or the mean; NaN and what no double holds as text; else None."""
    number = mean_of(outcome)
    if number is None or outcome == PerQuery({}):
        return None
    if not isinstance(number.value, Fraction):
        return number.value.value
    is_mean = isinstance(outcome, PerQuery) and outcome.overall is None
    value = number.value
    try:
        as_double = float(value)
    except OverflowError:
        return f"{Decimal(value.numerator) / Decimal(value.denominator):.6g}"
    if (is_mean or number.unit != 0) or Fraction(as_double) == value:
        return as_double
    return str(value) if value.denominator.bit_length() <= _LONGEST_BITS else f"about {as_double!r}"


class Cause(Enum):
    """What an answer changes with."""

    EARLIER_CALL = "earlier-call"  # With a call that was made before it in the same process
    HASH_SEED = "hash-seed"  # With PYTHONHASHSEED: with the order in which a set or a hash is gone through
    CHANCE = "chance"  # With nothing: alone in a fresh process it is now this, now that
    CHANGED_ARGUMENTS = "changed-arguments"  # With its own arguments, which it had changed


@dataclass(frozen=True)
class NamedCall:
    """A call that was made."""

    id: str  # of the question
    call: Call

    @property
    def data(self) -> dict[str, Any]:
        """The call as plain data, with the arguments as the line protocol has them."""
        arguments = self.call.arguments
        call = {**data_of(self.call, "measure", "k", "rel"), **data_of(arguments, "shape")}
        return {"id": self.id, "odd": None, **call, "arguments": arguments.message()}


@dataclass(frozen=True)
class MinimalPair:
    """Two calls, or one call twice."""

    cause: Cause
    call: NamedCall  # the one whose answer changes
    other: NamedCall | None  # the one that it changes with; None if there is no other
    alone: Outcome | None  # what is answered without the other one (or the first time)
    after: Outcome | None  # what is answered after it, or with it (or the second time); None if nothing is
    more: int = 0  # how many further calls have to be made between the two

    @property
    def text(self) -> str:
        """The finding in a line."""
        alone, together = words_of(self.alone), words_of(self.after)
        match self.cause:
            case Cause.EARLIER_CALL:
                more = f" and {self.more} more call{'s' if self.more > 1 else ''}" if self.more else ""
                after = self.other.id if self.other else ""
                return f"after {after}{more}, {self.call.id} gives {together}; alone it gives {alone}"
            case Cause.HASH_SEED:
                seeds = f"{alone} where PYTHONHASHSEED is 0, {together} where it is 1"
                return f"{seeds}, alone in a fresh process each time"
            case Cause.CHANCE:
                return f"{alone}, then {together}, asked the same alone in fresh processes"
            case Cause.CHANGED_ARGUMENTS:
                return f"{alone}, then {together} from the same arguments, which the first call changed"

    @property
    def data(self) -> dict[str, Any]:
        """The pair as plain data."""
        calls = {"call": self.call.data, "with": None if self.other is None else self.other.data}
        answers = {"alone": words_of(self.alone), "together": words_of(self.after)}
        return {"cause": self.cause.value, **calls, "more_calls": self.more, "query": None, **answers}


def words_of(outcome: Outcome | None) -> str:
    """Say what came: a number, or how the process ended."""
    match outcome:
        case None:
            return "no value"
        case Crashed(how, _):
            return how
        case TimedOut(seconds):
            return f"no answer within {seconds:g} s"
        case OutOfMemory(held):
            return f"{held / 2**30:.1f} GiB of memory"
        case _:
            return outcome_text(outcome)


class SpentError(Exception):
    """As many processes were started as one may spend on finding pairs."""


@dataclass
class Laboratory:
    """Asks short lists of calls, each in a process of its own."""

    connectable: Connectable
    guilty: list[NamedCall] = field(default_factory=list)  # calls that were found to change the answers to others
    explained: str = ""  # id of the first question whose pair was found
    processes: int = 0

    def last(self, calls: Sequence[NamedCall], seed: str) -> Outcome:
        """Return what comes of the last of some calls, a lost process above all; `SpentError` if no process is left."""
        most = _MOST_PREPARED if self.connectable.is_costly else _MOST_PROCESSES
        if self.processes >= most or self.connectable.halt.reason or not self.connectable.is_fresh:
            raise SpentError
        self.processes += 1
        with self.connectable.connect(seed) as connection:
            report = connection.ask([named_call.call for named_call in calls])
        if report.ended:
            raise SpentError
        lost = [incident.outcome for incident in report.incidents if incident.index == len(calls) - 1]
        return lost[0] if lost else report.outcomes[-1]


@dataclass(frozen=True)
class Sighting:
    """An answer in its place: what came, after which calls, under which PYTHONHASHSEED."""

    outcome: Outcome
    before: Sequence[NamedCall]
    seed: str


def find_pair(laboratory: Laboratory, named_call: NamedCall, sightings: Sequence[Sighting]) -> MinimalPair | None:
    """Find what changed an answer, None if it comes about no more; `SpentError` after too many processes."""
    if any(isinstance(sighting.outcome, TimedOut | OutOfMemory) for sighting in sightings):
        return None  # each attempt would cost the whole limit
    same = partial(agrees, bound=bound_of(named_call.call))
    alone = laboratory.last([named_call], FIRST_SEED)
    for guilty in laboratory.guilty:
        if not same(alone, outcome := laboratory.last([guilty, named_call], FIRST_SEED)):
            return MinimalPair(Cause.EARLIER_CALL, named_call, guilty, alone, outcome)
    if not same(alone, other := laboratory.last([named_call], SECOND_SEED)):
        for seed, before in ((FIRST_SEED, alone), (SECOND_SEED, other)):
            if not same(before, again := laboratory.last([named_call], seed)):
                return MinimalPair(Cause.CHANCE, named_call, None, before, again)
        return MinimalPair(Cause.HASH_SEED, named_call, None, alone, other)
    for sighting in sightings:
        if not same(sighting.outcome, alone) and (pair := _after(laboratory, named_call, alone, sighting)) is not None:
            return pair
    again = laboratory.last([named_call], FIRST_SEED)
    return None if same(alone, again) else MinimalPair(Cause.CHANCE, named_call, None, alone, again)


def _after(laboratory: Laboratory, named_call: NamedCall, alone: Outcome, sighting: Sighting) -> MinimalPair | None:
    """Find the call before it that makes the difference, and what has to follow that one."""

    def changed(before: Sequence[NamedCall]) -> Outcome | None:
        outcome = laboratory.last([*before, named_call], sighting.seed)
        return None if agrees(outcome, alone, bound_of(named_call.call)) else outcome

    for guess in dict.fromkeys([*sighting.before[-1:], named_call]):  # most often it is one of these
        if outcome := changed([guess]):
            return _remembered(laboratory, MinimalPair(Cause.EARLIER_CALL, named_call, guess, alone, outcome))
    if not sighting.before or not changed(sighting.before):
        return None
    length = _shortest(len(sighting.before), lambda length: changed(sighting.before[-length:]) is not None)
    other, rest = sighting.before[-length], sighting.before[len(sighting.before) - length + 1 :]
    if outcome := changed([other]):
        return _remembered(laboratory, MinimalPair(Cause.EARLIER_CALL, named_call, other, alone, outcome))
    more = _shortest(len(rest), lambda length: changed([other, *rest[-length:]]) is not None)
    outcome = changed([other, *rest[-more:]])
    return None if outcome is None else MinimalPair(Cause.EARLIER_CALL, named_call, other, alone, outcome, more)


def _remembered(laboratory: Laboratory, pair: MinimalPair) -> MinimalPair:
    if pair.other is not None and pair.other not in laboratory.guilty:
        laboratory.guilty.append(pair.other)
    return pair


def _shortest(longest: int, shows: Callable[[int], bool]) -> int:
    """Return the least length that shows it, from 1 on; the longest one is known to."""
    return 1 + bisect_left(range(1, longest), True, key=shows)  # noqa: FBT003 - the first length that does


@dataclass
class Repetition:
    """Questions that are asked again over a second connection, the last one first, and what came of it."""

    questions: Sequence[NamedCall]
    on_question: Callable[[int], None] = lambda _: None  # hears the index of each question that is answered
    where: str = "in another order"  # how it was asked, in words that go on after an answer
    outcomes: dict[int, Outcome] = field(default_factory=dict)  # by the index of a question
    lost: dict[int, Lost] = field(default_factory=dict)  # index -> how the process was lost in it
    ended: str = ""  # why not everything was asked; empty if it was
    _order: list[int] = field(default_factory=list)

    def ask(self, connection: Connection, again: Iterable[int]) -> None:
        """Ask the questions of these indices. In a fresh process under another hash seed, hidden state shows too."""
        self._order = sorted(again, reverse=True)
        for start in range(0, len(self._order), _AT_ONCE):
            indices = self._order[start : start + _AT_ONCE]
            report = connection.ask([self.questions[index].call for index in indices])
            self.outcomes |= dict(zip(indices[: report.known], report.outcomes, strict=False))
            for incident in report.incidents:
                if incident.index is not None:
                    self.lost.setdefault(indices[incident.index], incident.outcome)
            for index in indices[: report.known]:
                self.on_question(index)
            self.ended = report.ended
            if self.ended:
                break

    def before(self, index: int) -> Sequence[NamedCall]:
        """Return the calls that were made before a question was put."""
        return [self.questions[each] for each in self._order[: self._order.index(index)]]


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
    """Return how a process ended in a question that did no harm in a new process: by an earlier call, or chance."""
    # If an earlier call used up the memory or the time, that is not an answer that changed.
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
        example = laboratory.explained
        return f"{change.text}; {example} shows with what" if example else change.text, None
    if pair is None:
        return change.text, None
    laboratory.explained = laboratory.explained or named_call.id
    return pair.text, pair
