"""`rankspec atlas`: what libraries compute, as it was measured."""

from __future__ import annotations

import click
from rankspec.conformance.answers.answer import Page
from rankspec.conformance.answers.library import atlas_answer, library_answer, measure_answer
from rankspec.conformance.atlas.records import AtlasError, named, shipped_records
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import Output
from rankspec.conformance.reports.answer import page_report
from rankspec.conformance.reports.atlas import library_data, matrix, matrix_data, of_measure


@click.command()
@click.argument("name", required=False)
@click.option("--measure", metavar="M", help="Only this measure: AP, with every cutoff, or AP@10.")
@options.output_options("csv", "json")
def atlas(name: str | None, measure: str | None, *, output: Output) -> None:
    """Show what libraries compute, and on what they differ from the textbook; with NAME, one library.

    \b
    rankspec atlas --measure AP
    rankspec atlas recommenders
    rankspec atlas recommenders --measure AP

    NAME is a library or an adapter, also at a version (haystack==2.3.0). Every row was measured; --json has the records
    with their commands, --csv every axis.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    records = of_measure(shipped_records() if name is None else named(shipped_records(), name), measure)
    if not records:
        raise AtlasError(
            f"--measure {measure}: the atlas has no such measure{'' if name is None else f' of {name}'}",
            code="measure-not-recorded",
        )

    def page() -> Page:
        if name is not None:
            return library_answer(name, records)
        return atlas_answer(records) if measure is None else measure_answer(measure, records)

    output.show(
        json=lambda: matrix_data(records) if name is None else library_data(records),
        csv=lambda: matrix(records),
        text=lambda: page_report(page()),
    )
