"""The records of the atlas as rows of a matrix: a library, the versions that answer alike, and a measure each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rankspec.conformance.atlas.measuring import is_stale
from rankspec.conformance.atlas.record import Measured, Record, State
from rankspec.conformance.atlas.records import changes, history, order
from rankspec.conformance.implementations.pinned import normalised
from rankspec.conformance.reports.atlas import words
from rankspec.oracle.conventions.convention import AXES
from rankspec.oracle.conventions.other_names import other_names_of
from rankspec.oracle.language.expression import parse_measure

_FIRST = ("denominator", "ties", "no_relevant", "missing_query", "depth", "no_hits", "score_precision", "duplicates")
"""Axes in which libraries differ most, and by which numbers change most; the others follow in their order."""


_USED_MOST = (
    "scikit-learn",
    "torchmetrics",
    "pytrec-eval-terrier",
    "ir-measures",
    "ranx",
    "xgboost",
    "lightgbm",
    "catboost",
    "sentence-transformers",
    "pyspark",
    "beir",
    "recommenders",
    "recbole",
    "ragas",
    "pytorch-ignite",
)
"""What most readers have, first: by our knowledge of the field, not measured."""


@dataclass(frozen=True)
class Cell:
    """What is known of an axis, and how it is written."""

    state: State
    text: str


@dataclass(frozen=True)
class Row:
    """What was measured of one measure of a library.

    Attributes:
        record: of the library at a version.
        found: what was found.
        since: since when it answers so, as far as versions were asked; empty where one alone was.
    """

    record: Record
    found: Measured
    since: str = ""

    @property
    def library(self) -> str:
        """The library's name."""
        return self.record.library

    @property
    def version(self) -> str:
        """The version that was measured."""
        return self.record.version or ""

    @property
    def versions(self) -> str:
        """The version that was measured, with the first one known to answer so."""
        return f"{self.since} to {self.version}" if self.since else self.version

    @property
    def adapter(self) -> str:
        """What of the library was asked, where that is more than one thing: an adapter, or a function of a file."""
        return self.found.implementation.rpartition(".py:")[2] if len(self.record.adapters) > 1 else ""

    @property
    def words(self) -> str:
        """What it computes, in words."""
        return words(self.found)

    @property
    def is_stale(self) -> bool:
        """Whether an older source than this one measured it."""
        return is_stale(self.found)

    @property
    def expression(self) -> str | None:
        """The measure under the convention that fits, or that is nearest; None if there is neither."""
        return self.found.expression

    @property
    def under(self) -> str:
        """The convention of the expression, as a text."""
        return (self.expression or "").partition(" under ")[2]

    @property
    def is_whole(self) -> bool:
        """Whether a convention says all that it does."""
        return self.found.is_whole

    @property
    def witness(self) -> dict[str, str] | None:
        """What the resolver is asked for the smallest input that parts it from the default; None if it follows that."""
        if not self.is_whole or self.under == "default":
            return None
        return {"ask": "witness", "measure": self.found.measure, "a": "default", "b": self.under}

    @property
    def family(self) -> str:
        """The family of the measure."""
        return parse_measure(self.found.measure).name

    @property
    def slug(self) -> str:
        """The name of the library's page."""
        return re.sub(r"[^a-z0-9.]+", "-", self.library.lower()).strip("-")

    @property
    def anchor(self) -> str:
        """Where on that page it stands."""
        return re.sub(r"[^A-Za-z0-9_.@-]+", "-", f"{self.found.spec}-{self.version}-{self.found.measure}")

    @property
    def searched(self) -> str:
        """What a search looks in: the names that people use, the words, and the convention's text."""
        found = self.found
        names = (self.library, found.spec, self.versions, found.measure, *other_names_of(self.family, self.family))
        text = " ".join((*names, self.words, found.status, self.expression or ""))
        return f"{text} {text.replace(', ', ',').replace('_', ' ')}"

    @property
    def cells(self) -> dict[str, Cell]:
        """Axis -> what is known of it."""
        return {axis: Cell(self.found.state(axis), self.found.cell(axis)) for axis in AXES}


@dataclass(frozen=True)
class Changed:
    """A measure that answers otherwise since a version.

    Attributes:
        row: of the version that answers the new way, or the last one that was measured.
        before: the version that answers the old way; `since` the one that answers the new way.
        what: each difference in words.
    """

    row: Row
    before: str
    since: str
    what: tuple[str, ...]


def rows_of(records: Iterable[Record]) -> tuple[Row, ...]:
    """Return a row a measure of each record, the libraries that are used most first."""
    listed = list(records)
    rows = [Row(record, each, _since(record, each, listed)) for record in listed for each in record.measured]
    return tuple(sorted(rows, key=lambda row: (_place(row.library), row.library.lower())))


def spanned(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows without those of versions that a later one answers for."""
    return tuple(row for row in rows if not any(_covers(newer, row) for newer in rows))


def _covers(newer: Row, row: Row) -> bool:
    """Tell whether a later version answers as this one, and as all between them."""
    first, second = newer.found, row.found
    is_same = (newer.library, first.measure, first.implementation) == (
        row.library,
        second.measure,
        second.implementation,
    )
    return bool(newer.since) and is_same and order(newer.since) <= order(row.version) < order(newer.version)


def _place(library: str) -> int:
    name = normalised(library)
    return _USED_MOST.index(name) if name in _USED_MOST else len(_USED_MOST)


def axes_of(rows: Iterable[Row]) -> list[str]:
    """Return the axes of which some row says something, those first in which libraries differ most."""
    known = [axis for axis in AXES if any(row.found.state(axis) in {State.SEEN, State.ONE_OF} for row in rows)]
    return sorted(known, key=lambda axis: _FIRST.index(axis) if axis in _FIRST else len(_FIRST))


def changed(rows: Sequence[Row]) -> list[Changed]:
    """Return what answers otherwise since a version: as bisected, or between versions that were measured."""
    bisected = [
        Changed(row, each.before, each.since, (f"{each.old} -> {each.new} on an input",))
        for row in rows
        if row.found.versions is not None
        for each in row.found.versions.changes
    ]
    known = {(row.library, row.found.measure) for row in rows if row.found.versions is not None}
    between = [each for each in _between_records(rows) if (each.row.library, each.row.found.measure) not in known]
    return sorted(bisected + between, key=lambda each: (each.row.library.lower(), each.row.found.measure))


def _between_records(rows: Sequence[Row]) -> Iterator[Changed]:
    records = {row.record.id: row.record for row in rows}
    by_what = {(row.found.implementation, row.found.measure, row.version): row for row in rows}
    for change in history(records.values()):
        if change.what:
            before, since = change.versions
            row = by_what[change.implementation, change.measure, since]
            yield Changed(row, before, since, change.what)


def _since(record: Record, found: Measured, records: Iterable[Record]) -> str:
    """Say since which version a library answers as it does."""
    if found.versions is not None:
        return found.versions.since
    # The oldest one measured that says the same, of those next to each other.
    versions = [each for each in records if normalised(each.library) == normalised(record.library) and each.measured]
    earlier = versions[: versions.index(record)]
    since = ""
    for older in reversed(earlier):
        same = [
            change
            for change in changes(older, record)
            if change.measure == found.measure and change.implementation == found.implementation
        ]
        if not same or any(change.what for change in same):
            break
        since = older.version or ""
    return since
