"""The records of the atlas by library: each measure of a library once, with its calls, its options and its versions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from rankspec.conformance.atlas.record import Measured, Record
from rankspec.conformance.atlas.records import changes, order
from rankspec.conformance.implementations.pinned import normalised
from rankspec.oracle.language.expression import parse_measure

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
        is_later = bool(self.since) and order(self.since) < order(self.version)
        return f"{self.since} to {self.version}" if is_later else self.version

    @property
    def adapter(self) -> str:
        """What of the library was asked, where that is more than one thing: an adapter, or a function of a file."""
        return self.found.implementation.rpartition(".py:")[2] if len(self.record.adapters) > 1 else ""

    @property
    def family(self) -> str:
        """The family of the measure."""
        return parse_measure(self.found.measure).name


@dataclass(frozen=True)
class Entry:
    """What was measured of a family of measures of a library.

    Attributes:
        library: its name.
        family: of the measures.
        rows: the default call of the newest version first; then its other cutoffs, other calls, older versions.
    """

    library: str
    family: str
    rows: tuple[Row, ...]

    @property
    def default(self) -> Row:
        """The plainest call of the newest version."""
        return self.rows[0]


def rows_of(records: Iterable[Record]) -> tuple[Row, ...]:
    """Return a row a measure of each record, the libraries that are used most first."""
    listed = list(records)
    rows = [Row(record, each, _since(record, each, listed)) for record in listed for each in record.measured]
    return tuple(sorted(rows, key=lambda row: (_place(row.library), row.library.lower())))


def spanned(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows without those of versions that a later one answers for."""
    return tuple(row for row in rows if not any(_covers(newer, row) for newer in rows))


def entries_of(rows: Iterable[Row]) -> tuple[Entry, ...]:
    """Return an entry a library and family, the libraries that are used most first."""
    by_family = sorted(rows, key=lambda row: (_place(row.library), row.library.lower(), row.family.lower()))
    entries = groupby(by_family, key=lambda row: (row.library, row.family))
    return tuple(Entry(*names, _default_first(group)) for names, group in entries)


def _default_first(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Order rows by version, the newest first; of one version the plainest call, uncut before cut."""

    def plainness(row: Row) -> tuple[int, bool, str]:
        return len(row.found.implementation), "@" in row.found.measure, row.found.measure

    plain_first = sorted(rows, key=plainness)
    return tuple(sorted(plain_first, key=lambda row: order(row.version), reverse=True))


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
