"""The data that `resolve` and `explain` are given: options for the forms, and what is made of them."""

from __future__ import annotations

from dataclasses import replace

import click
from rankspec.conformance.cli.support.options import LISTS, CallError, Command, files_by_position
from rankspec.conformance.data.typed import whole_number
from rankspec.oracle.conventions.families import FAMILIES, UNSTATED
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.language.trec_eval_names import named_measure

_OPTIONS = (
    click.argument("files", nargs=-1, metavar="[QRELS RUN]"),
    click.option("--relevance", metavar="1,0,1", help="Labels in rank order."),
    click.option("--num-relevant", metavar="R", help="Relevant documents, retrieved or not (by default the hits)."),
    click.option("--labels", metavar="1,0,1", help="Labels, one per document; needs --scores."),
    click.option("--scores", metavar="0.9,0.5,0.5", help="Scores, one per document, read as exact decimals."),
    click.option("--actual", metavar="a,b", help="Relevant ids; needs --predicted."),
    click.option("--predicted", metavar="a,c,b", help="Ids in rank order."),
    click.option("--qrels", metavar="FILE", help="Qrels: TREC, CSV, TSV, JSON, Parquet; - is standard input."),
    click.option("--run", metavar="FILE", help="A run: TREC, CSV, TSV, JSON, Parquet; - is standard input."),
    *LISTS,
    click.option("--query", metavar="Q", help="One query of the files (a class) instead of their mean."),
    click.option(
        "-m",
        "--measure",
        "measure_text",
        metavar="M",
        help="The measure that the number is reported as, e.g. AP@10 (AP).",
    ),
    click.option("--k", "k_text", metavar="K", help="A cutoff: --k 10 is AP@10."),
)


def input_options(command: Command) -> Command:
    """Give a command the options that data is given by."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def with_files(files: tuple[str, ...], options: dict[str, str | None]) -> dict[str, str | None]:
    """Return the options with the qrels and the run that stand by position: `explain qrels.txt run.txt`.

    Raises:
        CallError: files are also given by name, or there are not two.
    """
    stated = () if options["run"] is None else (options["run"],)
    qrels, runs = files_by_position(files, options["qrels"], stated)
    if len(runs) > 1:
        raise CallError(f"{runs[1]}: a second run; give the qrels and one run", code="too-many-runs")
    return {**options, "qrels": qrels, "run": runs[0] if runs else None}


def read_measure(measure_text: str | None, k_text: str | None) -> Measure:
    """Return the measure that the options name; AP if they name none.

    Raises:
        ConventionError: there is no such measure, or it has another cutoff already.
    """
    k = None if k_text is None else whole_number(k_text, "--k")
    if measure_text is None:
        return Measure(UNSTATED, k)
    if k is not None and (name := measure_text.strip()) in FAMILIES and FAMILIES[name].cuts_by_score:
        return Measure(name, k)
    measure = named_measure(measure_text)
    if k is None or measure.k == k:
        return measure
    if measure.k is not None:
        raise ConventionError(f"--k {k} and --measure {measure} name two cutoffs; give one", code="argument-repeated")
    return replace(measure, k=k)
