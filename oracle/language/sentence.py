"""`AP@10 that divides by min(R, k) and keeps the input order of ties`: a measure under a convention, for a paper."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from rankspec.oracle.conventions.convention import AXES, Convention
from rankspec.oracle.conventions.measure import Measure

_ORDER = {"ranking": 1, "undefined": 2, "map": 3}
"""What the anchors of axes begin with that are not about the measure itself, which comes first."""


def sentence(measure: Measure, convention: Convention, axes: Collection[str]) -> str:
    """Return a measure under a convention in words: those of the axes that its value depends on and that papers state.

    >>> from rankspec.oracle.language.expression import parse_expression
    >>> sentence(*parse_expression("AP@10 under kaggle"), ["denominator", "no_relevant"])
    'AP@10 that divides by min(R, k) and scores a query without relevant documents 0'
    """
    stated = phrases(measure, convention, axes, only_stated=True)
    return f"{measure} that {joined(stated)}" if stated else str(measure)


def phrases(measure: Measure, convention: Convention, axes: Collection[str], *, only_stated: bool = False) -> list[str]:
    """Return the verb phrases of those of the axes that a measure's value depends on, its own ones first."""
    effective = measure.under(convention)
    used = [AXES[axis] for axis in measure.axes(convention) if axis in axes]
    used.sort(key=lambda axis: _ORDER.get(axis.anchor.partition(".")[0], 0))
    settings = [(axis, getattr(effective, axis.name)) for axis in used]
    return [axis.phrase(setting) for axis, setting in settings if axis.is_stated(setting) or not only_stated]


def joined(words: Sequence[str]) -> str:
    """Join verb phrases as a sentence does; where one before the last has a comma itself, by semicolons."""
    comma = "; " if any(", " in re.sub(r"\([^)]*\)", "", word) for word in words[:-1]) else ", "
    *first, last = words
    return f"{comma.join(first)}{comma if comma == '; ' else ' '}and {last}" if first else last


def first_names(names: Sequence[str], most: int) -> str:
    """Return the first names, and how many more there are: `a, b and 3 more`."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
