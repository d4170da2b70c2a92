"""Identification of a function in this process: what it is asked and what is concluded is the same, without workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isnan
from pathlib import Path

from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery, Raised
from rankspec.conformance.settle.identify.identification import Identification
from rankspec.conformance.settle.identify.identify import _found
from rankspec.conformance.settle.identify.interview import Inquiry
from rankspec.conformance.settle.identify.plan import plan_for
from rankspec.conformance.worker.arguments import natives
from rankspec.conformance.worker.messages import ANY_MEASURE, Call, Hello
from rankspec.conformance.worker.shapes import tell
from rankspec.conformance.worker.values import Special
from rankspec.oracle import parse_measure


class Direct:
    """What an interview is to an inquiry: it asks the function itself."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function
        self._signature = tell(function)
        self.hello = Hello("f", None, None, self._signature.shape, None, {ANY_MEASURE: self._signature})
        self.answers: dict = {}
        self.mutated: list = []
        self.change = None
        self.calls = 0
        self.seconds_a_call = 0.0

    def ask(self, puts: Sequence, *, twice: bool = True) -> list[Outcome]:
        for each in puts:
            if each not in self.answers:
                self.answers[each] = self._asked(each.call)
        return [self.answers[each] for each in puts]

    def settle(self, again: Sequence) -> None:
        """There is no other process to compare with."""

    def raw(self, calls: Sequence[Call]) -> tuple[Outcome, ...]:
        return tuple(map(self._asked, calls))

    def _asked(self, call: Call) -> Outcome:
        self.calls += 1
        given = natives(call.arguments, Path("unused"))
        given = {name: value for name, value in given.items() if name in self._signature.natives}
        if call.k is not None:
            given["k"] = call.k
        try:
            return _outcome(self._function(**given))
        except (ZeroDivisionError, ValueError, IndexError, KeyError) as error:
            return Raised(type(error).__name__, str(error))


def _outcome(result: object) -> Outcome:
    if isinstance(result, dict):
        return PerQuery({query: _number(value) for query, value in result.items()})
    return _number(result)


def _number(value) -> Number:
    return Number(Special.NAN if isnan(value) else Fraction(value), "float")


def identified(function: Callable[..., object], measure: str) -> Identification:
    """Identify a function as `rankspec identify --measure` does."""
    interview = Direct(function)
    plan = plan_for(parse("sklearn"), interview.hello, parse_measure(measure))
    return _found(Inquiry(plan, interview))
