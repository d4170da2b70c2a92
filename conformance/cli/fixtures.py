"""`rankspec fixtures`: the cases, what is wrong with them, what is wrong in the documents."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from importlib.metadata import version
from pathlib import Path

import click
from rankspec.conformance.cases.catalogue import CatalogueError, load_cases, matching, selected, shipped_cases
from rankspec.conformance.cases.catalogue import errata as find_errata
from rankspec.conformance.cases.files.ledger import write_ledger
from rankspec.conformance.cases.files.lint import FixtureSet
from rankspec.conformance.cases.files.lint import lint as lint_files
from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.checks.export import export_cases
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import CallError, Output, Verbs
from rankspec.conformance.reports.cases import (
    case_data,
    case_details,
    case_report,
    case_table,
    errata_data,
    errata_report,
    finding_data,
)

BAD, FAULT = 1, 2  # Exit statuses: the finding is bad; the input or the call is wrong

_VERDICTS = click.Choice(["confirmed", "rounding", "erratum", "claim", "derived"])


@click.group(cls=Verbs, no_args_is_help=False)
def fixtures() -> None:
    """List, show and validate the cases, and show the errors in the documents."""


@fixtures.command("list")
@click.argument("pattern", required=False)
@click.option("--verdict", type=_VERDICTS, help="Only cases with this verdict.")
@click.option("-m", "--measure", metavar="M", help="Only cases of this measure: AP (with whatever cutoff), or AP@10.")
@click.option(
    "--axis", metavar="AXIS", help="Only cases about this axis, or with another value of it than the default: ties."
)
@click.option("--clause", metavar="CLAUSE", help="Only cases of this clause and those below it: ranking.ties.")
@click.option("--document", metavar="DOCUMENT", help="Only cases of this document: 003, or a part of its title.")
@options.output_options("csv", "json")
def list_cases(pattern: str | None, *, output: Output, **filters: str | None) -> None:
    """List the cases, or those whose id matches PATTERN ('doc003.*')."""
    stated = {name: text for name, text in filters.items() if text is not None}
    cases = selected(matching(shipped_cases(), pattern), **stated)
    if not cases:
        which = "".join(f" with {name} {text}" for name, text in stated.items())
        raise CatalogueError([f"no case matches {pattern or '*'!r}{which}"], code="unknown-case")
    output.show(
        json=lambda: {"schema": "rankspec/fixtures-list/1", "cases": [case_data(case) for case in cases]},
        text=lambda: [case_table(cases), f"{len(cases)} cases"],
    )


@fixtures.command()
@click.argument("case_id", metavar="ID")
@options.output_options("json")
def show(case_id: str, *, output: Output) -> None:
    """Show the case ID: its input, its exact value, what was printed, and why."""
    cases = {case.id: case for case in shipped_cases()}
    if case_id not in cases:
        near = get_close_matches(case_id, cases, n=3, cutoff=0.5)
        hint = f"the nearest are {', '.join(near)}" if near else "`rankspec fixtures list` lists them"
        raise CatalogueError([f"no case has the id {case_id!r}; {hint}"], code="unknown-case")
    case = cases[case_id]
    output.show(
        json=lambda: {"schema": "rankspec/fixtures-show/1", **case_details(case)}, text=lambda: case_report(case)
    )


@fixtures.command()
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@options.output_options("json")
def lint(paths: tuple[Path, ...], *, output: Output) -> None:
    """Report all that is wrong with the fixtures, or with files and folders of your own.

    A folder with a clauses.yaml is taken for a whole set of fixtures, with its own ledger. Exit status 1 for findings,
    2 for a file that can't be read.
    """
    findings = lint_files(paths)
    output.show(
        json=lambda: {"schema": "rankspec/fixtures-lint/1", "findings": [finding_data(each) for each in findings]},
        text=lambda: [*map(str, findings), f"{len(findings)} findings" if findings else "no finding"],
    )
    if any(finding.unreadable for finding in findings):
        sys.exit(FAULT)
    if findings:
        sys.exit(BAD)


@fixtures.command()
@options.output_options("json")
def errata(*, output: Output) -> None:
    """Print what the documents have wrong, with what is true."""
    documents = find_errata(shipped_cases())
    output.show(
        json=lambda: {"schema": "rankspec/fixtures-errata/1", "documents": errata_data(documents)},
        text=lambda: errata_report(documents),
    )


@fixtures.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@options.output_options("json")
def pin(folder: Path | None, *, output: Output) -> None:
    """Pin the cases as they are now, so that any later change of what they expect is reported."""
    pinned_set = FixtureSet.of_folder(folder)
    cases = load_cases(pinned_set.files)
    if not cases:
        raise CatalogueError([f"{folder}: no case file in its folders documents, edge and witnesses"], code="no-cases")
    pinning = write_ledger(pinned_set.ledger, cases)
    new, changed, dropped = len(pinning.added), len(pinning.changed), len(pinning.dropped)
    output.show(
        json=lambda: {
            "schema": "rankspec/fixtures-pin/1",
            "pinned": len(cases),
            **data_of(pinning, "added", "changed", "dropped"),
        },
        text=lambda: [
            *(f"changed: {case}" for case in pinning.changed),
            *(f"dropped: {case}" for case in pinning.dropped),
            f"{len(cases)} cases pinned: {new} new, {changed} changed, {dropped} dropped",
        ],
    )


@fixtures.command()
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="The folder; it is made.")
@click.argument("pattern", required=False)
@options.output_options("json")
def export(out: Path, pattern: str | None, *, output: Output) -> None:
    """Write the cases, or those whose id matches PATTERN, as data for a test suite in another language.

    JSON Lines with a JSON Schema, exact values as texts, doubles with the bounds of a conforming answer, a manifest.
    """
    try:
        manifest = export_cases(matching(shipped_cases(), pattern), out, version("rankspec"))
    except OSError as error:
        raise CallError(f"{out}: it can't be written: {error.strerror}", code="file-not-writable") from None
    line = f"{manifest['cases']} cases in {out}; {manifest['left_out']} ask for no value or fit no shape"
    output.show(json=lambda: manifest, text=lambda: [line])
