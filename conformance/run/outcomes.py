"""What can come of a call, as frozen values, and of a whole list of calls, as a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

from rankspec.conformance.implementations.messages import (
    Answer,
    Errored,
    Hello,
    Skipped,
    Unusable,
    Value,
    Values,
    WireNumber,
)
from rankspec.conformance.implementations.protocol import ProtocolError
from rankspec.conformance.implementations.values import Special, parse_number


@dataclass(frozen=True)
class Number:
    """A number, exactly, and the name of the type in which it was returned (``float``, ``numpy.float32``)."""

    value: Fraction | Special
    type_name: str


@dataclass(frozen=True)
class PerQuery:
    """A number a query, in the order in which they were returned."""

    values: Mapping[str, Number]

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
    """There was no answer within so many seconds."""

    seconds: float


@dataclass(frozen=True)
class OutOfMemory:
    """The process and its children were ended when they had so many bytes resident."""

    bytes: int


Lost = Crashed | TimedOut | OutOfMemory
"""How a worker is lost."""


@dataclass(frozen=True)
class NotAsked:
    """The call was not made."""

    reason: str


Outcome = Number | PerQuery | Malformed | Raised | Lost | NotAsked


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
    whose arguments it had changed when it was given these once more.
    """

    hello: Hello
    outcomes: tuple[Outcome, ...]
    mutated: frozenset[int] = frozenset()
    incidents: tuple[Incident, ...] = ()
    output: str = field(default="", compare=False)
    again: Mapping[int, Outcome] = field(default_factory=lambda: MappingProxyType({}))


def outcome_of(answer: Answer) -> Outcome:
    """Read a worker's answer.  Raises ``ProtocolError`` if a number in it is none."""
    match answer:
        case Value(value):
            return _number(value)
        case Values(values):
            return PerQuery({query: _number(value) for query, value in values})
        case Unusable(reason):
            return Malformed(reason)
        case Errored(error, message):
            return Raised(error, message)
        case Skipped(reason):
            return NotAsked(reason)


def _number(value: WireNumber) -> Number:
    try:
        return Number(parse_number(value.number), value.type)
    except ValueError as error:
        raise ProtocolError(f"result: not a number: {error}") from error
