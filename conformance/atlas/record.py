"""A record of the atlas: what one library at one version was found to do, measure by measure.

A record says what was measured and how; what was not measured is not in it. It is made by a command out of what
`identify` answered, never by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.implementations.pinned import normalised
from rankspec.oracle.conventions.convention import AXES, Convention
from rankspec.oracle.language.expression import parse_expression, parse_measure

SCHEMA = "rankspec/atlas-record/1"


@dataclass(frozen=True)
class Smallest:
    """The smallest input found on which an implementation and a convention part."""

    input: Mapping[str, Any]  # in the form of a fixture case
    measure: str  # what was asked for
    got: str  # the answer
    exact: str  # what the convention demands; the second answer of an unstable implementation
    convention: str | None  # the convention, with its measure; None if there is none


@dataclass(frozen=True)
class VersionChange:
    """Two versions, next to each other among those that can be asked, that answer otherwise."""

    before: str  # the last version that answers the old way; `since` the first one that answers the new way
    since: str
    unasked: tuple[str, ...]  # the versions between them, none of which could be asked
    differing: int  # how many of the `compared` inputs they answer otherwise
    compared: int = field(metadata={"name": "asked"})
    input: Mapping[str, Any]  # the smallest of these; `old` and `new` are the answers
    old: str
    new: str


@dataclass(frozen=True)
class VersionHistory:
    """What was found over the published versions, by bisection."""

    versions: tuple[str, ...]  # those that answered, oldest first
    failed: Mapping[str, str]  # version -> why it could not be asked
    changes: tuple[VersionChange, ...]  # oldest first. What came and went again between versions is not seen
    command: str
    date: str

    @property
    def since(self) -> str:
        """The first version that is known to answer as the last one does."""
        return self.changes[-1].since if self.changes else self.versions[0]


@dataclass(frozen=True)
class Tool:
    """The rankspec that measured."""

    version: str  # of the distribution; `commit` of its checkout, None where it was none
    commit: str | None
    source: str  # a digest of the source that a finding rests on: the oracle, the search, the worker and the adapter


class State(Enum):
    """What is known of an axis."""

    SEEN = "seen"
    ONE_OF = "seen as one of these"
    HIDDEN = "can't be seen in this way of calling"
    FAILED = "our call failed"
    NOTHING = ""  # The value does not depend on the axis, or nothing that was found explains the answers


@dataclass(frozen=True)
class Measured:
    """What was found of one measure of a library."""

    spec: str  # the implementation that was asked, as in `rankspec identify SPEC`
    measure: str  # what it was asked for
    how: str  # how the library is called, in words
    shape: str  # of the call
    status: str  # `identified`, `ambiguous`, `outside`, `unstable` or `failed`
    axes: Mapping[str, tuple[str, ...]]  # axis -> the values that still fit, for what the shape can show
    undecided: tuple[str, ...]  # axes of `axes` that the answers leave open
    unused: tuple[str, ...]  # axes of `axes` that change nothing under what fits
    not_observable: tuple[str, ...]  # axes that the shape can't show
    conventions: tuple[str, ...]  # what fits, the simplest first
    # what it follows apart from deviations; where nothing fits, what explains most, if that is at least half
    nearest: str | None
    observations: tuple[str, ...]  # what no convention says, in words
    smallest: Smallest | None  # where it parts from the nearest convention
    remark: str | None  # what a person found out besides
    command: str  # what was run; `environment` where
    environment: str
    python: str
    platform: str
    date: str  # when, as YYYY-MM-DD
    calls: int = field(metadata={"name": "asked"})  # how many were made
    # since when it answers so, and what it answered before; None if its other versions were not asked
    versions: VersionHistory | None = field(default=None, metadata={"absent": True})
    explained: bool = False  # whether a convention, with `deviations` if it has some, accounts for every answer
    deviations: tuple[str, ...] = ()  # what it does that no convention says; `axes` are what it does besides
    answered: tuple[int, int] | None = None  # questions, and how many were answered with numbers; None if not counted
    tool: Tool | None = None  # the rankspec that measured; None where an older one did not say

    @property
    def implementation(self) -> str:
        """What was asked, without a version."""
        return self.spec.partition("==")[0]

    @property
    def expression(self) -> str | None:
        """The measure under the convention that fits, or that is nearest."""
        return self.conventions[0] if self.conventions else self.nearest

    @property
    def is_whole(self) -> bool:
        """Whether a convention says all that it does."""
        return bool(self.conventions)

    @property
    def convention(self) -> Convention | None:
        """The convention that fits, or that is nearest; None if there is neither."""
        return None if self.expression is None else parse_expression(self.expression)[1]

    def state(self, axis: str) -> State:
        """Tell what is known of an axis."""
        if axis in self.not_observable:
            return State.HIDDEN
        if self.status == "failed":
            return State.FAILED if axis in parse_measure(self.measure).family.axes else State.NOTHING
        if self.deviation(axis):
            return State.SEEN
        is_unexplained = self.status == "outside" and not self.explained
        if is_unexplained or axis in self.unused or not self.axes.get(axis):
            return State.NOTHING
        return State.SEEN if len(self.axes[axis]) == 1 else State.ONE_OF

    def cell(self, axis: str) -> str:
        """Write what is known of an axis: the values that fit, `-` where it can't be seen, `!` of a failed call."""
        match self.state(axis):
            case State.FAILED:
                return "!"
            case State.HIDDEN:
                return "-"
            case State.NOTHING:
                return ""
            case _:
                return self.deviation(axis) or "/".join(self.axes[axis])

    def is_followed(self, *, has_ties: bool) -> bool:
        """Tell whether a convention says all that it does on such data: without ties their order does not matter."""
        in_order = self.explained and all(each.startswith("ties: ") for each in self.deviations)
        return self.is_whole or (in_order and not has_ties)

    def deviation(self, axis: str) -> str | None:
        """Return what it does on an axis that is no value of it: `in no fixed order` of ties."""
        texts = (each.removeprefix(f"{axis}: ") for each in self.deviations if each.startswith(f"{axis}: "))
        return next((text.partition(" (")[0] for text in texts), None)


@dataclass(frozen=True)
class Record:
    """What is known of a library at a version."""

    library: str  # its distribution, or its name where it has none
    version: str | None  # None if no version could be measured
    licence: str | None = None  # as its own metadata says; `home` its home page
    home: str | None = None
    why: str | None = None  # why it could not be measured; None if it was
    measured: tuple[Measured, ...] = field(default=())  # what was measured

    @property
    def id(self) -> str:
        """The name of the record, and of its file."""
        name = normalised(self.library.replace("/", "-").replace("@", "").replace(" ", "-"))
        return name if self.version is None else f"{name}-{self.version}"

    @property
    def adapters(self) -> tuple[str, ...]:
        """The implementations that were asked, without versions."""
        return tuple(dict.fromkeys(each.implementation for each in self.measured))

    def name_of(self, each: Measured) -> str:
        """Return what was asked as a user names it: the adapter, or the library where a program was run."""
        return self.library if ":" in each.spec else each.implementation


def axes_in(records: tuple[Record, ...]) -> list[str]:
    """Return the axes on which something is known, in their order."""
    return [axis for axis in AXES if any(each.cell(axis) for record in records for each in record.measured)]


def as_data(record: Record) -> dict[str, Any]:
    """Return a record as its file has it."""
    status = "measured" if record.why is None else "not-measured"
    return {"schema": SCHEMA, "id": record.id, "status": status, **data_of(record)}
