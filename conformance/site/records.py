"""The records of the atlas as rows of a matrix: a library, a version and a measure each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankspec.conformance.cases.catalogue import CatalogueError
from rankspec.conformance.cases.schema import shipped_folder
from rankspec.oracle.conventions.convention import AXES, DEFAULT, setting_text
from rankspec.oracle.errors import OracleError
from rankspec.oracle.language.expression import parse_expression, parse_measure

FOLDER = "atlas"
_SCHEMA = "rankspec/atlas-record/1"


@dataclass(frozen=True)
class Cell:
    """What is known of an axis: its `kind` is default, differs, open, nearest, hidden or none; `text` says it."""

    kind: str
    text: str


@dataclass(frozen=True)
class Row:
    """What was measured of one measure of a library.

    Attributes:
        library: its name, and `version` the one that was measured.
        found: the entry of the record, as its file has it.
        expression: the measure under the convention that fits, or that is nearest; None if there is neither.
        is_whole: a convention says all that it does.
        cells: axis -> what is known of it.
    """

    library: str
    version: str
    found: Mapping[str, Any]
    expression: str | None
    is_whole: bool
    cells: Mapping[str, Cell]

    @property
    def family(self) -> str:
        """The family of the measure."""
        return parse_measure(self.found["measure"]).name

    @property
    def slug(self) -> str:
        """The name of the library's page."""
        return re.sub(r"[^a-z0-9.]+", "-", self.library.lower()).strip("-")


@dataclass(frozen=True)
class Unmeasured:
    """A library that could not be measured, and why."""

    library: str
    why: str


def shipped_records() -> Path:
    """Return the folder of the records that come with rankspec."""
    return shipped_folder() / FOLDER


def read_rows(folder: Path) -> tuple[tuple[Row, ...], tuple[Unmeasured, ...]]:
    """Read the records of a folder; there are none where there is no folder.

    Raises:
        CatalogueError: a file is no record.
    """
    rows: list[Row] = []
    unmeasured: list[Unmeasured] = []
    for path in sorted(folder.glob("*.json")):
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            if data["schema"] != _SCHEMA:
                raise CatalogueError([f"{path}: no record of the atlas"])
            if data["why"] is not None:
                unmeasured.append(Unmeasured(data["library"], data["why"]))
            rows += _rows(data)
        except (OSError, ValueError, LookupError, TypeError, OracleError) as error:
            raise CatalogueError([f"{path}: no record of the atlas: {error!r}"]) from error
    return tuple(sorted(rows, key=lambda row: row.library.lower())), tuple(unmeasured)


def axes_of(rows: Iterable[Row]) -> list[str]:
    """Return the axes on which some row says something else than the default, in their order."""
    listed = list(rows)
    return [axis for axis in AXES if any(row.cells[axis].kind in _TELLING for row in listed)]


_TELLING = {"differs", "open", "nearest"}


def _rows(data: Mapping[str, Any]) -> Iterable[Row]:
    for found in data["measured"]:
        fitting = found["conventions"]
        expression = fitting[0] if fitting else found["nearest"]
        cells = {axis: _cell(axis, found, expression, is_whole=bool(fitting)) for axis in AXES}
        yield Row(data["library"], data["version"], found, expression, bool(fitting), cells)


def _cell(axis: str, found: Mapping[str, Any], expression: str | None, *, is_whole: bool) -> Cell:
    default = setting_text(getattr(DEFAULT, axis))
    if axis in found["not_observable"]:
        return Cell("hidden", "not observable")
    if axis in found["axes"]:
        values = found["axes"][axis]
        if axis in found["unused"]:
            return Cell("none", "")
        if default in values:
            return Cell("default", "/".join(values))
        return Cell("differs" if len(values) == 1 else "open", "/".join(values))
    if is_whole or expression is None:
        return Cell("none", "")
    measure, convention = parse_expression(expression)
    if axis not in measure.axes(convention):
        return Cell("none", "")
    text = setting_text(getattr(convention, axis))
    return Cell("default" if text == default else "nearest", text)
