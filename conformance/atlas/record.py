"""A record of the atlas: what one library at one version was found to do, measure by measure.

A record says what was measured and how; what was not measured is not in it. It is made by a command out of what
`identify` answered, never by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from rankspec.conformance.implementations.pinned import normalised
from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention, setting_text
from rankspec.oracle.language.expression import parse_expression

SCHEMA = "rankspec/atlas-record/1"


@dataclass(frozen=True)
class Smallest:
    """The smallest input found on which an implementation and a convention part.

    Attributes:
        input: in the form of a fixture case.
        measure: what was asked for.
        got: the answer.
        exact: what the convention demands; the second answer of an unstable implementation.
        convention: the convention, with its measure; None if there is none.
    """

    input: Mapping[str, Any]
    measure: str
    got: str
    exact: str
    convention: str | None


@dataclass(frozen=True)
class VersionChange:
    """Two versions, next to each other among those that can be asked, that answer otherwise.

    Attributes:
        before: the last version that answers the old way; `since` the first one that answers the new way.
        unasked: the versions between them, none of which could be asked.
        differing: how many of the `asked` inputs they answer otherwise.
        input: the smallest of these; `old` and `new` are the answers.
    """

    before: str
    since: str
    unasked: tuple[str, ...]
    differing: int
    asked: int
    input: Mapping[str, Any]
    old: str
    new: str


@dataclass(frozen=True)
class VersionsAsked:
    """What was found over the published versions, by bisection.

    Attributes:
        versions: those that answered, oldest first.
        failed: version -> why it could not be asked.
        changes: oldest first. Between versions that answer the same, what came and went again is not seen.
    """

    versions: tuple[str, ...]
    failed: Mapping[str, str]
    changes: tuple[VersionChange, ...]
    command: str
    date: str

    @property
    def since(self) -> str:
        """The first version that is known to answer as the last one does."""
        return self.changes[-1].since if self.changes else self.versions[0]


@dataclass(frozen=True)
class Measured:
    """What was found of one measure of a library.

    Attributes:
        spec: the implementation that was asked, as in `rankspec identify SPEC`.
        measure: what it was asked for.
        how: how the library is called, in words.
        shape: of the call.
        status: `identified`, `ambiguous`, `outside`, `unstable` or `failed`.
        axes: axis -> the values that still fit, for what the shape can show.
        undecided: axes of `axes` that the answers leave open.
        unused: axes of `axes` that change nothing under what fits.
        not_observable: axes that the shape can't show.
        conventions: what fits, the simplest first.
        nearest: where nothing fits, what explains the most.
        observations: what no convention says, in words.
        smallest: where it parts from the nearest convention.
        remark: what a person found out besides.
        command: what was run; `environment` where.
        date: when, as YYYY-MM-DD.
        asked: how many calls were made.
        versions: since when it answers so, and what it answered before; None if its other versions were not asked.
    """

    spec: str
    measure: str
    how: str
    shape: str
    status: str
    axes: Mapping[str, tuple[str, ...]]
    undecided: tuple[str, ...]
    unused: tuple[str, ...]
    not_observable: tuple[str, ...]
    conventions: tuple[str, ...]
    nearest: str | None
    observations: tuple[str, ...]
    smallest: Smallest | None
    remark: str | None
    command: str
    environment: str
    python: str
    platform: str
    date: str
    asked: int
    versions: VersionsAsked | None = None

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

    def cell(self, axis: str) -> str:
        """Write what is known of an axis: the values that fit, `~` and the nearest convention's, or `-` if hidden.

        Nothing is written of an axis that the measure does not have.
        """
        if axis in self.not_observable:
            return "-"
        if axis in self.axes:
            if axis in self.unused:
                return ""
            return "/".join(self.axes[axis])
        if self.is_whole or self.expression is None:
            return ""
        measure, convention = parse_expression(self.expression)
        return f"~{setting_text(getattr(convention, axis))}" if axis in measure.axes(convention) else ""


@dataclass(frozen=True)
class Record:
    """What is known of a library at a version.

    Attributes:
        library: its distribution, or its name where it has none.
        version: None if no version could be measured.
        licence: as its own metadata says; `home` its home page.
        why: why it could not be measured; None if it was.
        measured: what was measured.
    """

    library: str
    version: str | None
    licence: str | None = None
    home: str | None = None
    why: str | None = None
    measured: tuple[Measured, ...] = field(default=())

    @property
    def id(self) -> str:
        """The name of the record, and of its file."""
        name = normalised(self.library.replace("/", "-").replace("@", "").replace(" ", "-"))
        return name if self.version is None else f"{name}-{self.version}"

    @property
    def adapters(self) -> tuple[str, ...]:
        """The implementations that were asked, without versions."""
        return tuple(dict.fromkeys(each.spec.partition("==")[0] for each in self.measured))

    def name_of(self, each: Measured) -> str:
        """Return what was asked as a user names it: the adapter, or the library where a program was run."""
        return self.library if ":" in each.spec else each.spec.partition("==")[0]


def default_text(axis: str) -> str:
    """Return the default's value on an axis."""
    return setting_text(getattr(DEFAULT, axis))


def axes_in(records: tuple[Record, ...]) -> list[str]:
    """Return the axes on which something is known, in their order."""
    return [axis for axis in AXES if any(each.cell(axis) for record in records for each in record.measured)]


def as_data(record: Record) -> dict[str, Any]:
    """Return a record as its file has it."""
    data = asdict(record)
    for each in data["measured"]:
        if each["versions"] is None:  # not asked, not the finding that there are none
            del each["versions"]
    status = "measured" if record.why is None else "not-measured"
    return {"schema": SCHEMA, "id": record.id, "status": status, **data}


def from_data(data: Mapping[str, Any]) -> Record:
    """Read what `as_data` made; the schema has been checked."""
    return Record(
        data["library"],
        data["version"],
        data["licence"],
        data["home"],
        data["why"],
        tuple(map(_measured, data["measured"])),
    )


def _measured(data: Mapping[str, Any]) -> Measured:
    lists: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
    axes = {axis: tuple(values) for axis, values in data["axes"].items()}
    smallest = None if data["smallest"] is None else Smallest(**data["smallest"])
    versions = None if data.get("versions") is None else _versions(data["versions"])
    return Measured(**{**lists, "axes": axes, "smallest": smallest, "versions": versions})


def _versions(data: Mapping[str, Any]) -> VersionsAsked:
    changes = tuple(VersionChange(**{**each, "unasked": tuple(each["unasked"])}) for each in data["changes"])
    return VersionsAsked(**{**data, "versions": tuple(data["versions"]), "changes": changes})
