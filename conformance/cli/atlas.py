"""`rankspec atlas`: who follows which convention, as it was measured."""

from __future__ import annotations

import click
from rankspec.conformance.atlas.records import AtlasError, named, shipped_records
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import Output
from rankspec.conformance.reports.atlas import (
    library_data,
    library_report,
    matrix,
    matrix_data,
    matrix_report,
    of_measure,
)


@click.command()
@click.argument("name", required=False)
@click.option("--measure", metavar="M", help="Only this measure: AP, with every cutoff, or AP@10.")
@options.output_options("csv", "json")
def atlas(name: str | None, measure: str | None, *, output: Output) -> None:
    """Show which convention each library follows; with NAME, everything recorded for one library.

    \b
    rankspec atlas --measure AP
    rankspec atlas recommenders

    NAME is a library or an adapter, also at a version (haystack==2.3.0). Every row was measured by the command that
    stands in its record.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    records = of_measure(shipped_records() if name is None else named(shipped_records(), name), measure)
    if not records:
        raise AtlasError(
            f"--measure {measure}: the atlas has no such measure{'' if name is None else f' of {name}'}",
            code="measure-not-recorded",
        )
    output.show(
        json=lambda: matrix_data(records) if name is None else library_data(records),
        csv=lambda: matrix(records),
        text=lambda: matrix_report(records) if name is None else library_report(records),
    )
