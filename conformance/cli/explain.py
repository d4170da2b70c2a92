"""`rankspec explain`: the derivation of a value, or of two values compared."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import click
from rankspec.conformance.atlas.convention_names import expression_named, of_classes
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import CallError, Output, input_options, read_measure, with_files
from rankspec.conformance.data.arguments import data_of_texts, one_threshold
from rankspec.conformance.reports.derivations.data import derivations_data
from rankspec.conformance.reports.derivations.markup import latex
from rankspec.conformance.reports.derivations.text import markdown, text
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.data.document_weights import require_points
from rankspec.oracle.derivation import explain as derive

_TWO = 2


@click.command()
@input_options
@click.option(
    "--under",
    multiple=True,
    metavar="CONVENTION",
    help="The convention (default), or a measure with it: 'AP@10 under kaggle'; given twice, both.",
)
@options.weights_option
@options.plot_option
@options.output_options("latex", "markdown", "json")
def explain(
    measure_text: str | None,
    k_text: str | None,
    under: tuple[str, ...],
    weights: Mapping[str, Fraction] | None,
    drawing: Path | None,
    files: tuple[str, ...],
    *,
    output: Output,
    **file_options: str | None,
) -> None:
    """Show how a value is computed, rank by rank; of two conventions, the lines that differ.

    \b
    rankspec explain --relevance 1,0,1,1 --num-relevant 5
    rankspec explain --labels 1,0,1 --scores 0.9,0.5,0.5 --under sklearn --under trec_eval-9.0.8
    rankspec explain --relevance 1,0,1,1 --under "AP under sklearn" --under "AP@2 under kaggle"
    rankspec explain qrels.txt run.txt --query 301 --measure nDCG@10 --latex
    rankspec explain --detections found.csv --ground-truths 5 --under voc2007 --plot curve.svg
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    if len(under) > _TWO:
        raise CallError(
            f"--under is given {len(under)} times; compare two conventions at most", code="too-many-conventions"
        )
    options.require_plotting(drawing)
    given = with_files(files, file_options)
    measure = read_measure(measure_text, k_text)
    asked = [expression_named(name, measure) for name in under or ("default",)]
    readings = {convention.reading for _, convention in asked}
    rel = one_threshold((each for each, _ in asked), given["num_relevant"])
    data = data_of_texts(rel, given, readings.pop() if len(readings) == 1 else Reading.STRICT)
    for each, convention in asked if data.weighed else ():
        require_points(each, convention)
    if given["detections"] is not None:
        asked = [(each, of_classes(convention, data.qrels)) for each, convention in asked]
    derivations = [derive(each, data.qrels, data.run, convention, weights) for each, convention in asked]
    if drawing is not None:
        from rankspec.conformance.reports.plots import plot_derivations

        plot_derivations(derivations, drawing)
    output.show(
        json=lambda: derivations_data(derivations),
        latex=lambda: latex(*derivations),
        markdown=lambda: markdown(*derivations),
        text=lambda: text(*derivations),
    )
