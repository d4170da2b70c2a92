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
        value: the value of the data after it.
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
class QueryShare:
    """A query that counts on both sides, with its two values, and how many queries count on either."""

    query: str
    first: float
    second: float
    counting: tuple[int, int]


def largest_share(values: Values, first: Convention, second: Convention) -> QueryShare | None:
    """Return the query whose two values differ most, None where fewer than two count on both sides."""
    ours, theirs = values.by_query(first), values.by_query(second)
    both = [query for query in ours if query in theirs]
    if len(both) <= 1:
        return None
    query = max(both, key=lambda each: abs(ours[each] - theirs[each]))
    return QueryShare(query, ours[query], theirs[query], (len(ours), len(theirs)))
