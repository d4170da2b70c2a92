"""The files of cases that are shipped, and whether their entries are as the JSON Schema wants them."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

from rankspec.conformance.cases.files.shipped_files import shipped_folder
from rankspec.conformance.cases.files.yaml_source import Finding, Source

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError


_LONGEST_MESSAGE = 160


def checked_entries(source: Source, schema: str, key: str) -> tuple[list[int], list[Finding]]:
    """Return the indices of the entries under a key that the schema accepts, and what is wrong with the others."""
    # A fault of the file as a whole (no such key, an unknown one) accepts none.
    faults = list(_validator(schema).iter_errors(source.data))
    faults.sort(key=lambda fault: source.line(tuple(fault.absolute_path)))
    findings = [_described(source, fault, key) for fault in faults]
    if any(len(fault.absolute_path) <= 1 for fault in faults):
        return [], findings
    faulty = {fault.absolute_path[1] for fault in faults}
    return [index for index in range(len(source.data[key])) if index not in faulty], findings


@cache
def _validator(schema: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads((shipped_folder() / schema).read_text(encoding="utf-8")))


def _described(source: Source, fault: ValidationError, key: str) -> Finding:
    """Say in one line what a schema violation is."""
    from jsonschema.exceptions import best_match

    deepest = best_match([fault]) or fault
    place = tuple(deepest.absolute_path)
    entry = ""
    if len(place) > 1 and isinstance(source.data[key][place[1]], dict):
        entry = str(source.data[key][place[1]].get("id", f"entry {int(place[1]) + 1}, which has no id"))
    field = ".".join(str(step) for step in place[2:])
    message = deepest.message.replace("\n", " ")
    if len(message) > _LONGEST_MESSAGE:
        message = message[: _LONGEST_MESSAGE - 3] + "..."
    return Finding(
        source.path, f"{field}: {message}" if field else message, source.line(place), entry, code="schema-violated"
    )
