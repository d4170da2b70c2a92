"""`rankspec report-bug`: what is wrong with one answer, ready to file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import join

import click
from rankspec.conformance.atlas.convention_names import convention_named
from rankspec.conformance.atlas.records import AtlasError, measured_as, named, of_implementation, shipped_records
from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.catalogue import load_cases, shipped_cases
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.checks.check import CheckPlan
from rankspec.conformance.checks.records import CheckRecord
from rankspec.conformance.cli.saved_checks import kept_check, read_file
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import CallError, Output
from rankspec.conformance.questions.question import Question, questions_of
from rankspec.conformance.reports.libraries.bug import bug_data, bug_text
from rankspec.conformance.reproducing.bug import Filed, NothingToReportError, bug_of
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.verbs.implementations import make_environments, named_implementations
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import InputError
from rankspec.oracle.language.expression import parse_expression
from rankspec.oracle.language.trec_eval_names import named_measure


@click.command("report-bug")
@click.argument("name", metavar="NAME")
@click.argument("case", metavar="[CASE]", required=False)
@click.option("--check", "saved", type=kept_check, metavar="FILE", help="A kept check: CASE is its smallest failure.")
@click.option(
    "-m", "--measure", "measure_text", metavar="M", help="What a function computes; without CASE, of the atlas."
)
@click.option("--library", default="", metavar="PACKAGE", help="Report on this library, which your own function calls.")
@click.option("--under", metavar="CONVENTION", help="The convention to hold it to; by default its declared one.")
@options.fixtures_option
@options.shape_option
@options.python_option
@options.limits_options
@options.output_options("json")
def report_bug(
    name: str,
    case: str | None,
    saved: Path | None,
    measure_text: str | None,
    library: str,
    under: str | None,
    paths: tuple[Path, ...],
    shape: str | None,
    python: str | None,
    *,
    limits: Limits,
    output: Output,
) -> None:
    """Write a bug report that can be filed: the smallest call of the library, and how the right value is computed.

    \b
    rankspec report-bug ranx edge.ndcg.at.empty-list
    rankspec report-bug ranx --check kept.json
    rankspec report-bug beir --measure AP@3
    rankspec report-bug metrics.py:ap edge.ties.grouped --under sklearn
    rankspec report-bug wrappers.py:ap edge.no-hits.zero.alone --library mlflow

    NAME is an implementation as `rankspec check` takes it, CASE the id of a case. Without CASE it is the smallest
    failure of --check, or the smallest input of the library's record in the atlas, held to the convention that is
    nearest. The input is made smaller as long as it fails in the same way. The snippet has no wrapper: it is what the
    adapter, or the function of --library, calls for that input. It is run in a fresh Python.

    Exit status: 0; 1 if there is nothing to report, since the answer is what the convention demands; 2 if the call is
    at fault.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    measure = None if measure_text is None else named_measure(measure_text)
    (implementation,) = named_implementations((name,), shape, python)
    if case is None and saved is not None:
        case = _smallest_failure(read_file(saved), str(saved), name)
    stated = None if under is None else convention_named(under, measure)
    if case is not None:
        filed = _filed_case(name, case, load_cases(paths) if paths else shipped_cases(), measure, library)
    elif measure is not None:
        filed, nearest = _filed_record(name, measure, library)
        stated = stated or nearest
    else:
        raise CallError(
            f"{name}: which case? Give CASE, --check FILE, or --measure M for that of the atlas", code="case-missing"
        )
    make_environments([implementation])
    plan = CheckPlan([], stated, measure is not None)
    try:
        bug = bug_of(implementation, filed, plan, limits)
    except NothingToReportError as nothing:
        click.echo(f"nothing to report: {nothing}", err=True)
        click.get_current_context().exit(1)
    command = _command(name, case, measure, None if under is None else bug.checked.convention_text, library)
    output.show(
        json=lambda: bug_data(bug, implementation, command), text=lambda: bug_text(bug, implementation, command)
    )


def _command(name: str, case: str | None, measure: Measure | None, stated: str | None, library: str) -> str:
    words = ["rankspec", "report-bug", name, *([case] if case is not None else [])]
    words += ["--measure", str(measure)] if measure is not None else []
    words += ["--under", stated] if stated is not None else []
    words += ["--library", library] if library else []
    return join(words)


def _smallest_failure(record: CheckRecord, file: str, name: str) -> str:
    """Return the id of a kept check's smallest failure; `InputError` if it has none of the implementation."""
    listed = record.implementations
    matching = [each for each in listed if each.name == name]
    if not matching:
        raise InputError(
            f"{file}: it has {', '.join(each.name for each in listed)}, not {name}", code="unknown-implementation"
        )
    failing = sorted(matching[0].failing, key=lambda case: case.size)
    if not failing:
        raise InputError(f"{file}: every case of {name} conforms", code="nothing-fails")
    return failing[0].id


def _filed_case(name: str, case: str, cases: Sequence[Case], measure: Measure | None, library: str) -> Filed:
    """Return what is filed of a case; `InputError` if there is no such case, or it asks nothing."""
    filed = next((each for each in cases if each.id == case), None)
    if filed is None:
        raise InputError(f"{case}: there is no such case; `rankspec fixtures list` shows them", code="unknown-case")
    questions = questions_of([filed], measure)
    if not questions:
        raise InputError(f"{case}: the case asks no implementation anything", code="nothing-asked")
    return Filed(questions[0], filed, library, _causes(name, questions[0].measure))


def _filed_record(name: str, measure: Measure, library: str) -> tuple[Filed, Convention]:
    """Return what is filed of a library's record (its smallest input), and the nearest convention; or `AtlasError`."""
    records = [each for each in named(shipped_records(), name) if each.measured]
    measured = [each for record in records[-1:] for each in measured_as(record, measure)]
    own = of_implementation(measured, name)
    smallest = next((each.smallest for each in own if each.smallest is not None), None)
    if smallest is None or smallest.convention is None:
        raise AtlasError(
            f"{name}: its record has no input on which {measure} differs from a convention; give a CASE",
            code="measure-not-recorded",
        )
    data = case_input({key: value for key, value in smallest.input.items() if key != "k"})
    measure_of_input, convention = parse_expression(smallest.convention)
    question = Question(f"the atlas for {measure_of_input}", measure_of_input, data.qrels, data.run)
    return Filed(question, None, library, _causes(name, measure_of_input)), convention


def _causes(name: str, measure: Measure) -> dict[str | None, str]:
    """Return what the atlas says that a library does and no convention says, by version."""
    try:
        records = named(shipped_records(), name)
    except AtlasError:
        return {}
    adapter = name.partition("==")[0]
    return {
        record.version: f"{each.expression}, except for {'; '.join(each.deviations)}"
        for record in records
        for each in measured_as(record, measure)
        if each.implementation == adapter and each.deviations
    }
