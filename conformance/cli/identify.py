"""`rankspec identify`: which conventions a function follows."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rankspec.conformance.cli import environments, options
from rankspec.conformance.cli.saving import of_identification, save, save_option
from rankspec.conformance.cli.telling import telling
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.infer.identify.identify import identify as identify_one
from rankspec.conformance.reports.identify import as_json, print_identification
from rankspec.conformance.reproducing.snippet import with_snippet
from rankspec.conformance.run.limits import Limits


@click.command()
@click.argument("implementation", metavar="IMPL")
@click.option(
    "--measure",
    metavar="M",
    help="What it computes, e.g. AP@3; by default what its name tells, else AP, with every cutoff.",
)
@options.shape_option
@environments.python_option
@options.limits_options
@save_option
@options.json_option
def identify(
    implementation: str,
    measure: str | None,
    shape: str | None,
    python: str | None,
    save_to: Path | None,
    *,
    limits: Limits,
    as_json_: bool,
) -> None:
    """Find out which conventions IMPL follows, axis by axis, by asking it.

    IMPL is an adapter (sklearn, ranx, pytrec_eval), also at a version (ranx==0.3.16), path/to/file.py:function or
    package.module:function, or a program: "jsonl:COMMAND" (the line protocol), "cmd:COMMAND {qrels} {run}" (trec_eval's
    three columns).

    Exit status: 0 if it is identified, ambiguous, or outside of every convention or unstable in a way that is fully
    explained; 1 if it is outside or unstable otherwise, or failed; 2 if the call is at fault.
    """
    (named,) = environments.versioned((implementation,), shape, python)
    with telling(implementation) as tell:
        found = identify_one(named, shape=shape, measure=measure, limits=limits, tell=tell)
    found = with_snippet(found, parse(named, shape) if isinstance(named, str) else named)
    save(save_to, of_identification(found))
    if as_json_:
        options.print_json(as_json(found))
    else:
        print_identification(options.console(), found)
    sys.exit(0 if found.is_good else 1)
