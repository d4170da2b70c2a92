"""What the harness and a worker say to each other, as frozen values; ``protocol`` writes and reads them.

Harness to worker: ``Start``, then batches of ``Call``. Worker to harness: ``Hello`` or ``Failed`` in answer
to ``Start``; for each call ``Started`` before it is made and ``Result`` after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankspec.conformance.implementations.arguments import Arguments
from rankspec.conformance.implementations.shapes import Shape, Signature
from rankspec.conformance.implementations.sources import Source

ANY_MEASURE = "*"
"""The measure of a function of one's own: it computes whatever the user says that it computes."""
CHANNEL_LOST = 74
"""Exit status of a worker whose descriptors the implementation closed or replaced."""


@dataclass(frozen=True, slots=True)
class Call:
    """One question: a measure, the arguments of a shape, the measure's cutoff and threshold if any."""

    measure: str
    arguments: Arguments
    k: int | None = None
    rel: int | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """What to load, under which stated shape, and the folder in which files may be written."""

    source: Source
    shape: Shape | None
    scratch: str


@dataclass(frozen=True)
class Hello:
    """What was loaded. ``functions`` maps a measure, or ``ANY_MEASURE``, to the way in which it is called."""

    name: str
    version: str | None
    python: str
    shape: Shape
    convention: str | None
    functions: Mapping[str, Signature]

    def signature(self, measure: str) -> Signature | None:
        """Give the way in which a measure is called, or none if there is no function for it."""
        return self.functions.get(measure, self.functions.get(ANY_MEASURE))


@dataclass(frozen=True, slots=True)
class Failed:
    """Nothing could be loaded: why, in one line. ``missing`` is the module that isn't installed, if any."""

    reason: str
    missing: str | None = None


@dataclass(frozen=True, slots=True)
class Started:
    """The call is about to be made: whatever happens from here on is its doing."""

    seq: int


@dataclass(frozen=True, slots=True)
class WireNumber:
    """A number as text, and the name of its type."""

    number: str
    type: str


@dataclass(frozen=True, slots=True)
class Value:
    """The function returned one number."""

    value: WireNumber


@dataclass(frozen=True, slots=True)
class Values:
    """The function returned a number a query."""

    values: tuple[tuple[str, WireNumber], ...]


@dataclass(frozen=True, slots=True)
class Unusable:
    """The function returned something else."""

    reason: str


@dataclass(frozen=True, slots=True)
class Errored:
    """The function raised an exception."""

    error: str
    message: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """The function was not called, since it does not take such a call."""

    reason: str


Answer = Value | Values | Unusable | Errored | Skipped


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to a call, and whether the function changed what it was given.

    If it did, ``again`` is its answer when it is given once more what it has changed.
    """

    seq: int
    answer: Answer
    mutated: bool = False
    again: Answer | None = None
