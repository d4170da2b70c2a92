"""`rankspec translate`: how to make one's number the other's."""

from __future__ import annotations

import click
from rankspec.conformance.atlas.recipe import differing_in_values
from rankspec.conformance.atlas.records import AtlasError, measured_as, named, of_implementation, shipped_records
from rankspec.conformance.atlas.translate import premises, takes_cutoff
from rankspec.conformance.atlas.translate import translate as translate_between
from rankspec.conformance.atlas.translations import shipped_table, translate_values
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import CallError, Output
from rankspec.conformance.implementations.specs import known_adapters
from rankspec.conformance.reports.translate import translation_data, translation_report, translations_report
from rankspec.conformance.worker.loading import built_in
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.language.expression import parse_convention
from rankspec.oracle.language.trec_eval_names import named_measure


@click.command()
@click.argument("a", metavar="A", required=False)
@click.argument("b", metavar="B", required=False)
@click.option("--measure", "measure_text", metavar="M", help="The measure (AP).")
@click.option("--table", is_flag=True, help="What is known of each pair of the libraries that most people use.")
@options.output_options("json")
def translate(
    a: str | None,
    b: str | None,
    measure_text: str | None,
    *,
    table: bool,
    output: Output,
) -> None:
    """Say how to get the number of B from A: by changing the inputs or the value; or that it is not possible.

    \b
    rankspec translate ranx pytrec_eval --measure AP@10
    rankspec translate default kaggle --measure AP@10
    rankspec translate lightgbm==4.7.0 convention:sklearn
    rankspec translate --table --measure AP

    A and B are libraries of the atlas, whose conventions are those of their records, or conventions. A name of both
    means the library; convention:sklearn says otherwise. A function that is printed was run on every input that was
    tried: all small ones on which the two can differ, and random ones. Where no function of the value of a query can
    give the other one, two queries prove it.

    Exit status: 0 if there is a recipe, or nothing to do; 1 if none is known; 2 if the call is at fault.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    if table:
        _table(a, measure_text, output=output)
        return
    if a is None or b is None:
        raise CallError("translate what? Give A and B, or --table", code="argument-missing")
    measure = named_measure(measure_text or "AP")
    (first, apart), (second, apart_too) = _followed(a, measure), _followed(b, measure)
    translation = translate_between(measure, first, second)
    differs = bool(differing_in_values(measure, first, second))
    values = translate_values(measure, first, second) if differs else None
    supposed = [
        f"{name}: {premise}" for name, more in ((a, apart), (b, apart_too)) for premise in (*premises(name), *more)
    ]
    output.show(
        json=lambda: translation_data(translation, values, (a, b), supposed),
        text=lambda: translation_report(translation, values, (a, b), supposed),
    )
    there = translation.same or translation.recipe is not None or (values is not None and values.recipe is not None)
    click.get_current_context().exit(0 if there else 1)


def _table(name: str | None, measure: str | None, *, output: Output) -> None:
    """Print the table that is shipped.

    Raises:
        CallError: a library is named.
    """
    if name is not None:
        raise CallError(f"{name}: the table is of all pairs; leave it out", code="options-conflict")
    made = shipped_table()
    output.show(json=lambda: made, text=lambda: translations_report(made, measure))


def _followed(text: str, measure: Measure) -> tuple[Convention, list[str]]:
    """Return the convention that a name means, and what has to be so that it is followed.

    It is that of a library's newest record, or as it is written.

    Raises:
        AtlasError: the library's record does not tell.
        ConventionError: it names nothing.
    """
    if text.startswith("convention:"):
        return parse_convention(text.partition(":")[2]), []
    adapter = text.partition("==")[0].strip()
    is_library = adapter in known_adapters() or any(adapter == each.library for each in shipped_records())
    if not is_library:
        return parse_convention(text), []
    if measure.k is not None and adapter in known_adapters() and not takes_cutoff(adapter, measure):
        raise AtlasError(
            f"{adapter}: its {measure.name} takes no cutoff, so it can't return {measure}", code="cutoff-not-taken"
        )
    newest = [each for each in named(shipped_records(), text) if each.measured]
    measured = [each for record in newest[-1:] for each in measured_as(record, measure)]
    own = of_implementation(measured, text)
    known = sorted((each for each in own if each.is_whole or each.explained), key=lambda each: not each.is_whole)
    if not known or known[0].convention is None:
        what = "differs from every known convention" if own else "was not measured"
        raise AtlasError(
            f"{text}: its {measure} {what}; `rankspec atlas {adapter}` says what is known",
            code="convention-not-recorded",
        )
    declared = PROFILES.get(built_in(adapter).convention) if adapter in known_adapters() else None
    if declared is not None and declared.premises:  # which say up to where it follows it
        return known[0].convention, []
    return known[0].convention, [
        f"nothing depends on what it does outside all conventions ({each})" for each in known[0].deviations
    ]
