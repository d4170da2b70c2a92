"""`rankspec atlas` and `rankspec cite`: who follows which convention, as it was measured."""

from __future__ import annotations

from contextlib import suppress

import click
from rankspec.conformance.atlas.measuring import is_installed, measure_again
from rankspec.conformance.atlas.records import (
    AtlasError,
    measured_as,
    named,
    shipped_records,
)
from rankspec.conformance.cli.support import options, specifications
from rankspec.conformance.cli.support.options import Output
from rankspec.conformance.implementations.specs import known_adapters
from rankspec.conformance.reports.atlas import (
    citation_data,
    convention_citation,
    library_data,
    library_report,
    matrix,
    matrix_data,
    matrix_report,
    of_measure,
)
from rankspec.conformance.reports.identify import identification_data
from rankspec.conformance.run.limits import Limits
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.language.expression import parse_convention
from rankspec.oracle.language.trec_eval_names import named_measure


@click.command()
@click.argument("name", required=False)
@click.option("--measure", metavar="M", help="Only this measure: AP, with every cutoff, or AP@10.")
@options.output_options("csv", "json")
def atlas(name: str | None, measure: str | None, *, output: Output) -> None:
    """Say which convention each library was found to follow, and with NAME all that is known of one library.

    \b
    rankspec atlas --measure AP
    rankspec atlas recommenders

    NAME is a library or an adapter, also at a version (haystack==2.3.0). Every row was measured by the command that
    stands in its record.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    records = of_measure(shipped_records() if name is None else named(shipped_records(), name), measure)
    if not records:
        raise AtlasError(f"--measure {measure}: the atlas has no such measure{'' if name is None else f' of {name}'}")
    output.show(
        json=lambda: matrix_data(records) if name is None else library_data(records),
        csv=lambda: matrix(records),
        text=lambda: matrix_report(records) if name is None else library_report(records),
    )


def _told(text: str) -> None:
    click.echo(text, err=True)


@click.command()
@click.argument("name", metavar="NAME")
@click.option("--measure", "measure_text", required=True, metavar="M", help="What was computed, e.g. AP@10.")
@click.option("--recorded", is_flag=True, help="By the record, without asking the library again.")
@specifications.limits_options
@options.output_options("json")
def cite(
    name: str,
    measure_text: str,
    *,
    limits: Limits,
    recorded: bool,
    output: Output,
) -> None:
    """Write the sentence and the BibTeX entry that state what a library, or a convention, computes.

    \b
    rankspec cite ranx --measure AP@10
    rankspec cite recommenders==1.2.1 --measure AP@3
    rankspec cite kaggle --measure AP@10

    Where the library is installed at the version of its record, it is asked again, and what is found now is stated.
    Of a function of your own, `rankspec identify FILE` prints the sentence.

    Exit status: 0; 1 if no convention explains what it does; 2 if the call is at fault.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    measure = named_measure(measure_text)
    if (convention := _convention(name)) is not None:
        stated = convention_citation(measure, convention)
        output.show(json=lambda: stated, text=lambda: f"{stated['sentence']}\n\n{stated['bibtex']}")
        return
    record = [each for each in named(shipped_records(), name) if each.measured or each.why][-1]
    adapter = name.partition("==")[0].strip()
    measured = measured_as(record, measure)
    own = [each for each in measured if each.spec.partition("==")[0] == adapter] or measured
    if not own:
        why = record.why or f"{', '.join(dict.fromkeys(each.measure for each in record.measured))} were"
        raise AtlasError(f"{record.id}: {measure} was not measured: {why}")
    (each, *_) = own
    verified = f"measured on {each.date}, Python {each.python}"
    if not recorded and each.spec.partition("==")[0] in known_adapters() and is_installed(each.spec):
        (record,) = measure_again([(each.spec, str(measure))], identification_data, limits, _told)
        (each,) = record.measured
        verified = f"verified by rankspec on {each.date}, Python {each.python}"
    elif each.measure != str(measure):
        verified += f", for {each.measure}"
    data = citation_data(record, each, str(measure), verified)
    output.show(json=lambda: data, text=lambda: f"{data['sentence']}\n\n{data['bibtex']}")
    click.get_current_context().exit(0 if each.is_whole or each.explained else 1)


def _convention(name: str) -> Convention | None:
    """Return what a name means as a convention; None for a library, which goes before a profile of its name."""
    with suppress(AtlasError):
        named(shipped_records(), name)
        return None
    with suppress(ConventionError):
        return parse_convention(name)
    return None
