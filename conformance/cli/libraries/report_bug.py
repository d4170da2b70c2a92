"""`rankspec report-bug`: what is wrong with one answer, ready to file."""

from __future__ import annotations

from pathlib import Path
from shlex import join

import click
from rankspec.conformance.atlas.convention_names import convention_named
from rankspec.conformance.atlas.records import AtlasError, measured_as, named, of_implementation, shipped_records
from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.catalogue import load_cases, shipped_cases
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.checks.check import Plan
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
from rankspec.oracle.language.expression import parse_expression
from rankspec.oracle.language.trec_eval_names import named_measure


@click.command("report-bug")
@click.argument("name", metavar="NAME")
@click.argument("case", metavar="[CASE]", required=False)
@click.option("--check", "kept", type=kept_check, metavar="FILE", help="A kept check: CASE is its smallest failure.")
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
    kept: Path | None,
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
    if case is None and kept is not None:
        case = _smallest_failure(kept, name)
    stated = None if under is None else convention_named(under, measure)
    if case is not None:
        listed = load_cases(paths) if paths else shipped_cases()
        found = next((each for each in listed if each.id == case), None)
        question = _question_of(found, case, measure)
    elif measure is not None:
        found = None
        question, nearest = _of_the_atlas(name, measure)
        stated = stated or nearest
    else:
        raise CallError(
            f"{name}: which case? Give CASE, --check FILE, or --measure M for that of the atlas", code="case-missing"
        )
    make_environments([implementation])
    plan = Plan([], stated, measure is not None)
    try:
        bug = bug_of(implementation, Filed(question, found, library, _causes(name, question.measure)), plan, limits)
    except NothingToReportError as nothing:
        click.echo(f"nothing to report: {nothing}", err=True)
        click.get_current_context().exit(1)
    command = _command(name, case, measure, None if under is None else bug.checked.convention_text, library)
    output.show(
        json=lambda: bug_data(bug, implementation, command), text=lambda: bug_text(bug, implementation, command)
    )


def _smallest_failure(path: Path, name: str) -> str:
    """Return the id of a kept check's smallest failure; `CallError` if it has none of the implementation."""
    listed = read_file(path).implementations
    found = [each for each in listed if each.name == name]
    if not found:
        raise CallError(
            f"{path}: it has {', '.join(each.name for each in listed)}, not {name}", code="unknown-implementation"
        )
    failing = sorted(found[0].failing, key=lambda case: case.size)
    if not failing:
        raise CallError(f"{path}: every case of {name} conforms", code="nothing-fails")
    return failing[0].id


def _question_of(case: Case | None, name: str, measure: Measure | None) -> Question:
    """Return what a case asks; `CallError` if there is no such case, or it asks nothing."""
    if case is None:
        raise CallError(f"{name}: there is no such case; `rankspec fixtures list` shows them", code="unknown-case")
    asked = questions_of([case], measure)
    if not asked:
        raise CallError(f"{name}: the case asks no implementation anything", code="nothing-asked")
    return asked[0]


def _of_the_atlas(name: str, measure: Measure) -> tuple[Question, Convention]:
    """Return the smallest input of a library's record, and the nearest convention; `AtlasError` for none."""
    records = [each for each in named(shipped_records(), name) if each.measured]
    measured = [each for record in records[-1:] for each in measured_as(record, measure)]
    own = of_implementation(measured, name)
    smallest = next((each.smallest for each in own if each.smallest is not None), None)
    if smallest is None or smallest.convention is None:
        raise AtlasError(
            f"{name}: its record has no input on which {measure} differs from a convention; give a CASE",
            code="measure-not-recorded",
        )
    given = case_input({key: value for key, value in smallest.input.items() if key != "k"})
    asked, convention = parse_expression(smallest.convention)
    return Question(f"the atlas for {asked}", asked, given.qrels, given.run), convention


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


def _command(name: str, case: str | None, measure: Measure | None, stated: str | None, library: str) -> str:
    words = ["rankspec", "report-bug", name, *([case] if case is not None else [])]
    words += ["--measure", str(measure)] if measure is not None else []
    words += ["--under", stated] if stated is not None else []
    words += ["--library", library] if library else []
    return join(words)
