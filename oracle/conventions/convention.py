"""A convention: one value for every axis.

`Convention()` is the default, the one that the source documents speak of. What an axis is called in text, and which
clauses its values stand for, is in `AXES`, in the order in which conventions are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from types import MappingProxyType

from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.axes import AxisValue
from rankspec.oracle.errors import ConventionError

Setting = AxisValue | int | Fraction | None
"""What a convention says on one axis."""


@dataclass(frozen=True)
class Convention:
    """Every choice, explicit. Fields are axes; see `axes.py` for their values.

    Attributes:
        depth: documents of a query that are looked at at all (trec_eval's -M), or None for all.
        geometric_floor: the least value that enters a geometric mean.
    """

    unjudged: axes.Unjudged = axes.Unjudged.NONRELEVANT
    negative_grades: axes.NegativeGrades = axes.NegativeGrades.NONRELEVANT
    duplicates: axes.Duplicates = axes.Duplicates.ERROR
    score_precision: axes.ScorePrecision = axes.ScorePrecision.EXACT
    ties: axes.Ties = axes.Ties.INPUT_ORDER
    denominator: axes.Denominator = axes.Denominator.RELEVANT
    interpolation: axes.Interpolation = axes.Interpolation.STEP
    recall_grid: axes.RecallGrid = axes.RecallGrid.EXACT
    no_relevant: axes.NoRelevant = axes.NoRelevant.ZERO
    no_hits: axes.NoHits = axes.NoHits.ZERO
    missing_query: axes.MissingQuery = axes.MissingQuery.ZERO
    unknown_query: axes.UnknownQuery = axes.UnknownQuery.SKIP
    depth: int | None = None
    aggregate: axes.Aggregate = axes.Aggregate.MEAN
    geometric_floor: Fraction = Fraction(1, 100_000)
    tap_quantile: axes.TapQuantile = axes.TapQuantile.LOWER_MEDIAN
    tap_insufficient: axes.TapInsufficient = axes.TapInsufficient.LOWEST_SCORE
    tap_ties: axes.TapTies = axes.TapTies.KEPT

    def __post_init__(self) -> None:
        """Refuse settings that mean nothing by themselves."""
        if self.depth is not None and self.depth < 1:
            raise ConventionError(f"depth={self.depth}: a depth is a whole number of documents, 1 or more")
        if not 0 < self.geometric_floor <= 1:
            raise ConventionError(f"geometric_floor={self.geometric_floor}: a floor lies above 0 and is at most 1")

    def differences(self, other: Convention | None = None) -> Mapping[str, Setting]:
        """Return axis -> this convention's setting, where it differs from the other one (by default the default)."""
        base = DEFAULT if other is None else other
        return {name: setting for name, setting in self.settings().items() if setting != getattr(base, name)}

    def settings(self) -> dict[str, Setting]:
        """Return axis -> setting, every axis, in order."""
        return {name: getattr(self, name) for name in AXES}

    def with_setting(self, axis: str, setting: Setting) -> Convention:
        """Return this convention with one axis changed."""
        changed: dict[str, object] = {axis: setting}
        return replace(self, **changed)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Axis:
    """An axis: its name, the enum of its values (None where it takes numbers), its clauses' anchor, its meaning."""

    name: str
    values: type[AxisValue] | None
    anchor: str
    meaning: str

    def clause(self, setting: Setting) -> str:
        """Return the clause id that a setting on this axis stands for."""
        return f"{self.anchor}.{setting}" if isinstance(setting, AxisValue) else self.anchor


_ANCHORS = {
    "unjudged": "ranking",
    "negative_grades": "ranking",
    "duplicates": "ranking",
    "score_precision": "ranking",
    "ties": "ranking",
    "denominator": "ap",
    "interpolation": "ap",
    "recall_grid": "ap",
    "no_relevant": "undefined",
    "no_hits": "undefined",
    "missing_query": "undefined",
    "unknown_query": "undefined",
    "depth": "ranking",
    "aggregate": "map",
    "geometric_floor": "map",
    "tap_quantile": "tap",
    "tap_insufficient": "tap",
    "tap_ties": "tap",
}
_NUMERIC = {
    "depth": "Only the first so many documents of a query exist (trec_eval -M).",
    "geometric_floor": "The least value that enters a geometric mean (trec_eval: 0.00001).",
}

DEFAULT = Convention()
"""The documents' convention: AP over R, uninterpolated, exact scores, input order, undefined values worth 0."""


def _axis(name: str) -> Axis:
    anchor = f"{_ANCHORS[name]}.{name.removeprefix('tap_').replace('_', '-')}"
    if name in _NUMERIC:
        return Axis(name, None, anchor, _NUMERIC[name])
    values = type(getattr(DEFAULT, name))
    return Axis(name, values, anchor, str(values.__doc__).splitlines()[0])


AXES: Mapping[str, Axis] = MappingProxyType({field.name: _axis(field.name) for field in fields(Convention)})
"""Every axis by name, in the order in which conventions are written."""


def parse_setting(axis: str, text: str) -> Setting:
    """Read the text of one setting.

    Raises:
        ConventionError: no such axis, or no such value; the known ones are listed.
    """
    if axis not in AXES:
        raise ConventionError(f"unknown axis {axis!r}; the axes are {', '.join(AXES)}")
    values = AXES[axis].values
    if values is not None:
        known = {str(value): value for value in values}
        if text not in known:
            raise ConventionError(f"unknown value {axis}={text}; it is one of {', '.join(known)}")
        return known[text]
    if axis == "depth":
        return _parse_depth(text)
    return _parse_floor(text)


def _parse_depth(text: str) -> int | None:
    if text == "none":
        return None
    if not (text.isascii() and text.isdigit()):
        raise ConventionError(f"depth={text}: a depth is a whole number of documents, or none")
    return int(text)


def _parse_floor(text: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise ConventionError(f"geometric_floor={text}: a floor is a fraction such as 1/100000") from None


def setting_text(setting: Setting) -> str:
    """Write one setting as `parse_setting` reads it."""
    return "none" if setting is None else str(setting)
