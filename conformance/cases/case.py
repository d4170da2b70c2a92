"""A case: an input, a measure under a convention, the exact value, and what a document printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankspec.conformance.cases.inputs import CaseInput, case_input
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.language.expression import parse_convention

HAND = "hand"  # The document of a case that was derived by hand, not taken from a source
COMPUTED = "computed"  # The document of a case that a command of rankspec computed


@dataclass(frozen=True)
class Alternative:
    """Another exact value that a reader could defend, and why; its id names it within its case."""

    exact: str
    why: str
    id: str = ""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One case of a fixture file; `fixtures/case.schema.json` says what each field holds."""

    id: str
    clause: str
    document: str
    measure: str
    quantity: str = "value"
    convention: str = "default"
    verdict: str
    exact: str | None = None
    line: int | None = None
    quote: str | None = None
    printed: str | None = None
    holds: bool | None = None
    statement: str | None = None
    why: str | None = None
    correction: str | None = None
    implementation: str | None = None
    version: str | None = None
    observed: str | None = None
    alternatives: tuple[Alternative, ...] = ()
    title: str | None = field(default=None, compare=False)
    input: CaseInput | None = field(default=None, compare=False)
    path: Path = field(default=Path(), compare=False)
    source_line: int = field(default=0, compare=False)

    @property
    def has_source(self) -> bool:
        """Whether a document says what the case is about."""
        return self.document not in {HAND, COMPUTED}

    @property
    def parsed_convention(self) -> Convention:
        """The convention that the case is under."""
        return parse_convention(self.convention)


def case_from(entry: Mapping[str, Any], document: str, path: Path, source_line: int, title: str | None = None) -> Case:
    """Make a case of an entry that the schema accepts; `OracleError` if its input or convention can't be read."""
    convention = parse_convention(entry.get("convention", "default"))
    plain = {key: value for key, value in entry.items() if key not in {"input", "alternatives"}}
    return Case(
        **{"document": document, **plain},
        alternatives=tuple(Alternative(**each) for each in entry.get("alternatives", ())),
        input=case_input(entry["input"], convention.reading) if "input" in entry else None,
        title=title,
        path=path,
        source_line=source_line,
    )
