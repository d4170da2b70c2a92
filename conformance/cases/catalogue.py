"""All cases of the fixtures, or of a user's files, and a choice of them; the clauses that they are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from itertools import groupby
from pathlib import Path

from rankspec.conformance.cases.case import Case, case_from
from rankspec.conformance.cases.files.on_disk import shipped_folder, shipped_paths
from rankspec.conformance.cases.files.yaml_source import Finding, FindingError, Source, collected, read_source
from rankspec.oracle.conventions.convention import AXES, unknown_axis
from rankspec.oracle.conventions.families import ALIASES, FAMILIES
from rankspec.oracle.errors import OracleError, UserError
from rankspec.oracle.language.expression import family_in, parse_measure


def selected(  # noqa: PLR0913 - a way to choose each
    cases: Sequence[Case],
    *,
    verdict: str | None = None,
    measure: str | None = None,
    axis: str | None = None,
    clause: str | None = None,
    document: str | None = None,
) -> list[Case]:
    """Return the cases that are all that is stated, in order; `ConventionError` for no such measure or axis."""
    # A family means every measure of it, `AP@10` that one alone; an axis the cases of its clauses, and those under
    # another value than the default; a clause is whole or the beginning of several; a document is part of a file name
    # or title, `hand` and `computed` the others' sources.
    if axis is not None and axis not in AXES:
        raise unknown_axis(axis)
    family = None if measure is None else ALIASES.get(measure, measure)
    text = str(parse_measure(measure)) if measure is not None and family not in FAMILIES else None
    return [
        case
        for case in cases
        if verdict in {None, case.verdict}
        and (measure is None or family_in(case.measure) == family or case.measure == text)
        and (
            axis is None
            or f"{case.clause}.".startswith(f"{AXES[axis].anchor}.")
            or axis in case.parsed_convention.differences()
        )
        and (clause is None or case.clause == clause or case.clause.startswith(f"{clause}."))
        and (document is None or document.casefold() in f"{case.document} {case.title or ''}".casefold())
    ]


class CatalogueError(UserError):
    """Fixtures that can't be used: each finding is one line with file, line and case."""

    def __init__(self, findings: Sequence[str], *, code: str) -> None:
        super().__init__("\n".join(findings), code=code)
        self.findings = tuple(findings)


@cache
def shipped_cases() -> tuple[Case, ...]:
    """Return the shipped cases, in order of file and place; `CatalogueError` for a faulty file."""
    return load_shipped(shipped_paths())


def load_shipped(paths: Iterable[Path]) -> tuple[Case, ...]:
    """Read shipped files of cases; `CatalogueError` for a faulty one."""
    # The schema takes three times as long as all the rest, and `fixtures lint` has held them against it before they
    # were shipped: it is asked only where a case can't be made, to say why.
    case_files = list(paths)
    try:
        sources = (read_source(path) for path in case_files)
        return tuple(_case_at(source, index) for source in sources for index in range(len(source.data["cases"])))
    except (FindingError, OracleError, LookupError, TypeError, ValueError, AttributeError):
        return load_cases(case_files)


def load_cases(paths: Iterable[Path]) -> tuple[Case, ...]:
    """Read case files; a `CatalogueError` has every finding in every file."""
    cases, findings = collect_cases(paths)
    if findings:
        raise CatalogueError([str(finding) for finding in findings], code=findings[0].code)
    return cases


def collect_cases(paths: Iterable[Path]) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """Read case files as far as they can be read, and return what is wrong with the rest."""
    cases, findings = collected(paths, "case.schema.json", "cases", _case_at)
    return tuple(cases.values()), findings


def _case_at(source: Source, index: int) -> Case:
    entry = source.data["cases"][index]
    line = source.line(("cases", index))
    return case_from(entry, source.data["document"], source.path, line, source.data.get("title"))


def matching(cases: Iterable[Case], pattern: str | None) -> list[Case]:
    """Return the cases whose id matches a shell pattern such as `edge.ties.*` (all of them without one)."""
    return [case for case in cases if pattern is None or fnmatchcase(case.id, pattern)]


@dataclass(frozen=True)
class DocumentErrata:
    """What one document has wrong: errata, claims that do not hold, numbers that follow from rounded ones."""

    document: str
    title: str
    errata: tuple[Case, ...]
    claims: tuple[Case, ...]
    rounding: tuple[Case, ...]


def errata(cases: Iterable[Case]) -> list[DocumentErrata]:
    """Return what the documents have wrong, document by document, in order of their lines."""
    listed = sorted((case for case in cases if case.has_source), key=lambda case: (case.document, case.line or 0))
    return [
        DocumentErrata(
            document,
            own[0].title or document,
            tuple(case for case in own if case.verdict == "erratum"),
            tuple(case for case in own if case.verdict == "claim" and case.holds is False),
            tuple(case for case in own if case.verdict == "rounding"),
        )
        for document, own in (
            (document, list(own)) for document, own in groupby(listed, key=lambda case: case.document)
        )
    ]


# ---- The clauses: the statements that cases are about, each with the documents that state it
#
# `fixtures/clauses.yaml` is text that any language's test suite can read; an axis value's clause says there what the
# oracle's enum says, and the tests compare them.

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
