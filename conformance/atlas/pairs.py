"""Two libraries beside each other, by their records alone: the rules in which they differ, and what shows each.

What one way of calling can't show is no difference. What shows one is a smallest input on which the first library's
convention changes its value when it takes the second one's rule.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from typing import Any

from rankspec.conformance.atlas.record import Measured, State
from rankspec.conformance.cases.files.shipped_files import shipped_folder
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.cases.quantities import value_text
from rankspec.conformance.infer.witness.separation import separate
from rankspec.oracle.conventions.convention import AXES, DEFAULT, parse_setting
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.language.expression import convention_text, parse_convention, parse_expression, parse_measure

FILE = "atlas-pairs.json"
SCHEMA = "rankspec/atlas-pairs/1"
CUTOFF = 3  # At which those with cutoffs are compared: the least at which every rule of cutoffs shows
_MOST_INPUTS = 4_000
"""Rules that agree on so many of the smallest inputs differ in nothing that a reader would look for here."""


@dataclass(frozen=True, order=True)
class Change:
    """A convention, and the other rule on one axis; all as texts."""

    measure: str
    under: str
    axis: str
    value: str


@dataclass(frozen=True)
class Shown:
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


def differing(first: Measured, second: Measured) -> list[str]:
    """Return the axes on which two findings have no value in common, of those that both ways of calling show."""
    both = ((axis, _seen(first, axis), _seen(second, axis)) for axis in AXES)
    return [axis for axis, one, other in both if one and other and not one & other]


def _seen(each: Measured, axis: str) -> set[str]:
    if each.state(axis) not in {State.SEEN, State.ONE_OF}:
        return set()
    # What it does by no rule of the axis (ties in no fixed order) is not what its nearest convention has.
    return {each.cell(axis)} if each.is_deviating(axis) else {*each.axes.get(axis, ())}


def changes_between(measured: Iterable[Measured]) -> list[Change]:
    """Return all changes by which one of some findings becomes more like another one of the same measure."""
    compared = [(each, found) for each in measured if (found := compared_as(each)) is not None]
    changes = {
        Change(str(measure), under, axis, second.axes[axis][0])
        for (first, (measure, under)), (second, (other, _)) in permutations(compared, 2)
        if measure == other
        for axis in differing(first, second)
        if not second.is_deviating(axis)
    }
    return sorted(changes)


def shown(change: Change) -> Shown:
    """Search for the smallest input on which a change shows."""
    measure, before = parse_measure(change.measure), parse_convention(change.under)
    value = parse_setting(change.axis, change.value)
    after = before.with_setting(change.axis, value)
    if meaningless(measure, after) is not None:
        return Shown()
    found = separate(measure, before, after, _MOST_INPUTS).input
    if found is None:
        return Shown()
    data = case_input(found.given)
    return Shown(found.given, (value_text(data, measure, before), value_text(data, measure, after)))


def as_text(found: Mapping[Change, Shown]) -> str:
    """Write what was found as its file has it: a change a line."""
    rows = [json.dumps({**vars(change), **vars(each)}, ensure_ascii=False) for change, each in sorted(found.items())]
    return f'{{"schema": "{SCHEMA}", "pairs": [\n' + ",\n".join(rows) + "\n]}\n"


@cache
def shipped_pairs() -> Mapping[Change, Shown]:
    """Return what comes with rankspec."""
    data = json.loads((shipped_folder() / FILE).read_text(encoding="utf-8"))
    return {
        Change(each["measure"], each["under"], each["axis"], each["value"]): Shown(
            each["input"], each["values"] and tuple(each["values"])
        )
        for each in data["pairs"]
    }
