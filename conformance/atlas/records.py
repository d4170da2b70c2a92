"""The records that are shipped, or that a folder holds: read, held against their schema, compared."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

from rankspec.conformance.atlas.record import Measured, Record, as_data, from_data
from rankspec.conformance.cases.files.shipped_files import shipped_folder
from rankspec.conformance.cases.files.whole_files import write_whole
from rankspec.conformance.implementations.pinned import normalised
from rankspec.conformance.implementations.specs import SpecificationError
from rankspec.oracle.conventions.convention import AXES, Convention
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.suggestions import suggestion

FOLDER = "atlas"


class AtlasError(SpecificationError):
    """A record can't be read, or there is none of a name; the message says which."""


@cache
def shipped_records() -> tuple[Record, ...]:
    """Return the records that come with rankspec, by library and version."""
    return load_records(shipped_folder() / FOLDER)


def load_records(folder: Path) -> tuple[Record, ...]:
    """Read every record of a folder.

    Raises:
        AtlasError: one can't be read, or is not as the schema wants it, or has another name than its file.
    """
    found = [read_record(path) for path in sorted(folder.glob("*.json"))]
    return tuple(sorted(found, key=lambda each: (normalised(each.library), order(each.version or ""))))


def read_record(path: Path) -> Record:
    """Read one record.

    Raises:
        AtlasError: it can't be read, or is not as the schema wants it, or has another name than its file.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise AtlasError(f"{path}: no record: {error}", code="record-unreadable") from None
    if not isinstance(data, dict) or data.get("schema") != "rankspec/atlas-record/1":
        raise AtlasError(f"{path}: no record of the atlas", code="record-malformed")
    try:
        record = from_data(data)
    except (LookupError, TypeError, AttributeError) as error:
        raise AtlasError(f"{path}: no whole record: {error!r}", code="record-malformed") from None
    if path.stem != record.id:
        raise AtlasError(f"{path}: the record is that of {record.id}, and should be named so", code="record-misnamed")
    # The shortest way to call comes first: trec_eval before `trec_eval -M 10`.
    plainest_first = sorted(record.measured, key=lambda each: (len(each.spec), each.spec, each.measure))
    return replace(record, measured=tuple(plainest_first))


def write_record(record: Record, folder: Path) -> Path:
    """Write a record where it is found by its name."""
    path = folder / f"{record.id}.json"
    write_whole(path, json.dumps(as_data(record), indent=1, ensure_ascii=False) + "\n")
    return path


def named(records: Iterable[Record], name: str) -> tuple[Record, ...]:
    """Return the records that a name means: a library or an adapter, at one version or at all (`ranx==0.3.21`).

    Raises:
        AtlasError: there is none.
    """
    listed = tuple(records)
    bare, _, version = name.partition("==")
    wanted = normalised(bare.strip())
    found = tuple(
        each
        for each in listed
        if wanted in {normalised(each.library), each.id, *map(normalised, each.adapters)}
        and version.strip() in {"", each.version}
    )
    if found:
        return found
    known = dict.fromkeys(text for each in listed for text in (each.library, *each.adapters))
    versions = [
        each.version for each in listed if wanted in {normalised(each.library), *map(normalised, each.adapters)}
    ]
    if versions:
        raise AtlasError(
            f"{name}: the atlas has {bare} {', '.join(str(each) for each in versions)}, not {version}",
            code="unknown-version",
        )
    raise AtlasError(
        f"{name}: the atlas has no such library{suggestion(name, known)}; `rankspec atlas` lists them",
        code="unknown-library",
    )


def order(version: str) -> list[tuple[bool, int, str]]:
    """Return what versions are put in order by."""
    parts = version.replace("-", ".").replace("+", ".").split(".")
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


@dataclass(frozen=True)
class AtlasChange:
    """A measure of which two records say something else.

    Attributes:
        implementation: what was asked, without a version.
        versions: the older and the newer one.
        what: each difference in words; empty if there is none.
    """

    implementation: str
    measure: str
    versions: tuple[str, str]
    what: tuple[str, ...]


def changes(old: Record, new: Record) -> list[AtlasChange]:
    """Compare what two records have in common, measure by measure; `what` is empty where nothing changed."""
    before = {(each.implementation, each.measure): each for each in old.measured}
    return [
        AtlasChange(
            each.implementation,
            each.measure,
            (old.version or "", new.version or ""),
            tuple(_differences(before[each.implementation, each.measure], each)),
        )
        for each in new.measured
        if (each.implementation, each.measure) in before
    ]


def history(records: Iterable[Record]) -> list[AtlasChange]:
    """Compare each version of a library with the next one that was measured."""
    measured = [each for each in records if each.measured]
    return [
        change
        for old, new in pairwise(measured)
        if normalised(old.library) == normalised(new.library)
        for change in changes(old, new)
    ]


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
    of_family = [each for each in record.measured if _fits(parse_measure(each.measure), measure)]
    return [each for each in of_family if each.measure == str(measure)] or of_family


def of_implementation(measured: list[Measured], name: str) -> list[Measured]:
    """Return what was measured of the implementation that a user named; all of it where the name is a library's."""
    named_one = name.partition("==")[0].strip()
    return [each for each in measured if each.implementation == named_one] or measured


def following(
    records: Iterable[Record], measure: Measure, *, has_ties: bool = True
) -> dict[Convention, tuple[str, ...]]:
    """Return the conventions that explain everything some library answered for a measure, with those libraries.

    Where no run has tied documents, a library follows one that orders those alone by no rule (ranx, torchmetrics).
    """
    found: dict[Convention, dict[str, None]] = {}
    for record in records:
        for each in measured_as(record, measure):
            convention = each.convention
            is_followed = each.is_followed(has_ties=has_ties)
            if is_followed and convention is not None and meaningless(measure, convention) is None:
                found.setdefault(convention, {})[f"{record.name_of(each)} {record.version}"] = None
    return {convention: tuple(names) for convention, names in found.items()}


def not_following(records: Iterable[Record], measure: Measure, *, has_ties: bool = True) -> tuple[str, ...]:
    """Return the libraries that were asked for a measure, and follow no convention in every case."""
    listed = [(record, each) for record in records for each in measured_as(record, measure)]
    whole = {record.name_of(each) for record, each in listed if each.is_followed(has_ties=has_ties)}
    return tuple(dict.fromkeys(name for record, each in listed if (name := record.name_of(each)) not in whole))


def _fits(stated: Measure, measure: Measure) -> bool:
    """Tell whether what was found of a measure holds of another: the same, with any cutoff if both have one."""
    return stated.family is measure.family and (stated.k is None) == (measure.k is None)
