"""`rankspec adapters` and `rankspec smoke`: what can be checked here, a new adapter, and whether one works."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click
from rankspec.conformance.cases.catalogue import matching, shipped_cases
from rankspec.conformance.checks.check import Plan, check
from rankspec.conformance.cli import environments, options
from rankspec.conformance.cli.group import Verbs
from rankspec.conformance.implementations.catalogue import listed_adapters
from rankspec.conformance.implementations.skeleton import SkeletonError, write_skeleton
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.reports.adapters import (
    adapters_json,
    adapters_table,
    print_adapters,
    print_skeleton,
    print_smoke,
    skeleton_json,
    smoke_json,
)
from rankspec.conformance.run.limits import Limits
from rankspec.oracle.language.trec_eval_names import named_measure

SMOKE_CASES = "edge.basics.*"
"""Plain cases, on which conventions hardly differ: what fails here is the adapter, or the library is broken."""


@click.group(cls=Verbs, invoke_without_command=True)
@click.option("--all", "every_one", is_flag=True, help="Those whose library is not installed in full, too.")
@options.csv_option
@options.json_option
@click.pass_context
def adapters(context: click.Context, *, every_one: bool, as_csv: bool, as_json_: bool) -> None:
    """List the adapters: the library and its installed version, the shape, the measures, the declared convention.

    An adapter comes with rankspec, or with a package that has an entry point in the group rankspec.adapters.
    """
    if context.invoked_subcommand is not None:
        return
    found = listed_adapters()
    if as_csv:
        click.echo(adapters_table(found).csv(), nl=False)
    elif as_json_:
        options.print_json(adapters_json(found))
    else:
        print_adapters(options.console(), found, every_one=every_one)


@adapters.command()
@click.argument("name")
@click.option("--shape", default="qrels-run", show_default=True, metavar="SHAPE", help="How the library is called.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="FOLDER",
    help="Where the files go; by default the working folder.",
)
@click.option("--distribution", metavar="PACKAGE", help="The library's package; by default NAME.")
@options.json_option
def new(name: str, shape: str, folder: Path, distribution: str | None, *, as_json_: bool) -> None:
    """Write a skeleton of an adapter called NAME, with its test, and say what to do next.

    No file is overwritten. SHAPE is ranking, labels-scores, actual-predicted, qrels-run or files.
    """
    try:
        written = write_skeleton(name, shape, folder, distribution)
    except SkeletonError as error:
        raise click.UsageError(str(error)) from error
    if as_json_:
        options.print_json(skeleton_json(written))
    else:
        print_skeleton(options.console(), written)


@click.command()
@click.argument("implementation", metavar="IMPL")
@click.option("--measure", metavar="M", help="What a function computes, e.g. AP@10.")
@options.shape_option
@environments.python_option
@options.limits_options
@options.json_option
def smoke(
    implementation: str,
    measure: str | None,
    shape: str | None,
    python: str | None,
    *,
    limits: Limits,
    as_json_: bool,
) -> None:
    """Ask IMPL a few plain questions: does it load, is it called rightly, does it answer with numbers?

    Exit status: 0 if every answer is a number, 1 if one is not, 2 if IMPL can't be loaded.
    """
    (named,) = environments.named((implementation,), shape, python)
    stated = None if measure is None else named_measure(measure)
    environments.make((named,))
    plan = Plan(questions_of(matching(shipped_cases(), SMOKE_CASES), stated), None, stated is not None)
    start = time.perf_counter()
    checked = check(named, plan, limits)
    seconds = time.perf_counter() - start
    if as_json_:
        options.print_json(smoke_json(checked, seconds))
    else:
        print_smoke(options.console(), checked, seconds)
    sys.exit(0 if checked.answered else 1)
