"""What every textbook says of a measure, told apart from what they leave to a convention."""

from __future__ import annotations

import re

from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention
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


def differing_phrase(axis: str, convention: Convention) -> str:
    """Say what a convention does on an axis, and what textbooks do: `divides by k instead of R`."""
    own, right = (AXES[axis].phrase(getattr(each, axis)).split(" ") for each in (convention, DEFAULT))
    shared = next((at for at, (a, b) in enumerate(zip(own, right, strict=False)) if a != b), 0)
    instead = " ".join(right[shared:])
    return " ".join(own) + (f" instead of {instead}" if shared and instead else "")


def imperative(phrase: str) -> str:
    """Turn a verb phrase into what to do: `divides by R` into `divide by R`.

    >>> imperative("does not interpolate"), imperative("scores a query without hits 0")
    ('do not interpolate', 'score a query without hits 0')
    """
    verb, _, rest = phrase.partition(" ")
    return f"{'do' if verb == 'does' else re.sub('s$', '', verb)} {rest}"
