"""`rankspec cite`: the sentence and the BibTeX entry of what a library, a convention or a function computes."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import click
from rankspec.conformance.atlas.measuring import is_installed, measure_again
from rankspec.conformance.atlas.records import AtlasError, measured_as, named, of_implementation, shipped_records
from rankspec.conformance.cli.support import options, specifications
from rankspec.conformance.cli.support.options import Output
from rankspec.conformance.implementations.specs import known_adapters
from rankspec.conformance.infer.identify.identify import identify as identify_one
from rankspec.conformance.reports.cite import citation_data, convention_citation, function_citation
from rankspec.conformance.reports.identify import identification_data
from rankspec.conformance.run import progress_bars
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.verbs.implementations import versioned_implementations
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.families import UNSTATED
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.language.expression import parse_convention
from rankspec.oracle.language.trec_eval_names import named_measure


@click.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--measure", "measure_text", metavar="M", help="What was computed, e.g. AP@10; by default AP, or what a name says."
)
@click.option("--recorded", is_flag=True, help="From the record, without calling the library again.")
@specifications.shape_option
@specifications.limits_options
@options.output_options("json")
def cite(
    name: str,
    measure_text: str | None,
    shape: str | None,
    *,
    limits: Limits,
    recorded: bool,
    output: Output,
) -> None:
    """Write the sentence and the BibTeX entry that state what a library, a convention or a function computes.

    \b
    rankspec cite ranx --measure AP@10
    rankspec cite recommenders==1.2.1 --measure AP@3
    rankspec cite kaggle --measure AP@10
    rankspec cite metrics.py:ap

    Where the library is installed at the version of its record, it is asked again, and what is found now is stated,
    with the authors in its metadata. A function of your own is identified.

    Exit status: 0; 1 if no convention explains what it does; 2 if the call is at fault.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    if ":" in name or name.endswith(".py"):  # a function of one's own, or a program
        data, is_whole = _of_function(name, measure_text, shape, limits)
    elif (convention := _convention(name)) is not None:
        data, is_whole = convention_citation(named_measure(measure_text or UNSTATED), convention), True
    else:
        data, is_whole = _of_library(name, measure_text, limits, recorded=recorded)
    output.show(json=lambda: data, text=lambda: f"{data['sentence']}\n\n{data['bibtex']}")
    click.get_current_context().exit(0 if is_whole else 1)


def _convention(name: str) -> Convention | None:
    """Return what a name means as a convention; None for a library, which goes before a profile of its name."""
    with suppress(AtlasError):
        named(shipped_records(), name)
        return None
    with suppress(ConventionError):
        return parse_convention(name)
    return None


def _of_function(name: str, measure: str | None, shape: str | None, limits: Limits) -> tuple[dict[str, Any], bool]:
    (implementation,) = versioned_implementations((name,), shape, None)
    with progress_bars.bar(name) as tell:
        identification = identify_one(implementation, shape=shape, measure=measure, limits=limits, tell=tell)
    return function_citation(identification), identification.is_good


def _of_library(name: str, text: str | None, limits: Limits, *, recorded: bool) -> tuple[dict[str, Any], bool]:
    """Return what is stated of a library, and whether that explains all it does.

    Without a measure it is AP; of a library without AP, the first that was measured.

    Raises:
        AtlasError: the measure was not measured.
    """
    record = [each for each in named(shipped_records(), name) if each.measured or each.why][-1]
    measure = named_measure(text or UNSTATED)
    measured = measured_as(record, measure)
    if text is None and not measured and record.measured:
        measured = [*record.measured]
        measure = named_measure(measured[0].measure)
    own = of_implementation(measured, name)
    if not own:
        why = record.why or f"{', '.join(dict.fromkeys(each.measure for each in record.measured))} were"
        raise AtlasError(f"{record.id}: {measure} was not measured: {why}", code="measure-not-recorded")
    (each, *_) = own
    verified = f"measured on {each.date}, Python {each.python}"
    if not recorded and each.implementation in known_adapters() and is_installed(each.spec):
        (record,) = measure_again([(each.spec, str(measure))], identification_data, limits, _told)
        (each,) = record.measured
        verified = f"verified by rankspec on {each.date}, Python {each.python}"
    elif each.measure != str(measure):
        verified += f", for {each.measure}"
    return citation_data(record, each, str(measure), verified), each.is_whole or each.explained


def _told(text: str) -> None:
    click.echo(text, err=True)
