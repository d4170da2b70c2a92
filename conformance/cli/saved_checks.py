"""`rankspec report` and `rankspec diff`: kept checks, rendered, merged and compared."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rankspec.conformance.checks.diff import diff as diff_of
from rankspec.conformance.checks.records import CheckRecord, merged
from rankspec.conformance.checks.stream import ReportFileError, read_check
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.files import (
    Outputs,
    output_path,
    outputs_options,
    require_writable,
    write_markdown,
)
from rankspec.conformance.cli.support.options import CallError, Output
from rankspec.conformance.reports.checks.check import cases_table, merged_data, merged_report
from rankspec.conformance.reports.checks.diff import SavedCheck, changes_table, diff_data, diff_markdown, diff_report

STANDARD_INPUT = "-"
kept_check = click.Path(path_type=Path, allow_dash=True)


@click.command()
@click.argument("files", nargs=-1, required=True, type=kept_check, metavar="FILE...")
@outputs_options
@options.all_option
@options.output_options("csv", "json")
def report(files: tuple[Path, ...], outputs: Outputs, *, every_case: bool, output: Output) -> None:
    """Render saved checks, and merge them if there are several.

    FILE is what `rankspec check --stream FILE` writes or `check --json` prints; - is standard input. Several files may
    be shards of the cases, or different implementations; contradictions between files are listed.

    Exit status: 0 if every case conforms, 1 if a case does not, a file is cut off or two contradict each
    other, 2 if a file can't be read.
    """
    require_writable(outputs.named())
    records = {_unused(str(path), files[:place]): read_file(path) for place, path in enumerate(files)}
    merger = merged(records)
    outputs.write(merger.record)
    output.show(
        json=lambda: merged_data(merger, records),
        csv=lambda: cases_table(merger.record),
        text=lambda: merged_report(merger, records, every_case=every_case),
    )
    sys.exit(0 if merger.holds else 1)


@click.command()
@click.argument("old", type=kept_check)
@click.argument("new", type=kept_check)
@click.option(
    "--markdown",
    "summary",
    callback=output_path,
    metavar="FILE",
    help="Write Markdown there; what $GITHUB_STEP_SUMMARY names is appended to.",
)
@options.output_options("csv", "json")
def diff(old: Path, new: Path, summary: Path | None, *, output: Output) -> None:
    """Say what changed between two checks, OLD and NEW: new failures, fixed cases, other values.

    Both are what `rankspec check --stream FILE` writes or `check --json` prints; - is standard input.

    Exit status: 0 if nothing got worse, 1 if something did or NEW is cut off, 2 if a file can't be read.
    """
    require_writable(iter([] if summary is None else [("--markdown", summary)]))
    before, after = (SavedCheck(str(path), read_file(path)) for path in (old, new))
    changes = diff_of(before.record, after.record)
    if not changes.implementations:
        names = " and ".join(
            ", ".join(each.name for each in side.record.implementations) or "none" for side in (before, after)
        )
        raise CallError(f"no implementation is in both files: there are {names}", code="no-implementation-in-common")
    if summary is not None:
        write_markdown(summary, diff_markdown(before, after, changes))
    output.show(
        json=lambda: diff_data(before, after, changes),
        csv=lambda: changes_table(changes),
        text=lambda: diff_report(before, after, changes),
    )
    sys.exit(1 if changes.is_worse else 0)


def _unused(name: str, before: tuple[Path, ...]) -> str:
    """Refuse (`CallError`) a file that is named twice: every answer in it would seem to be confirmed."""
    if any(Path(name).resolve() == other.resolve() for other in before):
        raise CallError(f"{name}: the file is named twice", code="file-repeated")
    return name


def read_file(path: Path) -> CheckRecord:
    """Read a kept check, - from standard input; `ReportFileError` if it can't be read, or is damaged."""
    if str(path) == STANDARD_INPUT:
        return read_check("standard input", sys.stdin.buffer.read())
    try:
        return read_check(str(path), path.read_bytes())
    except OSError as error:
        raise ReportFileError(
            f"{path}: can't be read: {(error.strerror or str(error)).lower()}", code="file-unreadable"
        ) from None
