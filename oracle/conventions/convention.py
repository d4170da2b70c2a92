"""A convention: one value for every axis.

`Convention()` is the default, the one that the source documents speak of. What an axis is called in text, and which
clauses its values stand for, is in `AXES`, in the order in which conventions are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Self

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
        infap_epsilon: what keeps infAP's estimate of precision from being 0/0.
        rbp_persistence: p, the probability of going on to the next document.
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
    precision_denominator: axes.PrecisionDenominator = axes.PrecisionDenominator.CUTOFF
    recall_denominator: axes.RecallDenominator = axes.RecallDenominator.RELEVANT
    f_weight: axes.FWeight = axes.FWeight.BETA_SQUARED
    gain: axes.Gain = axes.Gain.LINEAR
    discount: axes.Discount = axes.Discount.LOG2_RANK_PLUS_ONE
    ideal: axes.Ideal = axes.Ideal.JUDGED
    bpref_variant: axes.BprefVariant = axes.BprefVariant.TREC_EVAL
    infap_epsilon: Fraction = Fraction(1, 100_000)
    rbp_persistence: Fraction = Fraction(4, 5)
    rbp_gain: axes.RbpGain = axes.RbpGain.BINARY
    rbp_residual: axes.RbpResidual = axes.RbpResidual.WITH_TAIL
    geometric_zero: axes.GeometricZero = axes.GeometricZero.FLOOR
    reading: axes.Reading = axes.Reading.STRICT

    def __post_init__(self) -> None:
        """Refuse settings that mean nothing by themselves."""
        if self.depth is not None and self.depth < 1:
            raise ConventionError(f"depth={self.depth}: a depth is a whole number of documents, 1 or more")
        if not 0 < self.geometric_floor <= 1:
            raise ConventionError(f"geometric_floor={self.geometric_floor}: a floor lies above 0 and is at most 1")
        if not 0 < self.infap_epsilon <= 1:
            raise ConventionError(f"infap_epsilon={self.infap_epsilon}: it lies above 0 and is at most 1")
        if not 0 <= self.rbp_persistence < 1:
            raise ConventionError(f"rbp_persistence={self.rbp_persistence}: a persistence is at least 0 and below 1")

    def differences(self, other: Convention | None = None) -> Mapping[str, Setting]:
        """Return axis -> this convention's setting, where it differs from the other one (by default the default)."""
        base = DEFAULT if other is None else other
        return {name: setting for name, setting in self.settings().items() if setting != getattr(base, name)}

    def settings(self) -> dict[str, Setting]:
        """Return axis -> setting, every axis, in order."""
        return {name: getattr(self, name) for name in AXES}

    def with_setting(self, axis: str, setting: Setting) -> Self:
        """Return this convention with one axis changed."""
        changed: dict[str, object] = {axis: setting}
        return replace(self, **changed)  # type: ignore[arg-type]


@dataclass(frozen=True)
class EffectiveConvention(Convention):
    """A convention with what one measure itself says put in; values are computed under it. See `Measure.under`.

    It is made once, from a measure and a convention, and is no convention that a user states.
    """


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
    "precision_denominator": "precision",
    "recall_denominator": "recall",
    "f_weight": "f",
    "gain": "dcg",
    "discount": "dcg",
    "ideal": "ndcg",
    "bpref_variant": "bpref",
    "infap_epsilon": "infap",
    "rbp_persistence": "rbp",
    "rbp_gain": "rbp",
    "rbp_residual": "rbp",
    "geometric_zero": "map",
    "reading": "reading",
}
_PREFIXED = frozenset(
    {"tap_quantile", "tap_insufficient", "tap_ties", "precision_denominator", "recall_denominator", "f_weight"}
    | {"bpref_variant", "infap_epsilon", "rbp_persistence", "rbp_gain", "rbp_residual"}
)
"""Axes of one measure, whose names start with its name; a clause id has it once."""
_NUMERIC = {
    "depth": "Only the first so many documents of a query exist (trec_eval -M).",
    "geometric_floor": "The least value that enters a geometric mean (trec_eval: 0.00001).",
    "infap_epsilon": "What keeps infAP's estimate of precision from being 0/0 (trec_eval: 0.00001).",
    "rbp_persistence": "p, the probability of going on to the next document (trec_eval 10: 0.9).",
}

DEFAULT = Convention()
"""The documents' convention: AP over R, uninterpolated, exact scores, input order, undefined values worth 0."""


def _axis(name: str) -> Axis:
    bare = name.partition("_")[2] if name in _PREFIXED else name
    anchor = f"{_ANCHORS[name]}.{bare}".replace("_", "-") if name != "reading" else name
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
    return _parse_depth(text) if axis == "depth" else _parse_number(axis, text)


def _parse_depth(text: str) -> int | None:
    if text == "none":
        return None
    if not (text.isascii() and text.isdigit()):
        raise ConventionError(f"depth={text}: a depth is a whole number of documents, or none")
    return int(text)


def _parse_number(axis: str, text: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        example = setting_text(getattr(DEFAULT, axis))
        raise ConventionError(f"{axis}={text}: a fraction or a decimal is needed, such as {example}") from None


def setting_text(setting: Setting) -> str:
    """Write one setting as `parse_setting` reads it."""
    return "none" if setting is None else str(setting)
