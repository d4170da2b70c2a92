"""`rankspec atlas`: what libraries compute, as it was measured."""

from __future__ import annotations

import click
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import Output
from rankspec.conformance.reports.answer import page_report
from rankspec.conformance.reports.libraries.atlas import matrix
from rankspec.conformance.verbs.atlas import recorded


@click.command()
@click.argument("name", required=False)
@click.option("-m", "--measure", metavar="M", help="Only this measure: AP, with every cutoff, or AP@10.")
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
    found = recorded(name, measure)
    output.show(json=found.as_data, csv=lambda: matrix(found.records), text=lambda: page_report(found.page()))
