"""What can come of a call, as frozen values, and of a whole list of calls, as a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Protocol

from rankspec.conformance.worker import messages
from rankspec.conformance.worker.values import Special, one_line, parse_typed

_LONGEST_TEXT = 500


@dataclass(frozen=True)
class Number:
    """A number, exactly, and the name of the type in which it was returned (``float``, ``numpy.float32``).

    ``unit`` is that of the last digit of a number that was printed, and so rounded; 0 for every other.
    """

    value: Fraction | Special
    type_name: str
    unit: Fraction = Fraction(0)


@dataclass(frozen=True)
class PerQuery:
    """A number a query, in the order in which they were returned, and that of the whole set where it is told too."""

    values: Mapping[str, Number]
    overall: Number | None = None

    def __post_init__(self) -> None:
        """Keep a copy that nobody can change."""
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))


@dataclass(frozen=True)
class Malformed:
    """Something was returned that is neither."""

    reason: str


@dataclass(frozen=True)
class Raised:
    """An exception was raised, ``SystemExit`` and ``KeyboardInterrupt`` included."""

    type: str
    message: str


@dataclass(frozen=True)
class Crashed:
    """The process ended: ``exit code 3``, ``SIGSEGV``. ``output`` is the tail of what it printed."""

    how: str
    output: str = field(default="", compare=False)


@dataclass(frozen=True)
class TimedOut:
    """There was no answer within so many seconds. ``remark`` is what may help to see why."""

    seconds: float
    remark: str = field(default="", compare=False)


@dataclass(frozen=True)
class OutOfMemory:
    """The process and its children were ended when they had so many bytes resident."""

    bytes: int


Lost = Crashed | TimedOut | OutOfMemory  # How a worker is lost


@dataclass(frozen=True)
class NotCalled:
    """The call was not made."""

    reason: str


@dataclass(frozen=True)
class Declined(NotCalled):
    """The implementation says that it does not take such a call."""


Outcome = Number | PerQuery | Malformed | Raised | Lost | NotCalled


def is_refusal(outcome: Outcome) -> bool:
    """Tell whether a value is refused, by an exception or by None in its place."""
    return isinstance(outcome, Raised) or (isinstance(outcome, Malformed) and outcome.reason.endswith("NoneType, None"))


def is_error(outcome: Outcome) -> bool:
    """Tell whether there is no answer, though there was a question."""
    return is_refusal(outcome) or not isinstance(outcome, Number | PerQuery | Malformed | NotCalled)


def is_unanswered(outcome: Outcome) -> bool:
    """Tell whether time ran out before there was an answer: nothing follows from that. A call declined is an answer."""
    return isinstance(outcome, TimedOut) or type(outcome) is NotCalled


@dataclass(frozen=True)
class Incident:
    """A worker was lost during a call that did no harm when it was asked again, first in a new process.

    So an earlier call is to blame, or chance. ``index`` is that of the call, ``None`` between two calls.
    """

    index: int | None
    outcome: Lost


@dataclass(frozen=True)
class Report:
    """The outcome of each call, in the order of the calls.

    ``mutated`` are the indices of the calls that changed their arguments, ``output`` is the tail of what the
    implementation printed, which no outcome depends on. ``again`` has, by index, what it answered to a call
    whose arguments it had changed when it was given these once more. ``ended`` is the reason why the last calls
    were not made, if they were not.
    """

    hello: messages.Hello
    outcomes: tuple[Outcome, ...]
    mutated: frozenset[int] = frozenset()
    incidents: tuple[Incident, ...] = ()
    output: str = field(default="", compare=False)
    again: Mapping[int, Outcome] = field(default_factory=lambda: MappingProxyType({}))
    ended: str = ""

    @property
    def known(self) -> int:
        """How many calls have another outcome than that they were not made in the end."""
        unasked = 0
        while unasked < len(self.outcomes) and self.ended and self.outcomes[-1 - unasked] == NotCalled(self.ended):
            unasked += 1
        return len(self.outcomes) - unasked


def mean_of(outcome: Outcome | None) -> Number | None:
    """Return the number of an outcome, where there is one a query that of the set, or the mean: nan of no numbers."""
    if not isinstance(outcome, PerQuery):
        return outcome if isinstance(outcome, Number) else None
    numbers = list(outcome.values.values())
    values = [number.value for number in numbers if isinstance(number.value, Fraction)]
    if outcome.overall is not None or len(values) < len(numbers) or not numbers:
        return outcome.overall or Number(Special.NAN, "float")
    return replace(numbers[0], value=sum(values, Fraction(0)) / len(values))


class Connection(Protocol):
    """An implementation that answers. What it is asked, and in which order, never depends on how long it takes."""

    @property
    def hello(self) -> messages.Hello:
        """What it says of itself: its name, its version, its shape, and the signature of each measure."""

    def ask(self, calls: Sequence[messages.Call], on_outcome: Callable[[int, Outcome], None] | None = None) -> Report:
        """Ask calls in order, and report what came of each, whatever it was.

        ``on_outcome`` is given the index of each call and its outcome, once it is known.
        """


def outcome_of(answer: messages.Answer) -> Outcome:
    """Read a worker's answer."""
    try:
        match answer:
            case messages.Value(value):
                return _number(value)
            case messages.Values(values, overall):
                whole = None if overall is None else _number(overall)
                return PerQuery({query: _number(value) for query, value in values}, whole)
            case messages.Unusable(reason):
                return Malformed(one_line(reason, _LONGEST_TEXT))
            case messages.Errored(error, message):
                return Raised(one_line(error, _LONGEST_TEXT), one_line(message, _LONGEST_TEXT))
            case messages.Died(how):
                return Crashed(one_line(how, _LONGEST_TEXT))
            case messages.Skipped(reason):
                return Declined(one_line(reason, _LONGEST_TEXT))
    except ValueError as no_number:
        return Malformed(f"its result is not an answer: {one_line(str(no_number), _LONGEST_TEXT)}")


def _number(value: messages.WireNumber) -> Number:
    number, unit = parse_typed(value.number, value.type)
    return Number(number, value.type, unit)
