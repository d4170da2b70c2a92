"""The table of worst cases: for every pair of values of every axis the smallest input on which they differ.

`.ci/separations` computes the file. It is read as documentation, run as cases, and looked up by `witness`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.cases.shipped_files import shipped_folder
from rankspec.conformance.cases.yaml_source import FindingError, read_source
from rankspec.conformance.infer.witness.separation import Separation
from rankspec.conformance.infer.witness.small_inputs import Size, size_of
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import OracleError
from rankspec.oracle.language.expression import convention_text, parse_convention, parse_measure

FILE = Path("witnesses") / "axes.yaml"
"""Where the table is, in the folder of the fixtures."""


@dataclass(frozen=True)
class Stored:
    """What the table says of two conventions.

    Attributes:
        given: the input; None if they coincide up to the bound.
    """

    given: Mapping[str, Any] | None
    size: Size | None
    separation: Separation


def table_path() -> Path:
    """Return where the shipped table is."""
    return shipped_folder() / FILE


def stored(measure: Measure, a: Convention, b: Convention) -> Stored | None:
    """Return what the table says of two conventions, None if they are not in it.

    What it says is checked against the oracle by its tests, not here.
    """
    return table().get((str(measure), frozenset({convention_text(a), convention_text(b)})))


@cache
def table() -> Mapping[tuple[str, frozenset[str]], Stored]:
    """Read the table. A file that is missing or can't be read is none: every witness can be computed anew."""
    try:
        data = read_source(table_path()).data
        return {**_of_cases(data["cases"]), **_of_coinciding(data["coincide"])}
    except (FindingError, OracleError, KeyError, TypeError):
        return {}


def _of_cases(cases: Iterable[Mapping[str, Any]]) -> dict[tuple[str, frozenset[str]], Stored]:
    conventions: dict[tuple[str, str], set[str]] = {}
    inputs: dict[tuple[str, str], Mapping[str, Any]] = {}
    for case in cases:
        key = (str(case["id"]).rpartition(".")[0], case["measure"])
        conventions.setdefault(key, set()).add(convention_text(parse_convention(case["convention"])))
        inputs[key] = case["input"]
    return {
        (measure, frozenset(conventions[id_, measure])): _stored(given, parse_measure(measure))
        for (id_, measure), given in inputs.items()
    }


def _of_coinciding(entries: Iterable[Mapping[str, Any]]) -> dict[tuple[str, frozenset[str]], Stored]:
    return {
        (entry["measure"], frozenset(entry["conventions"])): Stored(None, None, Separation(None, None, entry["bound"]))
        for entry in entries
    }


def _stored(given: Mapping[str, Any], measure: Measure) -> Stored:
    read = case_input(given)
    size = size_of(read.qrels, read.run, measure.rel)
    if read.form not in {"labels", "qrels"}:
        size = size._replace(score_levels=0)
    return Stored(given, size, Separation(None, None, size.documents - 1))
