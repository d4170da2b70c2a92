"""How far a run is, and what it knows while batches are under way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from rankspec.conformance.run.outcomes import Incident, Lost, Outcome, outcome_of
from rankspec.conformance.worker.messages import Call, Result, Started
from rankspec.conformance.worker.protocol import ProtocolError, batch_line, parse_answer

_BATCH_CALLS = 200
_BATCH_DOCUMENTS = 20_000


OnOutcome = Callable[[int, Outcome], None]


class AnsweredTwiceError(ProtocolError):
    """A second answer to a call; ``index`` is the call's."""

    def __init__(self, index: int, seq: int) -> None:
        super().__init__(f"a second result for call {seq}")
        self.index = index


@dataclass
class Progress:
    """What is known of the calls, in order; the next one is number ``len(outcomes)``.

    ``first`` is the sequence number of the first call: numbers are not used twice. ``is_program`` says that the
    worker need not say that it starts a call: it is taken to be at the one that is due.
    """

    calls: Sequence[Call]
    first: int
    is_program: bool = False
    listener: OnOutcome | None = None  # is given the index of each call and its outcome, once it is known
    outcomes: list[Outcome] = field(default_factory=list)
    mutated: set[int] = field(default_factory=set)
    again: dict[int, Outcome] = field(default_factory=dict)
    incidents: list[Incident] = field(default_factory=list)
    numpy_features: tuple[str, ...] = ()
    started: bool = False  # Whether the present worker has said that it makes the next call
    _doubted: tuple[int, Lost] | None = None
    _asked_from: int = 0
    _told: int = 0

    @property
    def under_way(self) -> bool:
        """Whether the present worker is at the next call, as far as is known."""
        return self.started or self.is_program

    @property
    def complete(self) -> bool:
        """Whether every call has its outcome."""
        return len(self.outcomes) == len(self.calls)

    def batches(self) -> Iterator[bytes]:
        """Give what a new worker is to be asked: the calls that are left, in batches of limited size."""
        self.started = False
        self._asked_from = start = len(self.outcomes)
        while start < len(self.calls):
            end, documents = start, 0
            while end < len(self.calls) and end - start < _BATCH_CALLS and documents < _BATCH_DOCUMENTS:
                documents += self.calls[end].arguments.size
                end += 1
            yield batch_line(self.first + start, self.calls[start:end])
            start = end

    def hear(self, line: bytes) -> bool:
        """Take in a worker's line and say whether it is an answer.  Raises ``ProtocolError``."""
        # Only ``started`` is expected, and then ``result`` with the number that is due.
        message = parse_answer(line)
        due = self.first + len(self.outcomes)
        if self.is_program and self._asked_from <= message.seq - self.first < len(self.outcomes):
            raise AnsweredTwiceError(message.seq - self.first, message.seq)
        if self.complete:
            raise ProtocolError(f"seq {message.seq} where no result was expected")
        if message.seq != due:
            raise ProtocolError(f"seq {message.seq} where {due} was expected")
        if isinstance(message, Started) is self.started and (self.started or not self.is_program):
            raise ProtocolError(f"call {due} has {'' if self.started else 'not '}been started already")
        self.started = isinstance(message, Started)
        if not isinstance(message, Result):
            return False
        self.settle()
        if message.mutated:
            self.mutated.add(len(self.outcomes))
        if message.again is not None:
            self.again[len(self.outcomes)] = outcome_of(message.again)
        self.numpy_features = message.numpy_features or self.numpy_features
        self.outcomes.append(outcome_of(message.answer))
        return True

    def tell(self) -> None:
        """Tell the listener what has come to be known since the last time, in order."""
        while self.listener is not None and self._told < len(self.outcomes):
            self._told += 1
            self.listener(self._told - 1, self.outcomes[self._told - 1])

    def blame(self, lost: Lost) -> None:
        """Give the next call the loss of the worker as its outcome."""
        self._doubted = None
        self.outcomes.append(lost)

    def excuse(self, lost: Lost) -> None:
        """Note the loss; the next call is to be asked again."""
        self.incidents.append(Incident(len(self.outcomes) if self.under_way else None, lost))

    def doubt(self, index: int, lost: Lost) -> None:
        """Hold the loss of the worker against a call that was answered, unless the next one turns out to be at fault.

        What looks like a second answer to one call may be that of the next under a wrong number.
        """
        self._doubted = (index, lost)

    @property
    def is_in_doubt(self) -> bool:
        """Whether it depends on the next call whose fault the loss of the worker is."""
        return self._doubted is not None

    def settle(self) -> None:
        """Give a call that is in doubt the loss of the worker as its outcome: the next one was not at fault."""
        if self._doubted is not None:
            index, lost = self._doubted
            self.outcomes[index] = lost
            self._doubted = None
