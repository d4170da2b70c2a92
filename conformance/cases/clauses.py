"""The clauses: the statements that cases are about, each with the documents that state it.

`fixtures/clauses.yaml` is text that any language's test suite can read; an axis value's clause says there what the
oracle's enum says, and the tests compare them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from rankspec.conformance.cases.catalogue import CatalogueError
from rankspec.conformance.cases.files.on_disk import shipped_folder
from rankspec.conformance.cases.files.yaml_source import Finding, Source, collected

CLAUSES_FILE = "clauses.yaml"

DEFINITION, AXIS = "definition", "axis"
"""The kinds of clause that the oracle implements. The others, `property` and `tool`, are checked only."""


@dataclass(frozen=True)
class ClauseSource:
    """Where a document states a clause."""

    document: str
    line: int
    quote: str


@dataclass(frozen=True)
class Clause:
    """A statement with a stable id."""

    id: str
    kind: str  # definition, axis, property or tool
    statement: str
    axis: str | None = None  # the axis of an axis clause
    value: str | None = None  # its value; None where the axis takes numbers
    sources: tuple[ClauseSource, ...] = ()  # the documents that state it; none for a clause made by hand
    path: Path = field(default=Path(), compare=False)
    source_line: int = field(default=0, compare=False)


@cache
def shipped_clauses() -> Mapping[str, Clause]:
    """Return the shipped clauses by id, in order of the file; `CatalogueError` for a faulty file."""
    return load_clauses(shipped_folder() / CLAUSES_FILE)


def load_clauses(path: Path) -> Mapping[str, Clause]:
    """Read a file of clauses; a `CatalogueError` has every finding."""
    clauses, findings = collect_clauses(path)
    if findings:
        raise CatalogueError([str(finding) for finding in findings], code=findings[0].code)
    return clauses


def collect_clauses(path: Path) -> tuple[Mapping[str, Clause], tuple[Finding, ...]]:
    """Read a file of clauses as far as it can be read, and return what is wrong with the rest."""
    return collected([path], "clauses.schema.json", "clauses", _clause_at)


def _clause_at(source: Source, index: int) -> Clause:
    entry = dict(source.data["clauses"][index])
    sources = tuple(ClauseSource(**each) for each in entry.pop("sources", ()))
    return Clause(**entry, sources=sources, path=source.path, source_line=source.line(("clauses", index)))
