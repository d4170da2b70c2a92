"""`AP@10 over min(R, k), ties in input order`: a measure under a convention in words, for a paper."""

from __future__ import annotations

from collections.abc import Collection

from rankspec.oracle.conventions.convention import AXES, Convention
from rankspec.oracle.conventions.measure import Measure

_ORDER = ("ranking", "undefined", "map")
"""What the anchors of axes begin with that are not about the measure itself, which comes first."""


def sentence(measure: Measure, convention: Convention, axes: Collection[str]) -> str:
    """Return a measure under a convention in words: those of the axes that its value depends on and that papers state.

    >>> from rankspec.oracle.language.expression import parse_expression
    >>> sentence(*parse_expression("AP@10 under kaggle"), ["denominator", "no_relevant"])
    'AP@10 over min(R, k), queries without relevant documents scored 0'
    """
    effective = measure.under(convention)
    used = sorted(
        (AXES[axis] for axis in measure.axes(convention) if axis in axes), key=lambda axis: _place(axis.anchor)
    )
    phrases = [axis.phrase(getattr(effective, axis.name)) for axis in used]
    first, *others = [phrase for phrase in phrases if phrase] or [""]
    apart = " " if first.startswith(("over ", "as ", "by ", "at ")) else ", "
    return ", ".join([f"{measure}{apart if first else ''}{first}", *others])


def _place(anchor: str) -> int:
    kind = anchor.partition(".")[0]
    return _ORDER.index(kind) + 1 if kind in _ORDER else 0
