"""Data as it is typed: lists, numbers and names of files as texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from rankspec.conformance.data.given import Given, data_of
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.errors import InputError
from rankspec.oracle.readers.detections import ONE_CLASS
from rankspec.oracle.readers.lines import STANDARD_INPUT
from rankspec.oracle.sweeps.space import Data

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


def data_of_texts(rel: int, options: dict[str, str | None], reading: Reading = Reading.STRICT) -> Data:
    """Return the data that the options give; `reading` says how files are read.

    Raises:
        InputError: they give none, or two kinds, or a list that can't be read.
    """
    given: dict[str, Any] = {name: text for name, text in options.items() if text is not None}
    for name in {"relevance", "labels"} & given.keys():
        given[name] = [whole_number(item, f"--{name}, place {place}") for place, item in _items(given[name])]
    for name in {"scores", "actual", "predicted"} & given.keys():
        given[name] = [item for _, item in _items(given[name])]
    if "num_relevant" in given:
        given["num_relevant"] = whole_number(given["num_relevant"], "--num-relevant")
    if "ground_truths" in given:
        given["ground_truths"] = _numbers(given["ground_truths"])
    if given.get("qrels") == given.get("run") == STANDARD_INPUT:
        raise InputError("--qrels - and --run -: only one of them can be standard input", code="standard-input-twice")
    return data_of(cast("Given", given), rel, reading)


def computing_command(options: Mapping[str, str | None]) -> list[str]:
    """Return the command that computes a measure on the data that options give, without the measure."""
    words = [
        word for name, text in options.items() if text is not None for word in (f"--{name.replace('_', '-')}", text)
    ]
    is_scored = {name for name, text in options.items() if text is not None} == {"qrels", "run"}
    return ["rankspec", "score" if is_scored else "explain", *words] if words else []


def _numbers(text: str) -> dict[str, int]:
    """Read numbers of ground truths: `5` of the one class, or `cat=5,dog=2`."""
    numbers: dict[str, int] = {}
    for _, item in _items(text):
        name, equals, number = item.rpartition("=")
        name = name.strip() if equals else ONE_CLASS
        if name in numbers:
            raise InputError(f"--ground-truths: {name} is given twice; keep one", code="argument-repeated")
        numbers[name] = whole_number(number, "--ground-truths")
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


def whole_number(text: str, where: str) -> int:
    """Read a whole number; `where` says what it is of.

    Raises:
        InputError: it is none.
    """
    if not _WHOLE.fullmatch(text.strip()):
        raise InputError(f"{where}: {text!r} is not a whole number", code="not-whole")
    return int(text)
