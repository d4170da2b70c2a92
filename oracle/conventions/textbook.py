"""What every textbook says of a measure, told apart from what they leave to a convention."""

from __future__ import annotations

from collections.abc import Iterable

from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure

FIXED = frozenset(
    {
        "aggregate",
        "denominator",
        "depth",
        "ideal",
        "interpolation",
        "no_hits",
        "novelty_normalization",
        "precision_denominator",
        "reader_horizon",
        "recall_denominator",
        "recall_grid",
    }
)
"""The axes on which all sources agree, as `default` has it. On the others a right implementation may choose."""


def fixed_differences(measure: Measure, convention: Convention) -> list[str]:
    """Return the axes on which a measure under a convention is not what textbooks say."""
    differing = convention.differences()
    return [axis for axis in measure.axes(convention) if axis in FIXED and axis in differing]


def textbook(convention: Convention) -> Convention:
    """Return a convention as textbooks have it, with its own choices where they leave one."""
    for axis in FIXED:
        convention = convention.with_setting(axis, getattr(DEFAULT, axis))
    return convention


BEYOND_RANGE = "a label "  # How every text of `beyond_range` begins
HIGHEST_LABEL = 1023  # 2**1024 is beyond the doubles, so an exponential gain has no value there


def beyond_range(measure: Measure, convention: Convention, grades: Iterable[int]) -> str:
    """Return which of the grades is no label of the measure's scale; empty where all are, or where they are no gains.

    >>> beyond_range(Measure("nDCG"), DEFAULT, [0, 3, -1]), beyond_range(Measure("AP"), DEFAULT, [-1])
    ('a label below 0', '')
    """
    if not measure.is_graded:
        return ""
    scale = [0, *grades]
    highest = convention.err_max_grade if "err_max_grade" in measure.axes(convention) else HIGHEST_LABEL
    if min(scale) < 0:
        return f"{BEYOND_RANGE}below 0"
    return f"{BEYOND_RANGE}above {highest}" if max(scale) > highest else ""
