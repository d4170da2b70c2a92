"""`rankspec report-bug`: what is wrong with one answer, ready to file."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import join

import click
from rankspec.conformance.atlas.followed import convention_named
from rankspec.conformance.atlas.records import AtlasError, measured_as, named, of_implementation, shipped_records
from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.catalogue import load_cases, shipped_cases
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.checks.check import Plan
from rankspec.conformance.checks.diff import diff as diff_of
from rankspec.conformance.checks.merging import merged
from rankspec.conformance.checks.records import CheckRecord
from rankspec.conformance.cli.support import options, specifications
from rankspec.conformance.cli.support.files import (
    Outputs,
    output_path,
    outputs_options,
    require_writable,
    write_markdown,
)
from rankspec.conformance.cli.support.options import CallError, Output
from rankspec.conformance.questions.question import Question, questions_of
from rankspec.conformance.reports.bug import bug_data, bug_text
from rankspec.conformance.reports.checks.check import cases_table, merged_data, merged_report
from rankspec.conformance.reports.checks.diff import KeptCheck, changes_table, diff_data, diff_markdown, diff_report
from rankspec.conformance.reports.checks.stream import ReportFileError, read_check
from rankspec.conformance.reproducing.bug import Filed, NothingToReportError, bug_of
from rankspec.conformance.run.limits import Limits
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.language.expression import parse_expression
from rankspec.oracle.language.trec_eval_names import named_measure

STANDARD_INPUT = "-"
kept_check = click.Path(path_type=Path, allow_dash=True)


@click.command()
@click.argument("files", nargs=-1, required=True, type=kept_check, metavar="FILE...")
@outputs_options
@options.all_option
@options.output_options("csv", "json")
def report(files: tuple[Path, ...], outputs: Outputs, *, every_case: bool, output: Output) -> None:
    """Render saved checks, and merge them if there are several.

    FILE is what `rankspec check --stream FILE` writes or `check --json` prints; - is standard input. Several files may
    be shards of the cases, or different implementations; contradictions between files are listed.

    Exit status: 0 if every case conforms, 1 if a case does not, a file is cut off or two contradict each
    other, 2 if a file can't be read.
    """
    require_writable(outputs.named())
    records = {_unused(str(path), files[:place]): read_file(path) for place, path in enumerate(files)}
    merger = merged(records)
    outputs.write(merger.record)
    output.show(
        json=lambda: merged_data(merger, records),
        csv=lambda: cases_table(merger.record),
        text=lambda: merged_report(merger, records, every_case=every_case),
    )
    sys.exit(0 if merger.holds else 1)


@click.command()
@click.argument("old", type=kept_check)
@click.argument("new", type=kept_check)
@click.option(
    "--markdown",
    "summary",
    callback=output_path,
    metavar="FILE",
    help="Write Markdown there; what $GITHUB_STEP_SUMMARY names is appended to.",
)
@options.output_options("csv", "json")
def diff(old: Path, new: Path, summary: Path | None, *, output: Output) -> None:
    """Say what changed between two checks, OLD and NEW: new failures, fixed cases, other values.

    Both are what `rankspec check --stream FILE` writes or `check --json` prints; - is standard input.

    Exit status: 0 if nothing got worse, 1 if something did or NEW is cut off, 2 if a file can't be read.
    """
    require_writable(iter([] if summary is None else [("--markdown", summary)]))
    before, after = (KeptCheck(str(path), read_file(path)) for path in (old, new))
    changes = diff_of(before.record, after.record)
    if not changes.implementations:
        names = " and ".join(
            ", ".join(each.name for each in side.record.implementations) or "none" for side in (before, after)
        )
        raise CallError(f"no implementation is in both files: there are {names}", code="no-implementation-in-common")
    if summary is not None:
        write_markdown(summary, diff_markdown(before, after, changes))
    output.show(
        json=lambda: diff_data(before, after, changes),
        csv=lambda: changes_table(changes),
        text=lambda: diff_report(before, after, changes),
    )
    sys.exit(1 if changes.is_worse else 0)


def _unused(name: str, before: tuple[Path, ...]) -> str:
    """Refuse a file that is named twice: every answer in it would seem to be confirmed.

    Raises:
        CallError: it is.
    """
    if any(Path(name).resolve() == other.resolve() for other in before):
        raise CallError(f"{name}: the file is named twice", code="file-repeated")
    return name


def read_file(path: Path) -> CheckRecord:
    """Read a kept check, - from standard input.

    Raises:
        ReportFileError: it can't be read, or is damaged.
    """
    if str(path) == STANDARD_INPUT:
        return read_check("standard input", sys.stdin.buffer.read())
    try:
        return read_check(str(path), path.read_bytes())
    except OSError as error:
        raise ReportFileError(
            f"{path}: can't be read: {(error.strerror or str(error)).lower()}", code="file-unreadable"
        ) from None


@click.command("report-bug")
@click.argument("name", metavar="NAME")
@click.argument("case", metavar="[CASE]", required=False)
@click.option("--check", "kept", type=kept_check, metavar="FILE", help="A kept check: CASE is its smallest failure.")
@click.option("--measure", "measure_text", metavar="M", help="What a function computes; without CASE, of the atlas.")
@click.option("--library", default="", metavar="PACKAGE", help="Report on this library, which your own function calls.")
@click.option("--under", metavar="CONVENTION", help="The convention to hold it to; by default its declared one.")
@options.fixtures_option
@specifications.shape_option
@specifications.python_option
@specifications.limits_options
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
    (implementation,) = specifications.named((name,), shape, python)
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
    specifications.make([implementation])
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
    """Return the id of the smallest case that fails in a kept check.

    Raises:
        CallError: the implementation is not in it, or nothing fails.
    """
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
    """Return what a case asks.

    Raises:
        CallError: there is no such case, or it asks nothing.
    """
    if case is None:
        raise CallError(f"{name}: there is no such case; `rankspec fixtures list` shows them", code="unknown-case")
    asked = questions_of([case], measure)
    if not asked:
        raise CallError(f"{name}: the case asks no implementation anything", code="nothing-asked")
    return asked[0]


def _of_the_atlas(name: str, measure: Measure) -> tuple[Question, Convention]:
    """Return the smallest input of a library's record, and the convention that it is nearest to.

    Raises:
        AtlasError: its record has none.
    """
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
