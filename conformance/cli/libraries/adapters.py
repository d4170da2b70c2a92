"""`rankspec adapters`, `smoke` and `environments`: what can be checked here, and whether it works."""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import click
from rankspec.conformance.cases.catalogue import matching, shipped_cases
from rankspec.conformance.checks.check import Checked, CheckPlan, check
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import CallError, Output
from rankspec.conformance.implementations.naming import measure_by_name
from rankspec.conformance.implementations.pinned import PinError, normalised, split_version
from rankspec.conformance.implementations.specs import Implementation, adapter_entries
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.reports.libraries import implementations
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.environments import Environment, clear, installed_environments, root
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.verbs.implementations import make_environments, named_implementations
from rankspec.conformance.worker.messages import ANY_MEASURE
from rankspec.conformance.worker.shapes import CUTOFF, Need
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.language.trec_eval_names import named_measure

SMOKE_CASES = "edge.basics.*"
"""Plain cases, on which conventions hardly differ: what fails here is the adapter, or the library is broken."""


@click.command()
@click.option("--all", "every_one", is_flag=True, help="Also list those whose library is not fully installed.")
@options.output_options("csv", "json")
def adapters(*, every_one: bool, output: Output) -> None:
    """List the adapters: the library and its installed version, the shape, the measures, the declared convention.

    An adapter comes with rankspec, or with a package that has an entry point in the group rankspec.adapters.
    """
    listed_here = adapter_entries()
    output.show(
        json=lambda: implementations.adapters_data(listed_here),
        csv=lambda: implementations.adapters_table(listed_here),
        text=lambda: implementations.adapters_report(listed_here, every_one=every_one),
    )


def _smoke_check(named: Implementation, measure: Measure | None, limits: Limits) -> Checked:
    plan = CheckPlan(questions_of(matching(shipped_cases(), SMOKE_CASES), measure), None, measure is not None)
    return check(Workers(named, limits), plan)


@click.command()
@click.argument("implementation", metavar="IMPL")
@click.option("-m", "--measure", metavar="M", help="What a function computes, e.g. AP@10.")
@options.shape_option
@options.python_option
@options.limits_options
@options.output_options("json")
def smoke(
    implementation: str, measure: str | None, shape: str | None, python: str | None, *, limits: Limits, output: Output
) -> None:
    """Ask IMPL a few plain questions: does it load, does it accept the calls, does it return numbers?

    Exit status: 0 if every answer is a number, 1 if one is not, 2 if IMPL can't be loaded.
    """
    (named,) = named_implementations((implementation,), shape, python)
    stated = None if measure is None else named_measure(measure)
    make_environments((named,))
    start = time.perf_counter()
    checked = _smoke_check(named, stated, limits)
    told = measure_by_name(checked.hello) if stated is None and not checked.applicable else None
    if told is not None:  # the plain questions are of average precision, and this is none
        takes_cutoff = checked.hello.functions[ANY_MEASURE].need(CUTOFF) is not Need.ABSENT
        again = _smoke_check(named, replace(told, k=told.k or (10 if takes_cutoff else None)), limits)
        checked = replace(again, remarks=(*dict.fromkeys((*checked.remarks, *again.remarks)),))
    seconds = time.perf_counter() - start
    output.show(
        json=lambda: implementations.smoke_data(checked, seconds),
        text=lambda: implementations.smoke_report(checked, seconds),
    )
    sys.exit(0 if checked.answered else 1)


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.option("--clear", "clears", is_flag=True, help="Delete them.")
@options.output_options("csv", "json")
def environments(names: tuple[str, ...], *, clears: bool, output: Output) -> None:
    """List the environments that were made for stated versions, or delete them.

    NAME is a distribution (ranx) or a version of it (ranx==0.3.16); by default all.
    """
    chosen = [each for each in installed_environments() if not names or any(_is_meant(each, name) for name in names)]
    for name in names:
        if not any(_is_meant(each, name) for each in chosen):
            raise CallError(f"{name}: there is no such environment in {root()}", code="unknown-environment")
    if clears:
        clear(chosen)
    output.show(
        json=lambda: implementations.environments_data(root(), chosen, cleared=clears),
        csv=lambda: implementations.environments_table([] if clears else chosen),
        text=lambda: implementations.environments_report(root(), chosen, cleared=clears),
    )


def _is_meant(environment: Environment, name: str) -> bool:
    try:
        distribution, version = split_version(name) or (name, None)
    except PinError as error:
        raise CallError(f"{name}: {error}", code=error.code) from error
    return normalised(distribution) == normalised(environment.distribution) and version in (
        None,
        environment.version,
        environment.requested[0],
    )
