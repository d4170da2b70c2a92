"""`rankspec diff`: what changed between two kept checks."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rankspec.conformance.checks.diff import diff as diff_of
from rankspec.conformance.cli import options
from rankspec.conformance.cli.outputs import output_path, require_writable, write_markdown
from rankspec.conformance.cli.report import kept_check, read_file
from rankspec.conformance.reports.console import print_csv
from rankspec.conformance.reports.diff import Compared, as_json, changes_listing, markdown, print_diff


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
@options.csv_option
@options.json_option
def diff(old: Path, new: Path, summary: Path | None, *, as_csv: bool, as_json_: bool) -> None:
    """Say what changed between two checks, OLD and NEW: what began to fail, what was mended, what has another value.

    Both are what `rankspec check --stream FILE` writes or `check --json` prints; - is standard input.

    Exit status: 0 if nothing got worse, 1 if something did or NEW is cut off, 2 if a file can't be read.
    """
    require_writable(iter([] if summary is None else [("--markdown", summary)]))
    before, after = (Compared(str(path), read_file(path)) for path in (old, new))
    found = diff_of(before.record, after.record)
    if not found.implementations:
        names = " and ".join(
            ", ".join(each.name for each in side.record.implementations) or "none" for side in (before, after)
        )
        raise click.UsageError(f"no implementation is in both files: there are {names}")
    if summary is not None:
        write_markdown(summary, markdown(before, after, found))
    if as_json_:
        options.print_json(as_json(before, after, found))
    elif as_csv:
        print_csv(changes_listing(found))
    else:
        print_diff(options.console(), before, after, found)
    sys.exit(1 if found.is_worse else 0)
