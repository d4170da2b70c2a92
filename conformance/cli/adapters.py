"""`rankspec adapters` and `rankspec smoke`: what can be checked here, and whether an adapter itself works."""

from __future__ import annotations

import sys
import time

import click
from rankspec.conformance.cases.catalogue import matching, shipped_cases
from rankspec.conformance.checks.check import Plan, check
from rankspec.conformance.cli import options
from rankspec.conformance.implementations.catalogue import available_adapters
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.reports.adapters import adapters_json, print_adapters, print_smoke, smoke_json
from rankspec.oracle.language.expression import parse_measure

SMOKE_CASES = "edge.basics.*"
"""Plain cases, on which conventions hardly differ: what fails here is the adapter, or the library is broken."""


@click.command()
@options.json_option
def adapters(*, as_json_: bool) -> None:
    """List the adapters: the library and its installed version, the shape, the measures, the declared convention."""
    found = available_adapters()
    if as_json_:
        options.print_json(adapters_json(found))
    else:
        print_adapters(options.console(), found)


@click.command()
@click.argument("implementation", metavar="IMPL")
@click.option("--measure", metavar="M", help="What a function computes, e.g. AP@10.")
@options.shape_option
@options.seconds_option
@options.memory_option
@options.json_option
def smoke(
    implementation: str,
    measure: str | None,
    shape: str | None,
    case_seconds: float | None,
    memory_mib: int | None,
    *,
    as_json_: bool,
) -> None:
    """Ask IMPL a few plain questions: does it load, is it called rightly, does it answer with numbers?

    Exit status: 0 if every answer is a number, 1 if one is not, 2 if IMPL can't be loaded.
    """
    named = parse(implementation, shape)
    stated = None if measure is None else parse_measure(measure)
    plan = Plan(questions_of(matching(shipped_cases(), SMOKE_CASES), stated), None, stated is not None)
    start = time.perf_counter()
    checked = check(named, plan, options.chosen_limits(case_seconds, memory_mib))
    seconds = time.perf_counter() - start
    if as_json_:
        options.print_json(smoke_json(checked, seconds))
    else:
        print_smoke(options.console(), checked, seconds)
    sys.exit(0 if checked.answered else 1)
