"""`rankspec identify` and `rankspec witness`: what a function follows, and the smallest input on which two part."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from rankspec.conformance.cases.files.saving import SavedInput
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.files import save, save_option
from rankspec.conformance.cli.support.options import Output
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.infer.identify.identification import Identification
from rankspec.conformance.infer.identify.identify import identify as identify_one
from rankspec.conformance.infer.witness.sides import Filter, Witness
from rankspec.conformance.infer.witness.witness import witness as find_witness
from rankspec.conformance.reports.identify import identification_data, identification_report
from rankspec.conformance.reports.witness import witness_data, witness_report
from rankspec.conformance.reproducing.snippet import with_snippet
from rankspec.conformance.run import progress_bars
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.verbs.implementations import sides_of, versioned_implementations
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.language.expression import parse_expression, parse_measure


@click.command()
@click.argument("implementation", metavar="IMPL")
@click.option(
    "-m",
    "--measure",
    metavar="M",
    help="What it computes, e.g. AP@3; by default what its name says, else AP, with every cutoff.",
)
@options.shape_option
@options.python_option
@options.limits_options
@save_option
@options.output_options("json")
def identify(
    implementation: str,
    measure: str | None,
    shape: str | None,
    python: str | None,
    save_to: Path | None,
    *,
    limits: Limits,
    output: Output,
) -> None:
    """Infer which convention IMPL follows, axis by axis, from its answers.

    IMPL is an adapter (sklearn, ranx, pytrec_eval), also at a version (ranx==0.3.16), path/to/file.py:function or
    package.module:function, or a program: "jsonl:COMMAND" (the line protocol), "cmd:COMMAND {qrels} {run}" (trec_eval's
    three columns). Of a file with one public function the name is enough (path/to/file.py).

    Exit status: 0 if it is identified, ambiguous, or outside of every convention or unstable in a way that is fully
    explained; 1 if it is outside or unstable otherwise, or failed; 2 if the call is wrong.
    """
    (named,) = versioned_implementations((implementation,), shape, python)
    with progress_bars.bar(implementation) as tell:
        identification = identify_one(named, shape=shape, measure=measure, limits=limits, progress=tell)
    identification = with_snippet(identification, parse(named, shape) if isinstance(named, str) else named)
    save(save_to, _cases_of_identification(identification))
    output.show(json=lambda: identification_data(identification), text=lambda: identification_report(identification))
    sys.exit(0 if identification.is_good else 1)


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("-m", "--measure", metavar="M", help="What is compared, e.g. AP@10; by default AP.")
@click.option(
    "--axis", metavar="NAME", help="Only inputs that show this axis, e.g. ties; for implementations also cutoff."
)
@click.option("--only-values", is_flag=True, help="Only inputs where both give a number, no query missing or unknown.")
@options.shape_option
@options.python_option
@options.limits_options
@save_option
@options.output_options("json")
def witness(
    a: str,
    b: str,
    measure: str | None,
    axis: str | None,
    shape: str | None,
    python: str | None,
    save_to: Path | None,
    *,
    limits: Limits,
    only_values: bool,
    output: Output,
) -> None:
    """Find the smallest input on which A and B differ: fewest documents, then relevant ones, then score levels.

    A and B are conventions (kaggle, "default[ties=expected]") or implementations (pytrec_eval, ranx==0.3.16,
    file.py:function), in any mix. A name that is both means the implementation, if its library is installed;
    convention:sklearn and implementation:sklearn say which.

    Exit status: 0 if they differ, or agree on everything tried, 2 if the call or an implementation is wrong.
    """
    first, second = sides_of((a, b), measure, python)
    with progress_bars.bar("witness") as tell:
        smallest = find_witness(
            first, second, measure, shape=shape, limits=limits, input_filter=Filter(axis, only_values), progress=tell
        )
    save(save_to, list(_cases_of_witness(smallest)))
    output.show(json=lambda: witness_data(smallest), text=lambda: witness_report(smallest))


def _cases_of_identification(identification: Identification) -> list[SavedInput]:
    """Return the input on which an implementation parts from the nearest convention, or changed its answer."""
    witness = identification.witness
    if witness is None:
        return []
    text = witness.convention or (identification.texts[0] if identification.texts else None)
    measure = parse_measure(witness.measure)
    convention = DEFAULT if text is None else parse_expression(text)[1]
    returned = f"{identification.implementation} answers {witness.got}"
    why = f"{returned}." if witness.convention else f"{returned}, then {witness.exact}."
    return [
        SavedInput("saved.identify", measure, _at_threshold(witness.input, measure), _meant(measure, convention), why)
    ]


def _cases_of_witness(witness: Witness) -> Iterator[SavedInput]:
    """Yield a case for each side, under its convention: an implementation's is the default."""
    if witness.input is None or witness.texts is None:
        return
    axis = witness.axes[0].axis if witness.axes else None
    names = [each.text for each in witness.sides]
    told = f"{names[0]} gives {witness.texts[0]}, {names[1]} {witness.texts[1]}."
    known: set[Convention] = set()
    for letter, side in zip("ab", witness.sides, strict=True):
        convention = _meant(witness.measure, side.is_meant if isinstance(side.is_meant, Convention) else DEFAULT)
        if convention not in known:
            known.add(convention)
            yield SavedInput(f"saved.witness.{letter}", witness.measure, witness.input, convention, told, axis)


def _meant(measure: Measure, convention: Convention) -> Convention:
    return convention if meaningless(measure, convention) is None else DEFAULT


def _at_threshold(data: object, measure: Measure) -> dict[str, object]:
    """Return labels of 1 as grades at the measure's threshold, which is what they were told to be."""
    if not isinstance(data, dict):
        return {}
    raised = {
        name: [label * measure.rel for label in labels]
        for name, labels in data.items()
        if name in {"relevance", "labels"} and measure.rel > 1 and not measure.is_graded
    }
    return {**data, **raised}
