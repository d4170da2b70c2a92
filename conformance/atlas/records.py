"""The records that are shipped, or that a folder holds: read, held against their schema, compared."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from rankspec.conformance.atlas.record import Measured, Record
from rankspec.conformance.cases.files.on_disk import shipped_folder
from rankspec.conformance.cases.plain import RecordError, record_from
from rankspec.conformance.implementations.pinned import normalised, version_order
from rankspec.conformance.implementations.specs import SpecificationError
from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.errors import suggestion
from rankspec.oracle.language.expression import convention_text, parse_expression, parse_measure

FOLDER = "atlas"

_USED_MOST = (
    *("scikit-learn", "torchmetrics", "pytrec-eval-terrier", "ir-measures", "ranx", "xgboost", "lightgbm", "catboost"),
    *("sentence-transformers", "pyspark", "beir", "recommenders", "recbole", "ragas", "pytorch-ignite"),
)
"""What most readers have, first: by our knowledge of the field, not measured."""

PAIRS = "atlas-pairs.json"
CUTOFF = 3  # At which those with cutoffs are compared: the least at which every rule of cutoffs shows


class AtlasError(SpecificationError):
    """A record can't be read, or there is none of a name; the message says which."""


@cache
def shipped_records() -> tuple[Record, ...]:
    """Return the records that come with rankspec, by library and version."""
    return load_records(shipped_folder() / FOLDER)


def load_records(folder: Path) -> tuple[Record, ...]:
    """Read every record of a folder; `AtlasError` as `read_record` raises it."""
    every = [read_record(path) for path in sorted(folder.glob("*.json"))]
    return tuple(sorted(every, key=lambda each: (normalised(each.library), version_order(each.version or ""))))


def read_record(path: Path) -> Record:
    """Read one record; `AtlasError` if it can't be read, fits no schema, or is not named as its file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise AtlasError(f"{path}: no record: {error}", code="record-unreadable") from None
    if not isinstance(data, dict) or data.get("schema") != "rankspec/atlas-record/1":
        raise AtlasError(f"{path}: no record of the atlas", code="record-malformed")
    try:
        record = record_from(Record, data)
    except RecordError as error:
        raise AtlasError(f"{path}: no whole record: {error}", code="record-malformed") from None
    if path.stem != record.id:
        raise AtlasError(f"{path}: the record is that of {record.id}, and should be named so", code="record-misnamed")
    # The shortest way to call comes first: trec_eval before `trec_eval -M 10`.
    plainest_first = sorted(record.measured, key=lambda each: (len(each.spec), each.spec, each.measure))
    return replace(record, measured=tuple(plainest_first))


def named(records: Iterable[Record], name: str) -> tuple[Record, ...]:
    """Return a library's or an adapter's records, all or at a version (`ranx==0.3.21`); `AtlasError` for none."""
    every = tuple(records)
    bare, _, version = name.partition("==")
    names = {each.id: {normalised(each.library), each.id, *map(normalised, each.adapters)} for each in every}
    own = [each for each in every if normalised(bare.strip()) in names[each.id]]
    if matching := tuple(each for each in own if version.strip() in {"", each.version}):
        return matching
    if own:
        versions = ", ".join(str(each.version) for each in own)
        raise AtlasError(f"{name}: the atlas has {bare} {versions}, not {version}", code="unknown-version")
    known = dict.fromkeys(text for each in every for text in (each.library, *each.adapters))
    why = f"{name}: the atlas has no such library{suggestion(name, known)}; `rankspec atlas` lists them"
    raise AtlasError(why, code="unknown-library")


@dataclass(frozen=True)
class AtlasChange:
    """A measure of which two records say something else."""

    implementation: str  # what was asked, without a version
    measure: str
    versions: tuple[str, str]  # the older and the newer one
    what: tuple[str, ...]  # each difference in words; empty if there is none


def changes(old: Record, new: Record) -> list[AtlasChange]:
    """Compare what two records have in common, measure by measure; `what` is empty where nothing changed."""
    before = {(each.implementation, each.measure): each for each in old.measured}
    versions = old.version or "", new.version or ""
    after = (((each.implementation, each.measure), each) for each in new.measured)
    return [AtlasChange(*key, versions, tuple(_differences(before[key], each))) for key, each in after if key in before]


def history(records: Iterable[Record]) -> list[AtlasChange]:
    """Compare each version of a library with the next one that was measured."""
    pairs = pairwise(each for each in records if each.measured)
    of_one = ((old, new) for old, new in pairs if normalised(old.library) == normalised(new.library))
    return [change for old, new in of_one for change in changes(old, new)]


def _differences(old: Measured, new: Measured) -> Iterator[str]:
    if old.status != new.status:
        yield f"{old.status} -> {new.status}"
    elif not old.is_whole and old.nearest != new.nearest:
        yield f"nearest {old.nearest} -> {new.nearest}"
    for axis in AXES:
        before, after = old.cell(axis), new.cell(axis)
        # An axis of which one measurement says nothing did not change.
        if before and after and before.lstrip("~") != after.lstrip("~"):
            yield f"{axis} {before} -> {after}"
    first, second = old.smallest, new.smallest
    if first is not None and second is not None and first.input == second.input and first.got != second.got:
        yield f"on its smallest input {first.got} -> {second.got}"


def measured_as(record: Record, measure: Measure) -> list[Measured]:
    """Return what was measured of a measure in a record: with this cutoff where it was, else with another one."""
    stated = [(each, parse_measure(each.measure)) for each in record.measured]
    same = ((each, one.k) for each, one in stated if one.family is measure.family)
    of_family = [each for each, k in same if (k is None) == (measure.k is None)]
    return [each for each in of_family if each.measure == str(measure)] or of_family


def of_implementation(measured: list[Measured], name: str) -> list[Measured]:
    """Return what was measured of the implementation that a user named; all of it where the name is a library's."""
    named_one = name.partition("==")[0].strip()
    return [each for each in measured if each.implementation == named_one] or measured


def following(
    records: Iterable[Record], measure: Measure, *, has_ties: bool = True
) -> dict[Convention, tuple[str, ...]]:
    """Return the conventions that explain everything some library answered for a measure, with those libraries."""
    # Where no run has tied documents, a library follows one that orders those alone by no rule (ranx, torchmetrics).
    followers: dict[Convention, dict[str, None]] = {}
    for record in records:
        for each in measured_as(record, measure):
            convention = each.convention
            is_followed = each.is_followed(has_ties=has_ties)
            if is_followed and convention is not None and meaningless(measure, convention) is None:
                followers.setdefault(convention, {})[f"{record.name_of(each)} {record.version}"] = None
    return {convention: tuple(names) for convention, names in followers.items()}


def not_following(records: Iterable[Record], measure: Measure, *, has_ties: bool = True) -> tuple[str, ...]:
    """Return the libraries that were asked for a measure, and follow no convention in every case."""
    measured_pairs = [(record, each) for record in records for each in measured_as(record, measure)]
    whole = {record.name_of(each) for record, each in measured_pairs if each.is_followed(has_ties=has_ties)}
    return tuple(dict.fromkeys(name for record, each in measured_pairs if (name := record.name_of(each)) not in whole))


# ---- Entries


@dataclass(frozen=True)
class MeasuredRow:
    """What was measured of one measure of a library."""

    record: Record  # of the library at a version
    measured: Measured  # what was found
    since: str = ""  # since when it answers so, as far as versions were asked; empty where one alone was

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
        is_later = bool(self.since) and version_order(self.since) < version_order(self.version)
        return f"{self.since} to {self.version}" if is_later else self.version

    @property
    def adapter(self) -> str:
        """What of the library was asked, where that is more than one thing: an adapter, or a function of a file."""
        return self.measured.implementation.rpartition(".py:")[2] if len(self.record.adapters) > 1 else ""

    @property
    def family(self) -> str:
        """The family of the measure."""
        return parse_measure(self.measured.measure).name


@dataclass(frozen=True)
class LibraryEntry:
    """What was measured of a family of measures of a library."""

    library: str  # its name
    family: str  # of the measures
    rows: tuple[
        MeasuredRow, ...
    ]  # the newest version's default call first; then other cutoffs, other calls, older versions

    @property
    def default(self) -> MeasuredRow:
        """The plainest call of the newest version."""
        return self.rows[0]


def rows_of(records: Iterable[Record]) -> tuple[MeasuredRow, ...]:
    """Return a row a measure of each record, the libraries that are used most first."""
    listed = list(records)
    rows = [MeasuredRow(record, each, _since(record, each, listed)) for record in listed for each in record.measured]
    return tuple(sorted(rows, key=lambda row: (_place(row.library), row.library.lower())))


def spanned(rows: Sequence[MeasuredRow]) -> tuple[MeasuredRow, ...]:
    """Return the rows without those of versions that a later one answers for."""
    return tuple(row for row in rows if not any(_covers(newer, row) for newer in rows))


def entries_of(rows: Iterable[MeasuredRow]) -> tuple[LibraryEntry, ...]:
    """Return an entry a library and family, the libraries that are used most first."""
    by_family = sorted(rows, key=lambda row: (_place(row.library), row.library.lower(), row.family.lower()))
    entries = groupby(by_family, key=lambda row: (row.library, row.family))
    return tuple(LibraryEntry(*names, _default_first(group)) for names, group in entries)


def _default_first(rows: Iterable[MeasuredRow]) -> tuple[MeasuredRow, ...]:
    """Order rows by version, the newest first; of one version the plainest call, uncut before cut."""
    texts = ((row, row.measured.implementation, row.measured.measure) for row in rows)
    plain_first = sorted(texts, key=lambda each: (len(each[1]), "@" in each[2], each[2]))
    return tuple(sorted((row for row, *_ in plain_first), key=lambda row: version_order(row.version), reverse=True))


def _covers(newer: MeasuredRow, row: MeasuredRow) -> bool:
    """Tell whether a later version answers as this one, and as all between them."""
    same = [(each.library, each.measured.measure, each.measured.implementation) for each in (newer, row)]
    since, version = version_order(newer.since), version_order(row.version)
    return bool(newer.since) and same[0] == same[1] and since <= version < version_order(newer.version)


def _place(library: str) -> int:
    name = normalised(library)
    return _USED_MOST.index(name) if name in _USED_MOST else len(_USED_MOST)


def _since(record: Record, measured: Measured, records: Iterable[Record]) -> str:
    """Say since which version a library answers as it does."""
    if measured.versions is not None:
        return measured.versions.since
    # The oldest one measured that says the same, of those next to each other.
    versions = [each for each in records if normalised(each.library) == normalised(record.library) and each.measured]
    earlier = versions[: versions.index(record)]
    since = ""
    for older in reversed(earlier):
        own = measured.implementation, measured.measure
        same = [each.what for each in changes(older, record) if (each.implementation, each.measure) == own]
        if not same or any(same):
            break
        since = older.version or ""
    return since


@dataclass(frozen=True, order=True)
class RuleChange:
    """A convention, and the other rule on one axis; all as texts."""

    measure: str
    under: str
    axis: str
    value: str


@dataclass(frozen=True)
class ChangeExample:
    """A smallest input on which a change shows, in the form of a case, with both values; None if there is none."""

    input: Mapping[str, Any] | None = None
    values: tuple[str, str] | None = None


def compared_as(each: Measured) -> tuple[Measure, str] | None:
    """Return the measure, at one cutoff, and the convention as far as it matters to it; None where there is no rule."""
    if each.expression is None or not (each.is_whole or each.explained):
        return None
    measure, convention = parse_expression(each.expression)
    unread = {axis: getattr(DEFAULT, axis) for axis in AXES.keys() - {*measure.axes(convention)}}
    cut = measure if measure.k is None else replace(measure, k=CUTOFF)
    return cut, convention_text(replace(convention, **unread))


@cache
def shipped_pairs() -> Mapping[RuleChange, ChangeExample]:
    """Return what comes with rankspec."""
    pairs = json.loads((shipped_folder() / PAIRS).read_text(encoding="utf-8"))["pairs"]
    texts = [(each["measure"], each["under"], each["axis"], each["value"]) for each in pairs]
    examples = (ChangeExample(each["input"], each["values"] and tuple(each["values"])) for each in pairs)
    return {RuleChange(*each): example for each, example in zip(texts, examples, strict=True)}
