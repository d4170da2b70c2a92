"""The files of cases that are shipped, and whether their entries are as the JSON Schema wants them."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from rankspec.conformance.cases.exact import Printed, parse_printed
from rankspec.conformance.cases.yaml_source import Finding, Source

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError


FOLDERS = ("documents", "edge", "witnesses")
"""Folders of the shipped fixtures that hold cases."""


def shipped_paths() -> list[Path]:
    """Return the files of the shipped cases, in order."""
    root = shipped_folder()
    return [path for folder in FOLDERS for path in sorted((root / folder).glob("*.yaml"))]


def paths_that_print(printed: Printed) -> list[Path]:
    """Return the files of the shipped cases in which a document prints a number, found without reading their cases."""
    return [
        path
        for path in shipped_paths()
        if any(parse_printed(text).number == printed.number for text in _PRINTED.findall(path.read_text("utf-8")))
    ]


_PRINTED = re.compile(r"^ +printed: \"([0-9.]+)\"$", re.MULTILINE)


_LONGEST_MESSAGE = 160


def shipped_folder() -> Path:
    """Return the folder of the fixtures that are installed with rankspec."""
    # The folder is no Python package, so importlib knows it by its files alone.
    return Path(str(files("rankspec.fixtures").joinpath("case.schema.json"))).resolve().parent


def checked_entries(source: Source, schema: str, key: str) -> tuple[list[int], list[Finding]]:
    """Return the indices of the entries under a key that the schema accepts, and what is wrong with the others.

    A fault of the file as a whole (no such key, an unknown one) accepts none.
    """
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
    return Finding(source.path, f"{field}: {message}" if field else message, source.line(place), entry)
