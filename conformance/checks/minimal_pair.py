"""The smallest pair of calls that shows that an answer changes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from rankspec.conformance.checks.outcome_text import outcome_text
from rankspec.conformance.run.outcomes import Crashed, Outcome, OutOfMemory, TimedOut
from rankspec.conformance.worker.arguments import arguments_message, shape_of
from rankspec.conformance.worker.messages import Call


class Cause(Enum):
    """What an answer changes with."""

    EARLIER_CALL = "earlier-call"
    """With a call that was made before it in the same process."""
    NEIGHBOUR = "neighbour"
    """With a query that stands beside the others."""
    HASH_SEED = "hash-seed"
    """With PYTHONHASHSEED: with the order in which a set or a hash is gone through."""
    CHANCE = "chance"
    """With nothing: alone in a fresh process it is now this, now that."""
    CHANGED_ARGUMENTS = "changed-arguments"
    """With its own arguments, which it had changed."""


@dataclass(frozen=True)
class Made:
    """A call that was made.

    Attributes:
        id: of the question.
        odd: what was added or put in its place; empty if it is the question itself.
    """

    id: str
    call: Call
    odd: str = ""
    beside: bool = False

    @property
    def text(self) -> str:
        """Which call it is, in words."""
        if not self.odd:
            return self.id
        return f"{self.id} with {self.odd} beside it" if self.beside else self.odd

    @property
    def data(self) -> dict[str, Any]:
        """The call as plain data, with the arguments as the line protocol has them."""
        call = self.call
        return {
            "id": self.id,
            "odd": self.odd or None,
            "measure": call.measure,
            "shape": shape_of(call.arguments).value,
            "k": call.k,
            "rel": call.rel,
            "arguments": arguments_message(call.arguments),
        }


@dataclass(frozen=True)
class Pair:
    """Two calls, or one call twice.

    Attributes:
        call: the one whose answer changes.
        other: the one that it changes with; None if there is no other.
        alone: what is answered without the other one (or the first time).
        together: what is answered after it, or with it (or the second time); None if nothing is.
        more: how many further calls have to be made between the two.
        query: whose value changes, where a value a query is answered.
    """

    cause: Cause
    call: Made
    other: Made | None
    alone: Outcome | None
    together: Outcome | None
    more: int = 0
    query: str = ""

    @property
    def text(self) -> str:
        """The finding in a line."""
        alone, together = words_of(self.alone), words_of(self.together)
        match self.cause:
            case Cause.EARLIER_CALL:
                more = f" and {self.more} more call{'s' if self.more > 1 else ''}" if self.more else ""
                after = self.other.text if self.other else ""
                return f"after {after}{more}, {self.call.text} gives {together}; alone it gives {alone}"
            case Cause.NEIGHBOUR:
                odd = self.other.odd if self.other else ""
                return f"with {odd} beside it, query {self.query} gets {together}; without it {alone}"
            case Cause.HASH_SEED:
                return (
                    f"{alone} where PYTHONHASHSEED is 0, {together} where it is 1, alone in a fresh process each time"
                )
            case Cause.CHANCE:
                return f"{alone}, then {together}, asked the same alone in fresh processes"
            case Cause.CHANGED_ARGUMENTS:
                return f"{alone}, then {together} from the same arguments, which it had changed"

    @property
    def data(self) -> dict[str, Any]:
        """The pair as plain data."""
        return {
            "cause": self.cause.value,
            "call": self.call.data,
            "with": None if self.other is None else self.other.data,
            "more_calls": self.more,
            "query": self.query or None,
            "alone": words_of(self.alone),
            "together": words_of(self.together),
        }


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
