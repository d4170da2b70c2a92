"""`rankspec resolve`: which conventions give a number on the data that it was computed from."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import click
from rankspec.conformance.cli.support import options
from rankspec.conformance.cli.support.options import CallError, Output, input_options, read_measure, with_files
from rankspec.conformance.data.arguments import computing_command, data_of_texts
from rankspec.conformance.infer.resolve.resolve import (
    JointResolution,
    resolve_data,
    resolve_jointly,
    with_other_cutoffs,
)
from rankspec.conformance.reports.resolve import joint_data, resolution_data, resolutions_report
from rankspec.conformance.run import progress_bars

UNEXPLAINED = 1


@click.command()
@click.option(
    "--value",
    "values",
    required=True,
    multiple=True,
    metavar="NUMBER",
    help="The number with its printed digits: 0.6533, 5/9, nan; twice: explain why the two differ.",
)
@input_options
@click.option("--any-cutoff", is_flag=True, help="Also try every cutoff and depth.")
@click.option(
    "--any-measure", is_flag=True, help="If nothing gives the number, try other measures with the same cutoff."
)
@click.option("--all", "all_of_them", is_flag=True, help="List every explanation, not just the simplest.")
@options.weights_option
@options.output_options("csv", "json")
def resolve(
    values: tuple[str, ...],
    measure_text: str | None,
    k_text: str | None,
    weights: Mapping[str, Fraction] | None,
    files: tuple[str, ...],
    *,
    any_cutoff: bool,
    any_measure: bool,
    all_of_them: bool,
    output: Output,
    **file_options: str | None,
) -> None:
    """Say which conventions return a NUMBER to the printed digits, simplest first; or that none does.

    If no plain convention gives it, other cutoffs are tried, too. For two numbers it prints the plainest conventions
    that give them, and what these differ on.

    \b
    rankspec resolve --value 0.598 --relevance 1,0,1,1,0,0,1,0,0,0 --num-relevant 5
    rankspec resolve --value 0.5833 --labels 1,0,1 --scores 0.9,0.5,0.5
    rankspec resolve --value 0.5556 --actual a,b --predicted a,c,b --k 3
    rankspec resolve qrels.txt run.txt.gz --value 0.2143 --measure AP@10
    rankspec resolve --value 0.9468 --relevance 3,2,0,1 --measure nDCG@3
    rankspec resolve --value 0.5714 --detections found.csv --ground-truths 5 --query cat
    rankspec resolve --value 0.5333 --value 0.5556 --relevance 1,0,1,1,1 --num-relevant 5
    rankspec resolve --value 0.3333 --relevance 0,0,1,1 --measure AP --any-measure
    rankspec resolve qrels.txt run.txt --value 0.4 --measure RR --weights weights.txt

    Exit status: 0 if the number is explained, 1 if no convention gives it, 2 if the call or an input is wrong.
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    given = with_files(files, file_options)
    measure = read_measure(measure_text, k_text)
    data = replace(data_of_texts(measure.rel, given), weights=weights)
    value, *others = values
    if others:
        for option, is_given in (("--any-measure", any_measure), ("--csv", output.format == "csv")):
            if is_given:
                raise CallError(f"{option} is for one --value; resolve them one at a time", code="options-conflict")
    with progress_bars.bar("resolve") as tell:
        if others:
            together = resolve_jointly(values, measure, data, tell)
        else:
            resolution = resolve_data(
                value, measure, data, any_cutoff=any_cutoff, any_measure=any_measure, progress=tell
            )
            together = JointResolution((resolution if any_cutoff else with_other_cutoffs(resolution, data, tell),), ())
    first = together.values[0]
    command = computing_command(given) if weights is None else []  # which knows of no file of weights
    every = all_of_them or output.format == "csv"
    output.show(
        json=lambda: joint_data(together) if others else resolution_data(first),
        text=lambda: resolutions_report(together, command, all_of_them=every),
    )
    sys.exit(0 if together.status == "explained" else UNEXPLAINED)
