"""`rankspec atlas`: who follows which convention, as it was measured."""

from __future__ import annotations

import click
from rankspec.conformance.atlas.records import AtlasError, named, shipped_records
from rankspec.conformance.cli import options
from rankspec.conformance.reports.atlas import (
    library_json,
    matrix,
    matrix_json,
    of_measure,
    print_library,
    print_matrix,
)


@click.command()
@click.argument("name", required=False)
@click.option("--measure", metavar="M", help="Only this measure: AP, with every cutoff, or AP@10.")
@options.csv_option
@options.json_option
def atlas(name: str | None, measure: str | None, *, as_csv: bool, as_json_: bool) -> None:
    """Say which convention each library was found to follow, and with NAME all that is known of one library.

    \b
    rankspec atlas --measure AP
    rankspec atlas recommenders

    NAME is a library or an adapter, also at a version (haystack==2.3.0). Every row was measured by the command that
    stands in its record.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    if as_csv and as_json_:
        raise click.UsageError("--csv and --json exclude each other; give one")
    records = of_measure(shipped_records() if name is None else named(shipped_records(), name), measure)
    if not records:
        raise AtlasError(f"--measure {measure}: the atlas has no such measure{'' if name is None else f' of {name}'}")
    if as_csv:
        click.echo(matrix(records, whole=True).csv(), nl=False)
    elif as_json_:
        options.print_json(matrix_json(records) if name is None else library_json(records))
    elif name is None:
        print_matrix(options.console(), records)
    else:
        print_library(options.console(), records)
