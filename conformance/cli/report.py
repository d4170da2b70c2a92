"""`rankspec report`: kept checks, rendered and merged."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rankspec.conformance.checks.merging import merged
from rankspec.conformance.checks.records import CheckRecord
from rankspec.conformance.cli import options
from rankspec.conformance.cli.outputs import Outputs, outputs_options, require_writable
from rankspec.conformance.reports.check import cases_listing
from rankspec.conformance.reports.console import print_csv
from rankspec.conformance.reports.record_files import ReportFileError, read_check
from rankspec.conformance.reports.report import as_json, print_report

STANDARD_INPUT = "-"
kept_check = click.Path(path_type=Path, allow_dash=True)


@click.command()
@click.argument("files", nargs=-1, required=True, type=kept_check, metavar="FILE...")
@outputs_options
@options.all_option
@options.csv_option
@options.json_option
def report(files: tuple[Path, ...], outputs: Outputs, *, every_case: bool, as_csv: bool, as_json_: bool) -> None:
    """Render kept checks, and merge them if there are several.

    FILE is what `rankspec check --stream FILE` writes or `check --json` prints; - is standard input. Several files may
    be shards of the cases, or different implementations; what two files contradict each other in is said.

    Exit status: 0 if all is as it should be, 1 if a case does not conform, a file is cut off or two contradict each
    other, 2 if a file can't be read.
    """
    require_writable(outputs.named())
    records = {_unused(str(path), files[:place]): read_file(path) for place, path in enumerate(files)}
    found = merged(records)
    outputs.write(found.record)
    if as_json_:
        options.print_json(as_json(found, records))
    elif as_csv:
        print_csv(cases_listing(found.record))
    else:
        print_report(options.console(), found, records, every_case=every_case)
    sys.exit(0 if found.holds else 1)


def _unused(name: str, before: tuple[Path, ...]) -> str:
    """Refuse a file that is named twice: every answer in it would seem to be confirmed.

    Raises:
        click.UsageError: it is.
    """
    if any(Path(name).resolve() == other.resolve() for other in before):
        raise click.UsageError(f"{name}: the file is named twice")
    return name


def read_file(path: Path) -> CheckRecord:
    """Read a kept check, - from standard input.

    Raises:
        ReportFileError: it can't be read, or is damaged.
    """
    if str(path) == STANDARD_INPUT:
        return read_check("standard input", sys.stdin.buffer.read())
    try:
        return read_check(str(path), path.read_bytes())
    except OSError as error:
        raise ReportFileError(f"{path}: can't be read: {(error.strerror or str(error)).lower()}") from None
