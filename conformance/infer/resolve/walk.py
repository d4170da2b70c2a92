"""From one convention to another on some data, a rule at a time: what each rule makes of the value."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rankspec.conformance.infer.resolve.known import Values
from rankspec.oracle.conventions.convention import AXES, Convention
from rankspec.oracle.sweeps.space import observable_settings
from rankspec.oracle.sweeps.totals import Total

_NOTHING = 1e-12
"""Values of doubles that are no further apart are one value here."""


@dataclass(frozen=True)
class Step:
    """Rules that change together: one, or several where one alone would mean nothing.

    Attributes:
        axes: the axes of the rules.
        value: what the data is worth after it.
    """

    axes: tuple[str, ...]
    value: float


def differing_axes(values: Values, first: Convention, second: Convention) -> tuple[str, ...]:
    """Return the axes on which two conventions differ, as far as the measure and the data can show them."""
    measure = values.measure
    shown = {*observable_settings(measure, values.data), *(axis for axis in AXES if AXES[axis].values is None)}
    used = {*measure.axes(first), *measure.axes(second)} & shown
    return tuple(axis for axis in first.differences(second) if axis in used)


def walk(values: Values, first: Convention, second: Convention) -> list[Step]:
    """Return the steps that change the value, each time the one that changes it most."""
    steps: list[Step] = []
    here, value = first, _value(values.under(first))
    used = {*values.measure.axes(first), *values.measure.axes(second)}
    left = [axis for axis in first.differences(second) if axis in used]
    while left:
        ahead = [(axis, here.with_setting(axis, getattr(second, axis))) for axis in left]
        reached = [(axis, to, _value(values.under(to))) for axis, to in ahead]
        possible = [(axis, to, after) for axis, to, after in reached if after is not None]
        if not possible:  # one rule without another would mean nothing
            after = _value(values.under(second))
            return steps if after is None else [*steps, Step(tuple(left), after)]
        axis, here, after = max(possible, key=lambda each: abs(each[2] - (value or 0.0)))
        if abs(after - (value or 0.0)) > _NOTHING:
            steps.append(Step((axis,), after))
        value, left = after, [each for each in left if each != axis]
    return steps


def _value(total: Total | None) -> float | None:
    """Return a value as a number, None of what is undefined: no step leads there."""
    return None if total is None or math.isnan(total.approximate) else total.approximate


@dataclass(frozen=True)
class Share:
    """A query, and what it is worth under two conventions; None where it does not count."""

    query: str
    first: float | None
    second: float | None


def largest_share(values: Values, first: Convention, second: Convention) -> Share | None:
    """Return the query that makes most of the difference of two means, None where there is one query alone."""
    ours, theirs = values.shares(first), values.shares(second)
    queries = {**ours, **theirs}
    if len(queries) <= 1 or not ours or not theirs:
        return None

    def part(query: str) -> float:
        return abs(sum(sign * side[query][1] for sign, side in ((1, ours), (-1, theirs)) if query in side))

    query = max(queries, key=part)
    worth = [side[query][0] if query in side else None for side in (ours, theirs)]
    return Share(query, *worth)
