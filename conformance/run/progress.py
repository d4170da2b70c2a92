"""How far a list of calls has come, told from the lines of one worker after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rankspec.conformance.implementations.arguments import size
from rankspec.conformance.implementations.messages import Call, Result, Started
from rankspec.conformance.implementations.protocol import ProtocolError, batch_line, parse_answer
from rankspec.conformance.run.outcomes import Incident, Lost, Outcome, outcome_of

_BATCH_CALLS = 200
_BATCH_DOCUMENTS = 20_000


@dataclass
class Progress:
    """What is known of the calls, in order; the next one is number ``len(outcomes)``.

    ``first`` is the sequence number of the first call: numbers are not used twice.
    """

    calls: Sequence[Call]
    first: int
    outcomes: list[Outcome] = field(default_factory=list)
    mutated: set[int] = field(default_factory=set)
    again: dict[int, Outcome] = field(default_factory=dict)
    incidents: list[Incident] = field(default_factory=list)
    started: bool = False
    """Whether the present worker has said that it makes the next call."""

    @property
    def complete(self) -> bool:
        """Whether every call has its outcome."""
        return len(self.outcomes) == len(self.calls)

    def batches(self) -> Iterator[bytes]:
        """Give what a new worker is to be asked: the calls that are left, in batches of limited size."""
        self.started = False
        start = len(self.outcomes)
        while start < len(self.calls):
            end, documents = start, 0
            while end < len(self.calls) and end - start < _BATCH_CALLS and documents < _BATCH_DOCUMENTS:
                documents += size(self.calls[end].arguments)
                end += 1
            yield batch_line(self.first + start, self.calls[start:end])
            start = end

    def hear(self, line: bytes) -> bool:
        """Take in a worker's line and say whether it is an answer.

        Raises ``ProtocolError`` for anything but ``started`` and then ``result`` with the number that is due.
        """
        message = parse_answer(line)
        due = self.first + len(self.outcomes)
        if message.seq != due or self.complete:
            raise ProtocolError(f"seq {message.seq} where {due} was due")
        if isinstance(message, Started) is self.started:
            raise ProtocolError(f"call {due} has {'' if self.started else 'not '}been started already")
        self.started = isinstance(message, Started)
        if not isinstance(message, Result):
            return False
        if message.mutated:
            self.mutated.add(len(self.outcomes))
        if message.again is not None:
            self.again[len(self.outcomes)] = outcome_of(message.again)
        self.outcomes.append(outcome_of(message.answer))
        return True

    def blame(self, lost: Lost) -> None:
        """Give the next call the loss of the worker as its outcome."""
        self.outcomes.append(lost)

    def excuse(self, lost: Lost) -> None:
        """Note the loss; the next call is to be asked again."""
        self.incidents.append(Incident(len(self.outcomes) if self.started else None, lost))
