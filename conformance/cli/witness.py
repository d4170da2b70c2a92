"""`rankspec witness`: the smallest input on which two conventions or implementations part."""

from __future__ import annotations

from pathlib import Path

import click
from rankspec.conformance.cli import environments, options
from rankspec.conformance.cli.saving import of_witness, save, save_option
from rankspec.conformance.cli.telling import telling
from rankspec.conformance.infer.witness.witness import witness as find_witness
from rankspec.conformance.reports.witness import as_json, print_witness
from rankspec.conformance.run.limits import Limits


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--measure", metavar="M", help="What is compared, e.g. AP@10; by default AP.")
@click.option(
    "--axis", metavar="NAME", help="Only inputs that show this axis, e.g. ties; or cutoff, of implementations."
)
@click.option("--only-values", is_flag=True, help="Only inputs where both give a number, no query missing or unknown.")
@options.shape_option
@environments.python_option
@options.limits_options
@save_option
@options.json_option
def witness(
    a: str,
    b: str,
    measure: str | None,
    axis: str | None,
    shape: str | None,
    python: str | None,
    save_to: Path | None,
    *,
    limits: Limits,
    only_values: bool,
    as_json_: bool,
) -> None:
    """Find the smallest input on which A and B part: fewest documents, then relevant ones, then score levels.

    A and B are conventions (kaggle, "default[ties=expected]") or implementations (pytrec_eval, ranx==0.3.16,
    file.py:function), in any mix. A name that is both means the implementation, if its library is installed;
    convention:sklearn and implementation:sklearn say which.

    Exit status: 0 if they part or agree as far as was looked, 2 if the call or an implementation is at fault.
    """
    first, second = environments.versioned((a, b), None, python)
    with telling("witness") as tell:
        found = find_witness(
            first, second, measure, shape=shape, limits=limits, axis=axis, only_values=only_values, tell=tell
        )
    save(save_to, list(of_witness(found)))
    if as_json_:
        options.print_json(as_json(found))
    else:
        print_witness(options.console(), found)
