"""The data that `resolve` and `explain` are given: options for the forms, and what is made of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

import click
from rankspec.conformance.atlas.followed import convention_named
from rankspec.conformance.cli.support.options import LISTS, CallError, Command
from rankspec.conformance.cli.support.runs import files_by_position
from rankspec.conformance.infer.resolve.given import Given, data_of
from rankspec.oracle.conventions.axes import Aggregate, Reading
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.families import FAMILIES, UNSTATED
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.errors import ConventionError, InputError
from rankspec.oracle.language.expression import convention_text, parse_expression
from rankspec.oracle.language.trec_eval_names import named_measure
from rankspec.oracle.readers.detections import ONE_CLASS
from rankspec.oracle.readers.lines import STANDARD_INPUT
from rankspec.oracle.sweeps.space import Data

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")

_OPTIONS = (
    click.argument("files", nargs=-1, metavar="[QRELS RUN]"),
    click.option("--relevance", metavar="1,0,1", help="Labels in rank order."),
    click.option("--num-relevant", metavar="R", help="Relevant documents, retrieved or not (by default the hits)."),
    click.option("--labels", metavar="1,0,1", help="Labels, one per document; needs --scores."),
    click.option("--scores", metavar="0.9,0.5,0.5", help="Scores, one per document, read as exact decimals."),
    click.option("--actual", metavar="a,b", help="Relevant ids; needs --predicted."),
    click.option("--predicted", metavar="a,c,b", help="Ids in rank order."),
    click.option("--qrels", metavar="FILE", help="TREC qrels, plain or gzip; - is standard input. Needs --run."),
    click.option("--run", metavar="FILE", help="A TREC run, plain or gzip; - is standard input."),
    *LISTS,
    click.option("--query", metavar="Q", help="One query of the files (a class) instead of their mean."),
    click.option(
        "--measure", "measure_text", metavar="M", help="The measure that the number is reported as, e.g. AP@10 (AP)."
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


def one_threshold(measures: Iterable[Measure], num_relevant: object) -> int:
    """Return the threshold of the measures, by which labels are read where R is given.

    Raises:
        InputError: R is given, and they have several: what was not retrieved would have a grade for each.
    """
    thresholds = {each.rel for each in measures}
    if num_relevant is not None and len(thresholds) > 1:
        raise InputError(
            "R is given, and the measures have different thresholds (rel); ask for each by itself",
            code="thresholds-differ",
        )
    return max(thresholds)


def read_measure(measure_text: str | None, k_text: str | None) -> Measure:
    """Return the measure that the options name; AP if they name none.

    Raises:
        ConventionError: there is no such measure, or it has another cutoff already.
    """
    k = None if k_text is None else _whole(k_text, "--k")
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


def expression_named(text: str, measure: Measure) -> tuple[Measure, Convention]:
    """Read a measure under a convention (`AP@10 under kaggle`), or a convention, for the measure that is stated.

    Raises:
        ConventionError: it is neither.
    """
    return parse_expression(text) if " under " in text else (measure, convention_named(text, measure))


def read_data(rel: int, options: dict[str, str | None], reading: Reading = Reading.STRICT) -> Data:
    """Return the data that the options give; `reading` says how files are read.

    Raises:
        InputError: they give none, or two kinds, or a list that can't be read.
    """
    given: dict[str, Any] = {name: text for name, text in options.items() if text is not None}
    for name in {"relevance", "labels"} & given.keys():
        given[name] = [_whole(item, f"--{name}, place {place}") for place, item in _items(given[name])]
    for name in {"scores", "actual", "predicted"} & given.keys():
        given[name] = [item for _, item in _items(given[name])]
    if "num_relevant" in given:
        given["num_relevant"] = _whole(given["num_relevant"], "--num-relevant")
    if "ground_truths" in given:
        given["ground_truths"] = _numbers(given["ground_truths"])
    if given.get("qrels") == given.get("run") == STANDARD_INPUT:
        raise InputError("--qrels - and --run -: only one of them can be standard input", code="standard-input-twice")
    return data_of(cast("Given", given), rel, reading)


def _numbers(text: str) -> dict[str, int]:
    """Read numbers of ground truths: `5` of the one class, or `cat=5,dog=2`."""
    numbers: dict[str, int] = {}
    for _, item in _items(text):
        name, equals, number = item.rpartition("=")
        name = name.strip() if equals else ONE_CLASS
        if name in numbers:
            raise InputError(f"--ground-truths: {name} is given twice; keep one", code="argument-repeated")
        numbers[name] = _whole(number, "--ground-truths")
        if numbers[name] < 0:
            raise InputError(
                f"--ground-truths: {number} is not a number of ground truths", code="ground-truths-not-whole"
            )
    return numbers


def _items(text: str) -> list[tuple[int, str]]:
    """Return the items of a list with their places. Brackets around it are allowed."""
    bare = text.strip()
    if bare.startswith("[") and bare.endswith("]"):
        bare = bare[1:-1]
    items = [item.strip() for item in bare.split(",")] if bare.strip() else []
    if "" in items:
        raise InputError(
            f"{text!r}: item {items.index('') + 1} is empty; separate items by single commas", code="item-empty"
        )
    return list(enumerate(items, start=1))


def _whole(text: str, where: str) -> int:
    if not _WHOLE.fullmatch(text.strip()):
        raise InputError(f"{where}: {text!r} is not a whole number", code="not-whole")
    return int(text)


_OF_CLASSES: Mapping[str, str] = {"coco": "coco-classes", "voc2007": "voc2007-classes", "voc2010": "voc2010-classes"}
"""The profile of one class, whose images are queries -> that of classes.

Where an image is a query, `coco` and the `voc` profiles put the documents of all queries into one ranking. A file of
detections has that behind it: its queries are the classes, each one list, and the value is the mean over them.
"""


def of_classes(convention: Convention, qrels: Qrels) -> Convention:
    """Return the convention that holds where the queries are classes.

    Raises:
        ConventionError: it would put the detections of several classes into one ranking.
    """
    for images, classes in _OF_CLASSES.items():
        if convention == PROFILES[images].convention:
            return PROFILES[classes].convention
    if convention.aggregate is Aggregate.MICRO and len(qrels.judgments) > 1:
        raise ConventionError(
            f"{convention_text(convention)} pools all queries, here {len(qrels.judgments)} classes; "
            "start from coco-classes, voc2007-classes or voc2010-classes",
            code="queries-pooled",
        )
    return convention
