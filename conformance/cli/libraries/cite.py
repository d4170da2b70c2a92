"""`rankspec cite`: the sentence and the BibTeX entry of what a library, a convention or a function computes."""

from __future__ import annotations

import click
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import Output
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.verbs.cite import citation_of


@click.command()
@click.argument("name", metavar="NAME")
@click.option(
    "-m",
    "--measure",
    "measure_text",
    metavar="M",
    help="What was computed, e.g. AP@10; by default AP, or what a name says.",
)
@options.shape_option
@options.limits_options
@options.output_options("json")
def cite(name: str, measure_text: str | None, shape: str | None, *, limits: Limits, output: Output) -> None:
    """Write the sentence and the BibTeX entry that state what a library, a convention or a function computes.

    \b
    rankspec cite ranx --measure AP@10
    rankspec cite recommenders==1.2.1 --measure AP@3
    rankspec cite kaggle --measure AP@10
    rankspec cite metrics.py:ap

    What is stated of a library is its record, with the authors in its metadata where it is installed. A function of
    your own is identified.

    Exit status: 0; 1 if no convention explains what it does; 2 if the call is wrong.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    cited = citation_of(name, measure_text, shape, limits)
    output.show(json=lambda: cited.data, text=lambda: f"{cited.data['sentence']}\n\n{cited.data['bibtex']}")
    click.get_current_context().exit(0 if cited.is_whole else 1)
