"""What `witness` finds, and how the two answers are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rankspec.conformance.cases.exact import decimal_text, parse_exact
from rankspec.conformance.checks.minimal_pair import outcome_text
from rankspec.conformance.infer.witness.sides import ANY, Answer, Side, Wanted, mean_of
from rankspec.conformance.infer.witness.small_inputs import Size
from rankspec.conformance.questions.expectation import Expectation
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery, Raised
from rankspec.oracle.conventions.measure import Measure

SEPARATED, EQUIVALENT = "separated", "equivalent"
"""What a search ends with: an input on which the two part, or none up to a bound."""


@dataclass(frozen=True)
class Fault:
    """An axis at fault, with the values on it that each side has, or that its answer fits.

    Attributes:
        suffices: this axis alone makes the difference.
    """

    axis: str
    a: tuple[str, ...]
    b: tuple[str, ...]
    suffices: bool


@dataclass(frozen=True)
class AxisWitness:
    """The smallest input on which A parts from A with one axis changed to B's value; of implementations, from B.

    Attributes:
        values: the exact values of A, and of A with the axis changed; of implementations, what A and B returned.
        settings: the values on the axis that the answers of implementations fit.
    """

    axis: str
    given: Mapping[str, Any]
    values: tuple[str, str]
    settings: tuple[tuple[str, ...], tuple[str, ...]] | None = None


@dataclass(frozen=True)
class Witness:
    """What `witness` found.

    Attributes:
        measure: the measure, and `stated` whether the caller named it.
        sides: A and B, as they were named.
        versions: the versions of implementations.
        given: the input, in the form of a fixture case; None if they agree as far as was looked.
        size: how small it is.
        texts: both values: exact ones of conventions, what implementations returned.
        decimals: the same as decimals.
        axes: the axes at fault.
        bound: they agree on every input of at most so many documents.
        smallest: no smaller input separates them.
        examined: how many inputs were evaluated or asked.
        same: the measure depends on nothing on which the two conventions differ, so they agree on everything.
        repeated: implementations gave the same answers when asked once more.
        narrower: kinds of input on which implementations agree up to more documents than the bound.
        sampled: how many larger inputs implementations were asked besides, which are no exhaustive list.
        by_axis: where two differ on several axes, the smallest input for each of them alone; of implementations, of
            those that were asked.
        wanted: which inputs counted.
        told: what shape each one's answers told, in words; empty where nothing had to be asked.
    """

    measure: Measure
    stated: bool
    sides: tuple[Side, Side]
    versions: tuple[str | None, str | None]
    given: Mapping[str, Any] | None
    size: Size | None
    texts: tuple[str, str] | None
    decimals: tuple[str, str] | None
    axes: tuple[Fault, ...]
    bound: int
    smallest: bool = True
    examined: int = 0
    same: bool = False
    repeated: bool = True
    narrower: Mapping[str, int] = field(default_factory=dict)
    sampled: int = 0
    by_axis: tuple[AxisWitness, ...] = ()
    wanted: Wanted = ANY
    told: tuple[str, str] = ("", "")

    @property
    def status(self) -> str:
        """`separated` or `equivalent`."""
        return EQUIVALENT if self.given is None else SEPARATED


def decimal(exact: str) -> str:
    """Write an exact value as a decimal."""
    return decimal_text(parse_exact(exact))


def answer_text(answer: Answer) -> str:
    """Write an exact value, or what an implementation returned: a number, or the exception's name."""
    if isinstance(answer, Expectation):
        return answer.text
    number = mean_of(answer)
    if number is not None:
        return _number_text(number)
    return answer.type if isinstance(answer, Raised) else _other_text(answer)


def _number_text(number: Number) -> str:
    value = number.value
    return repr(float(value)) if not hasattr(value, "name") else str(getattr(value, "value", value))


def _other_text(answer: Outcome) -> str:
    return "no queries" if isinstance(answer, PerQuery) else outcome_text(answer)


def answer_decimal(answer: Answer) -> str:
    """Write the same as a decimal where it is exact."""
    return decimal(answer.text) if isinstance(answer, Expectation) else answer_text(answer)
