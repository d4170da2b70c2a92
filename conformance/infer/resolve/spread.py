"""All values that a measure has on some data, over its conventions: a printed number lies among them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from rankspec.conformance.infer.resolve.search import (
    MOST_CONVENTIONS,
    MOST_ONE_BY_ONE,
    convention_of,
    sweep_of,
    value_on,
)
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import InputError
from rankspec.oracle.sweeps.space import Data, conventions, observable_settings
from rankspec.oracle.sweeps.totals import Differences
from rankspec.oracle.values import to_double

_PLACES = 12
"""Doubles that agree to so many places are one value here."""


@dataclass(frozen=True)
class Level:
    """A value, and how many conventions give it.

    Attributes:
        simplest: the one with the fewest differences from the default.
    """

    value: float
    conventions: int
    simplest: Convention


def spread(measure: Measure, data: Data, most: int = MOST_CONVENTIONS) -> tuple[Level, ...]:
    """Return every value that some convention gives, the lowest first; what is no number is left out."""
    found: dict[float, tuple[float, int, Differences]] = {}
    for value, changed in islice(_values(measure, data), most):
        if math.isnan(value):
            continue
        key = round(value, _PLACES)
        first, count, plainest = found.get(key, (value, 0, changed))
        found[key] = first, count + 1, min(plainest, changed, key=len)
    levels = (found[key] for key in sorted(found))
    return tuple(Level(value, count, convention_of(plainest)) for value, count, plainest in levels)


def _values(measure: Measure, data: Data) -> Iterator[tuple[float, Differences]]:
    if not measure.family.cuts_by_score:
        yield from ((total.approximate, total.differences) for total in sweep_of(measure, data).totals())
        return
    value_under = value_on(data)
    for convention in islice(conventions(measure, observable_settings(measure, data)), MOST_ONE_BY_ONE):
        try:
            value = value_under(measure, convention)
        except InputError:
            continue  # no midpoint lies between two infinities
        changed = tuple((axis, getattr(convention, axis)) for axis in convention.differences())
        yield to_double(value), changed
