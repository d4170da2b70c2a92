"""`rankspec check`: hold implementations to a convention, and say where theirs differ."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from rankspec.conformance.checks.check import Checked, Plan
from rankspec.conformance.checks.check import check as check_one
from rankspec.conformance.checks.differences import differences
from rankspec.conformance.checks.known_failures import gate, read_known_failures
from rankspec.conformance.cli import options
from rankspec.conformance.implementations.specs import Implementation, parse
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.reports.check import as_json, print_check
from rankspec.conformance.run.limits import Limits
from rankspec.oracle.language.expression import parse_convention, parse_measure
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


@click.command()
@click.argument("implementations", nargs=-1, required=True, metavar="IMPL...")
@click.option(
    "--under", metavar="CONVENTION", help="The convention to hold them to; by default, each its declared one."
)
@click.option("--measure", metavar="M", help="What a function computes, e.g. AP@10; every input is asked under it.")
@options.cases_option
@options.fixtures_option
@options.shape_option
@click.option(
    "--known-failures",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Cases known to fail, with a reason each (YAML).",
)
@options.seconds_option
@options.memory_option
@options.json_option
def check(
    implementations: tuple[str, ...],
    under: str | None,
    measure: str | None,
    pattern: str | None,
    paths: tuple[Path, ...],
    shape: str | None,
    known_failures: Path | None,
    case_seconds: float | None,
    memory_mib: int | None,
    *,
    as_json_: bool,
) -> None:
    """Check IMPLEMENTATIONS against the convention that each declares, or against one that you state.

    IMPL is an adapter (sklearn, ranx, pytrec_eval), path/to/file.py:function or package.module:function.

    Exit status: 0 if all is as it should be, 1 if a case does not conform, 2 if the call or an input is at fault.
    """
    named = [parse(text, shape) for text in implementations]
    stated = None if measure is None else parse_measure(measure)
    cases = options.chosen_cases(paths, pattern)
    plan = Plan(questions_of(cases, stated), None if under is None else parse_convention(under), stated is not None)
    known = {} if known_failures is None else read_known_failures(known_failures)
    limits = options.chosen_limits(case_seconds, memory_mib)
    checks = [_checked(implementation, plan, limits) for implementation in named]
    _require_answers(checks)
    rows = differences(checks, {case.id: case.clause for case in cases}) if len(checks) > 1 else []
    held = gate(checks, known, all_cases=pattern is None and not paths)
    if as_json_:
        options.print_json(as_json(checks, rows, held))
    else:
        print_check(options.console(), checks, rows, held)
    sys.exit(0 if held.holds else 1)


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


def _checked(implementation: Implementation, plan: Plan, limits: Limits) -> Checked:
    with _progress() as bar:
        task = bar.add_task(f"{implementation.text}: starting", total=None)

        def told(known: int, total: int) -> None:
            bar.update(task, completed=known, total=total, description=implementation.text)

        return check_one(implementation, plan, limits, told)


@contextmanager
def _progress() -> Iterator[Progress]:
    """Show progress on standard error, where somebody looks at it; it goes away when the work is done."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield progress
