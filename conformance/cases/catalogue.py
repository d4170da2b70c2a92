"""The cases: read from files, checked against the schema, ids unique; what is wrong has its file, line and case."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from rankspec.conformance.cases.case import Case, case_from
from rankspec.conformance.cases.finding import Finding
from rankspec.conformance.cases.printed import Printed, parse_printed
from rankspec.conformance.cases.schema import checked_entries, shipped_folder
from rankspec.conformance.cases.yaml_source import FindingError, Source, read_source
from rankspec.oracle.errors import OracleError

_SCHEMA = "case.schema.json"
FOLDERS = ("documents", "edge", "witnesses")
"""Folders of the shipped fixtures that hold cases."""


class CatalogueError(Exception):
    """Fixtures that can't be used: each finding is one line with file, line and case."""

    def __init__(self, findings: Sequence[str]) -> None:
        """Keep the findings."""
        super().__init__("\n".join(findings))
        self.findings = tuple(findings)


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


@cache
def shipped_cases() -> tuple[Case, ...]:
    """Return the shipped cases, in order of file and place.

    Raises:
        CatalogueError: a file is faulty.
    """
    return load_cases(shipped_paths())


def load_cases(paths: Iterable[Path]) -> tuple[Case, ...]:
    """Read case files.

    Raises:
        CatalogueError: with every finding in every file.
    """
    cases, findings = collect_cases(paths)
    if findings:
        raise CatalogueError([str(finding) for finding in findings])
    return cases


def collect_cases(paths: Iterable[Path]) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """Read case files as far as they can be read, and return what is wrong with the rest."""
    cases: dict[str, Case] = {}
    findings: list[Finding] = []
    for path in paths:
        for read in read_file(path):
            if isinstance(read, Finding):
                findings.append(read)
            elif read.id in cases:
                first = cases[read.id]
                place = f"{first.path.name}:{first.source_line}"
                findings.append(Finding(path, f"the id stands at {place} already", read.source_line, read.id))
            else:
                cases[read.id] = read
    return tuple(cases.values()), tuple(findings)


def read_file(path: Path) -> Iterator[Case | Finding]:
    """Yield the cases of a file, and a finding for each thing that is wrong with it."""
    try:
        source = read_source(path)
    except FindingError as error:
        yield error.finding
        return
    sound, findings = checked_entries(source, _SCHEMA, "cases")
    yield from findings
    for index in sound:
        yield _case(source, index, source.data["cases"][index])


def _case(source: Source, index: int, entry: dict[str, Any]) -> Case | Finding:
    line = source.line(("cases", index))
    try:
        return case_from(entry, source.data["document"], source.path, line, source.data.get("title"))
    except OracleError as error:
        return Finding(source.path, str(error), line, entry["id"])


def matching(cases: Iterable[Case], pattern: str | None) -> list[Case]:
    """Return the cases whose id matches a shell pattern such as `edge.ties.*` (all of them without one)."""
    return [case for case in cases if pattern is None or fnmatchcase(case.id, pattern)]
