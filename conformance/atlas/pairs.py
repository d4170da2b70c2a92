"""Two libraries beside each other, by their records alone: the rules in which they differ, and what shows each.

What one way of calling can't show is no difference. What shows one is a smallest input on which the first library's
convention changes its value when it takes the second one's rule.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from rankspec.conformance.atlas.record import Measured
from rankspec.conformance.cases.files.shipped_files import shipped_folder
from rankspec.oracle.conventions.convention import AXES, DEFAULT
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.language.expression import convention_text, parse_expression

FILE = "atlas-pairs.json"
CUTOFF = 3  # At which those with cutoffs are compared: the least at which every rule of cutoffs shows


@dataclass(frozen=True, order=True)
class Change:
    """A convention, and the other rule on one axis; all as texts."""

    measure: str
    under: str
    axis: str
    value: str


@dataclass(frozen=True)
class ChangeExample:
    """A smallest input on which a change shows, in the form of a case, with both values; None if there is none."""

    input: Mapping[str, Any] | None = None
    values: tuple[str, str] | None = None


def compared_as(each: Measured) -> tuple[Measure, str] | None:
    """Return the measure, at one cutoff, and the convention as far as it matters to it; None where there is no rule."""
    if each.expression is None or not (each.is_whole or each.explained):
        return None
    measure, convention = parse_expression(each.expression)
    unread = {axis: getattr(DEFAULT, axis) for axis in AXES.keys() - {*measure.axes(convention)}}
    cut = measure if measure.k is None else replace(measure, k=CUTOFF)
    return cut, convention_text(replace(convention, **unread))


@cache
def shipped_pairs() -> Mapping[Change, ChangeExample]:
    """Return what comes with rankspec."""
    data = json.loads((shipped_folder() / FILE).read_text(encoding="utf-8"))
    return {
        Change(each["measure"], each["under"], each["axis"], each["value"]): ChangeExample(
            each["input"], each["values"] and tuple(each["values"])
        )
        for each in data["pairs"]
    }
