"""`rankspec cite`: what a paper says of a library's measure."""

from __future__ import annotations

import click
from rankspec.conformance.atlas.measuring import is_installed, measure_again
from rankspec.conformance.atlas.records import AtlasError, measured_as, named, shipped_records
from rankspec.conformance.cli import options
from rankspec.conformance.implementations.specs import known_adapters
from rankspec.conformance.reports.cite import citation_json
from rankspec.conformance.reports.identify import as_json as identification_json
from rankspec.conformance.run.limits import Limits
from rankspec.oracle.language.trec_eval_names import named_measure


@click.command()
@click.argument("name", metavar="NAME")
@click.option("--measure", "measure_text", required=True, metavar="M", help="What was computed, e.g. AP@10.")
@click.option("--recorded", is_flag=True, help="By the record, without asking the library again.")
@options.limits_options
@options.json_option
def cite(
    name: str,
    measure_text: str,
    *,
    limits: Limits,
    recorded: bool,
    as_json_: bool,
) -> None:
    """Write the sentence and the BibTeX entry that state what a library computes.

    \b
    rankspec cite ranx --measure AP@10
    rankspec cite recommenders==1.2.1 --measure AP@3

    Where the library is installed at the version of its record, it is asked again, and what is found now is stated.

    Exit status: 0; 1 if no convention explains what it does; 2 if the call is at fault.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    measure = named_measure(measure_text)
    record = [each for each in named(shipped_records(), name) if each.measured or each.why][-1]
    adapter = name.partition("==")[0].strip()
    found = measured_as(record, measure)
    own = [each for each in found if each.spec.partition("==")[0] == adapter] or found
    if not own:
        why = record.why or f"{', '.join(dict.fromkeys(each.measure for each in record.measured))} were"
        raise AtlasError(f"{record.id}: {measure} was not measured: {why}")
    (each, *_) = own
    verified = f"measured on {each.date}, Python {each.python}"
    if not recorded and each.spec.partition("==")[0] in known_adapters() and is_installed(each.spec):
        (record,) = measure_again(
            [(each.spec, str(measure))], identification_json, limits, lambda text: click.echo(text, err=True)
        )
        (each,) = record.measured
        verified = f"verified by rankspec on {each.date}, Python {each.python}"
    elif each.measure != str(measure):
        verified += f", for {each.measure}"
    data = citation_json(record, each, str(measure), verified)
    if as_json_:
        options.print_json(data)
    else:
        click.echo(f"{data['sentence']}\n\n{data['bibtex']}")
    click.get_current_context().exit(0 if each.is_whole else 1)
