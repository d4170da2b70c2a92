"""What identification finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from rankspec.conformance.checks.minimal_pair import MinimalPair
from rankspec.conformance.worker.messages import Hello
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure


class Status(Enum):
    """How an identification ends."""

    IDENTIFIED = "identified"
    """One class of conventions is left, which no input in this shape can tell apart."""
    AMBIGUOUS = "ambiguous"
    """Several classes are left: the answers leave them open (what would tell them apart was refused)."""
    OUTSIDE = "outside"
    """No convention explains all answers."""
    UNSTABLE = "unstable"
    """The same question had different answers."""
    FAILED = "failed"
    """There are no numbers to go by."""


@dataclass(frozen=True)
class Counterexample:
    """An input on which the implementation and a convention part (or on which it changed its answer).

    Attributes:
        given: the input in the form of the implementation's shape, as in a case file.
        measure: the measure it was asked for.
        got: what it answered.
        exact: what the convention demands; for an unstable implementation the second answer.
        convention: the canonical text of the convention.
    """

    given: Mapping[str, Any]
    measure: str
    got: str
    exact: str
    convention: str | None


@dataclass(frozen=True)
class Identification:
    """Which conventions fit everything that an implementation answered.

    Attributes:
        implementation: as the user wrote it.
        measure: the measure; one with the cutoff 10 stands for every cutoff where the implementation takes it.
        axes: axis -> the texts of the values that still fit, for every axis that the shape can show.
        open_axes: axes of `axes` that the answers leave open, though the shape could show them.
        unused: axes of `axes` that change nothing under the conventions that fit.
        not_observable: axes that the shape can't show.
        classes: the conventions that fit, in classes that can't be told apart, the simplest first.
        texts: their canonical texts, a representative of each class first.
        nearest: where nothing fits, the convention that explains the most.
        explained: where nothing fits: deviations or observations account for every answer.
        deviations: what it does that no convention says.
        pair: of an unstable one, the smallest pair of calls found that shows it.
        hello: what it says of itself.
        snippet: lines that show it when they are pasted.
        asked: how many calls were made, of how many different probes.
        stopped: what was searched for until a budget was spent -> the predictions that it took.
    """

    implementation: str
    version: str | None
    shape: str
    measure: Measure
    status: Status
    axes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    open_axes: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    not_observable: tuple[str, ...] = ()
    classes: tuple[tuple[Convention, ...], ...] = ()
    texts: tuple[str, ...] = ()
    observations: tuple[str, ...] = ()
    witness: Counterexample | None = None
    nearest: str | None = None
    explained: bool = False
    deviations: tuple[str, ...] = ()
    pair: MinimalPair | None = None
    hello: Hello | None = field(default=None, repr=False, compare=False)
    snippet: tuple[str, ...] = ()
    asked: int = 0
    stopped: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def is_good(self) -> bool:
        """Whether the finding is a good one: exit status 0."""
        return self.explained or self.status in {Status.IDENTIFIED, Status.AMBIGUOUS}
