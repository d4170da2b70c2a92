"""`rankspec explain`: the derivation of a value, or of two values side by side."""

from __future__ import annotations

from pathlib import Path

import click
from rankspec.conformance.cli import options
from rankspec.conformance.cli.classes import of_classes
from rankspec.conformance.cli.inputs import input_options, read_data, read_measure
from rankspec.conformance.infer.resolve.first_difference import parting
from rankspec.conformance.reports.console import terminal_width
from rankspec.conformance.reports.derivation_data import derivation_data
from rankspec.conformance.reports.derivation_latex import latex, pair_latex
from rankspec.conformance.reports.derivation_text import markdown, pair_markdown, pair_text, text
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.derivation import explain as derive
from rankspec.oracle.explaining.steps import Derivation
from rankspec.oracle.language.expression import parse_convention, parse_expression

SCHEMA = "rankspec/explain/1"
_TWO = 2


@click.command()
@input_options
@click.option(
    "--under",
    multiple=True,
    metavar="CONVENTION",
    help="The convention (default), or a measure with it: 'AP@10 under kaggle'; given twice, both.",
)
@click.option("--latex", "as_latex", is_flag=True, help="Print a fragment of LaTeX (needs amsmath).")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
@options.plot_option
@options.json_option
def explain(
    measure_text: str | None,
    k_text: str | None,
    under: tuple[str, ...],
    drawing: Path | None,
    *,
    as_latex: bool,
    as_markdown: bool,
    as_json_: bool,
    **given: str | None,
) -> None:
    """Print how a value comes about, rank by rank in exact numbers; under two conventions, side by side.

    \b
    rankspec explain --relevance 1,0,1,1 --num-relevant 5
    rankspec explain --labels 1,0,1 --scores 0.9,0.5,0.5 --under sklearn --under trec_eval-9.0.8
    rankspec explain --relevance 1,0,1,1 --under "AP under sklearn" --under "AP@2 under kaggle"
    rankspec explain --qrels qrels.txt --run run.txt --query 301 --measure nDCG@10 --latex
    rankspec explain --detections found.csv --ground-truths 5 --under voc2007 --plot curve.svg
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    if len(under) > _TWO:
        raise click.UsageError(f"--under is given {len(under)} times; compare two conventions at most")
    if as_latex + as_markdown + as_json_ > 1:
        raise click.UsageError("--latex, --markdown and --json exclude each other; give one")
    options.require_plotting(drawing)
    measure = read_measure(measure_text, k_text)
    asked = [_asked(name, measure) for name in under or ("default",)]
    readings = {convention.reading for _, convention in asked}
    # Lists of labels 0 and 1 become grades that every threshold takes for relevant.
    rel = max(each.rel for each, _ in asked)
    data = read_data(rel, given, readings.pop() if len(readings) == 1 else Reading.STRICT)
    if given["detections"] is not None:
        asked = [(each, of_classes(convention, data.qrels)) for each, convention in asked]
    derivations = [derive(each, data.qrels, data.run, convention) for each, convention in asked]
    if drawing is not None:
        from rankspec.conformance.reports.drawing import draw

        draw(derivations, drawing)
    if as_json_:
        options.print_json(_data(derivations))
    else:
        click.echo(_written(derivations, as_latex=as_latex, as_markdown=as_markdown))


def _asked(text: str, measure: Measure) -> tuple[Measure, Convention]:
    """Return what `--under` asks for: a measure under a convention, or the measure of the call under one."""
    return parse_expression(text) if " under " in text else (measure, parse_convention(text))


def _data(derivations: list[Derivation]) -> dict[str, object]:
    answer: dict[str, object] = {"schema": SCHEMA, "derivations": [derivation_data(each) for each in derivations]}
    if len(derivations) == _TWO:
        found = parting(*derivations)
        answer["first_difference"] = None if found is None else vars(found) | {"text": found.text}
    return answer


def _written(derivations: list[Derivation], *, as_latex: bool, as_markdown: bool) -> str:
    if len(derivations) == _TWO:
        if not (as_latex or as_markdown):
            first, second = derivations
            return pair_text(first, second, terminal_width())
        return (pair_latex if as_latex else pair_markdown)(*derivations)
    write = latex if as_latex else markdown if as_markdown else text
    return write(*derivations)
