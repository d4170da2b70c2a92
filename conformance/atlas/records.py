"""The records that are shipped, or that a folder holds: read, and held against their schema."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from rankspec.conformance.atlas.record import Record, as_data, from_data
from rankspec.conformance.cases.schema import shipped_folder
from rankspec.conformance.implementations.pinned import normalised
from rankspec.conformance.implementations.specs import SpecificationError
from rankspec.oracle.suggestions import suggestion

FOLDER = "atlas"
SCHEMA_FILE = "atlas.schema.json"


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
        raise AtlasError(f"{path}: no record: {error}") from None
    if not isinstance(data, dict) or data.get("schema") != "rankspec/atlas-record/1":
        raise AtlasError(f"{path}: no record of the atlas")
    try:
        record = from_data(data)
    except (LookupError, TypeError, AttributeError) as error:
        raise AtlasError(f"{path}: no whole record: {error!r}") from None
    if path.stem != record.id:
        raise AtlasError(f"{path}: the record is that of {record.id}, and should be named so")
    return record


def schema_faults(path: Path) -> list[str]:
    """Return what the schema of records finds wrong with a file, a line each."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - it loads slowly, and only this needs it

    schema = json.loads((shipped_folder() / SCHEMA_FILE).read_text(encoding="utf-8"))
    data = json.loads(path.read_text(encoding="utf-8"))
    faults = Draft202012Validator(schema).iter_errors(data)
    return [f"{path.name}: {'.'.join(map(str, fault.absolute_path))}: {fault.message}" for fault in faults]


def write_record(record: Record, folder: Path) -> Path:
    """Write a record where it is found by its name."""
    path = folder / f"{record.id}.json"
    path.write_text(json.dumps(as_data(record), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
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
        raise AtlasError(f"{name}: the atlas has {bare} {', '.join(str(each) for each in versions)}, not {version}")
    raise AtlasError(f"{name}: the atlas has no such library{suggestion(name, known)}; `rankspec atlas` lists them")


def order(version: str) -> list[tuple[bool, int, str]]:
    """Return what versions are put in order by."""
    parts = version.replace("-", ".").replace("+", ".").split(".")
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]
