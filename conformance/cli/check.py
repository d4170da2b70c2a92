"""`rankspec check`: hold implementations to a convention, and say where theirs differ."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click
from rankspec.conformance.checks.check import Checked, Listener, Plan
from rankspec.conformance.checks.differences import differences
from rankspec.conformance.checks.known_failures import gate
from rankspec.conformance.checks.parallel import Together, check_all
from rankspec.conformance.checks.recording import record_of
from rankspec.conformance.cli import environments, options
from rankspec.conformance.cli.check_files import CheckFiles, check_files_options
from rankspec.conformance.cli.progress import progress
from rankspec.conformance.cli.streaming import Streaming, streaming
from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.reports.check import as_json, cases_listing, print_check
from rankspec.conformance.reports.console import print_csv
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.worker_process import NotReady
from rankspec.oracle.language.expression import parse_convention
from rankspec.oracle.language.trec_eval_names import named_measure


class _Run(NamedTuple):
    """How implementations are asked: limits, how many at a time, and the time for all of them."""

    limits: Limits
    jobs: int | None
    seconds: float | None


@click.command()
@click.argument("implementations", nargs=-1, required=True, metavar="IMPL...")
@click.option(
    "--under", metavar="CONVENTION", help="The convention to hold them to; by default, each its declared one."
)
@click.option("--measure", metavar="M", help="What a function computes, e.g. AP@10; every input is asked under it.")
@options.cases_option
@options.fixtures_option
@options.shape_option
@environments.python_option
@check_files_options
@options.limits_options
@options.run_seconds_option
@options.jobs_option
@options.all_option
@options.csv_option
@options.json_option
def check(
    implementations: tuple[str, ...],
    under: str | None,
    measure: str | None,
    pattern: str | None,
    paths: tuple[Path, ...],
    shape: str | None,
    python: str | None,
    run_seconds: float | None,
    jobs: int | None,
    *,
    limits: Limits,
    files: CheckFiles,
    every_case: bool,
    as_csv: bool,
    as_json_: bool,
) -> None:
    """Check IMPLEMENTATIONS against the convention that each declares, or against one that you state.

    IMPL is an adapter (sklearn, ranx, pytrec_eval), also at a version, which gets an environment of its own
    (ranx==0.3.16), path/to/file.py:function or package.module:function, or a program: "jsonl:COMMAND" speaks the line
    protocol, "cmd:COMMAND {qrels} {run}" prints trec_eval's three columns. Two versions of one library end with the
    table of the cases that changed.

    A run that --stream keeps can be rendered and merged with `rankspec report`, and compared with `rankspec diff`.

    Ctrl-C ends it with what is known so far.

    Exit status: 0 if all is as it should be, 1 if a case does not conform or was not asked in time, 2 if the call or
    an input is at fault, 130 after Ctrl-C.
    """
    files.require_writable()
    named = environments.named(implementations, shape, python)
    _distinct(named)
    stated = None if measure is None else named_measure(measure)
    cases = options.chosen_cases(paths, pattern)
    plan = Plan(questions_of(cases, stated), None if under is None else parse_convention(under), stated is not None)
    known = files.known()
    environments.make(named)
    with streaming(files.stream, plan, [each.text for each in named], known) as stream:
        together = _checked(named, plan, _Run(limits, jobs, run_seconds), stream)
        checks = together.checks
        if together.complete:
            _require_answers(checks)
        rows = differences(checks, {case.id: case.clause for case in cases}) if len(checks) > 1 else []
        whole = pattern is None and not paths and together.complete
        found = gate(record_of(checks, rows, stated, together), known, all_cases=whole)
        update = files.write_known_failures(known, found)
        if update is not None:
            found = gate(found, update.known, all_cases=whole)
        stream.end(as_json(found))
    try:  # first the files: whoever reads what is printed may stop reading (`| head`)
        files.outputs.write(found)
    finally:
        if as_json_:
            options.print_json(as_json(found))
        elif as_csv:
            print_csv(cases_listing(found))
        else:
            print_check(options.console(), found, every_case=every_case)
        if (line := files.written_line(update)) is not None:
            click.echo(line, err=as_json_ or as_csv)
    if together.interruption is not None:
        raise click.Abort
    if together.not_ready:
        raise NotReady("; ".join(together.not_ready))
    sys.exit(0 if found.holds else 1)


def _distinct(implementations: Sequence[Implementation]) -> None:
    """Refuse the same name twice: findings are kept, and reported, under it.

    Raises:
        click.UsageError: naming it.
    """
    for name, count in Counter(each.text for each in implementations).items():
        if count > 1:
            raise click.UsageError(f"{name} is named {count} times; name each implementation once")


def _require_answers(checks: Sequence[Checked]) -> None:
    """Refuse to call it fine when not one question could be put.

    Raises:
        click.UsageError: with the commonest reason.
    """
    if any(checked.asked for checked in checks):
        return
    name, answers = checks[0].name, checks[0].answers
    commonest = Counter(answer.judgement.detail for answer in answers).most_common(1)
    reason = commonest[0][0] if commonest else "the cases are about no measure that is known"
    raise click.UsageError(f"{name}: none of the {len(answers)} questions can be put to it: {reason}")


def _checked(implementations: Sequence[Implementation], plan: Plan, run: _Run, stream: Streaming) -> Together:
    with progress(each.text for each in implementations) as told:

        def listener(implementation: Implementation) -> Listener:
            name = implementation.text
            shown = told(name)
            return Listener(shown.count, stream.on_answer(name), stream.on_hello(name), shown.prepare)

        return check_all(implementations, plan, run.limits, jobs=run.jobs, run_seconds=run.seconds, listen=listener)
