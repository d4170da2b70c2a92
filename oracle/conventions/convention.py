"""A convention: one value for every axis.

`Convention()` is the default, the one that the source documents speak of. What an axis is called in text, and which
clauses its values stand for, is in `AXES`, in the order in which conventions are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from fractions import Fraction
from operator import attrgetter
from types import MappingProxyType
from typing import Self

from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.axis import Axis, Needs, Setting, axis, axis_of
from rankspec.oracle.errors import ConventionError, suggestion
from rankspec.oracle.limits import EXPONENTIAL_GRADE, is_beyond_gain

PERSISTENCES = (Fraction(4, 5), Fraction(1, 2), Fraction(9, 10), Fraction(19, 20))
"""Values of p that are in use (Moffat and Zobel 2008 try 0.5, 0.8 and 0.95; trec_eval 10 has 0.9)."""


@dataclass(frozen=True, eq=False, repr=False, match_args=False)
class Convention:
    """Every choice, explicit. A field is an axis: its default, the anchor of its clauses, what can show it.

    What an axis is about is said in its enum, see `axes.py`, or here, where it takes numbers.
    """

    unjudged: axes.Unjudged = axis(axes.Unjudged.NONRELEVANT, "ranking.unjudged", Needs.QRELS)
    negative_grades: axes.NegativeGrades = axis(axes.NegativeGrades.NONRELEVANT, "ranking.negative-grades", Needs.QRELS)
    duplicates: axes.Duplicates = axis(axes.Duplicates.ERROR, "ranking.duplicates", Needs.IDS)
    score_precision: axes.ScorePrecision = axis(axes.ScorePrecision.EXACT, "ranking.score-precision", Needs.SCORES)
    ties: axes.Ties = axis(axes.Ties.INPUT_ORDER, "ranking.ties", Needs.SCORES)
    denominator: axes.Denominator = axis(axes.Denominator.RELEVANT, "ap.denominator", Needs.LIST)
    interpolation: axes.Interpolation = axis(axes.Interpolation.STEP, "ap.interpolation", Needs.LIST)
    recall_grid: axes.RecallGrid = axis(axes.RecallGrid.EXACT, "ap.recall-grid", Needs.LIST)
    no_relevant: axes.NoRelevant = axis(axes.NoRelevant.ZERO, "undefined.no-relevant", Needs.LIST)
    no_hits: axes.NoHits = axis(axes.NoHits.ZERO, "undefined.no-hits", Needs.LIST)
    missing_query: axes.MissingQuery = axis(axes.MissingQuery.ZERO, "undefined.missing-query", Needs.QRELS)
    unknown_query: axes.UnknownQuery = axis(axes.UnknownQuery.SKIP, "undefined.unknown-query", Needs.QRELS)
    empty_mean: axes.EmptyMean = axis(axes.EmptyMean.NAN, "undefined.empty-mean", Needs.QUERIES)
    depth: int | None = axis(
        None,
        "ranking.depth",
        Needs.SEARCH,
        "Only the first N documents of a query are evaluated (trec_eval -M).",
        examples=(None, 1, 2),
        stated="evaluates the first {} documents of each query",
    )
    aggregate: axes.Aggregate = axis(axes.Aggregate.MEAN, "map.aggregate", Needs.QUERIES)
    geometric_floor: Fraction = axis(
        Fraction(1, 100_000),
        "map.geometric-floor",
        Needs.SEARCH,
        "The smallest value in a geometric mean (trec_eval: 0.00001).",
        examples=(Fraction(1, 100_000), Fraction(1, 1000)),
        stated="takes values of at least {} in its geometric mean",
    )
    tap_quantile: axes.TapQuantile = axis(axes.TapQuantile.LOWER_MEDIAN, "tap.quantile", Needs.SCORES)
    tap_insufficient: axes.TapInsufficient = axis(axes.TapInsufficient.LOWEST_SCORE, "tap.insufficient", Needs.SCORES)
    tap_ties: axes.TapTies = axis(axes.TapTies.KEPT, "tap.ties", Needs.SCORES)
    precision_denominator: axes.PrecisionDenominator = axis(
        axes.PrecisionDenominator.CUTOFF, "precision.denominator", Needs.LIST
    )
    recall_denominator: axes.RecallDenominator = axis(axes.RecallDenominator.RELEVANT, "recall.denominator", Needs.LIST)
    multiple_rounding: axes.MultipleRounding = axis(
        axes.MultipleRounding.TREC_EVAL, "rprec.multiple-rounding", Needs.LIST
    )
    f_weight: axes.FWeight = axis(axes.FWeight.BETA_SQUARED, "f.weight", Needs.LIST)
    gain: axes.Gain = axis(axes.Gain.LINEAR, "dcg.gain", Needs.GRADES)
    discount: axes.Discount = axis(axes.Discount.LOG2_RANK_PLUS_ONE, "dcg.discount", Needs.LIST)
    ideal: axes.Ideal = axis(axes.Ideal.JUDGED, "ndcg.ideal", Needs.LIST)
    bpref_variant: axes.BprefVariant = axis(axes.BprefVariant.TREC_EVAL, "bpref.variant", Needs.LIST)
    infap_epsilon: Fraction = axis(
        Fraction(1, 100_000),
        "infap.epsilon",
        Needs.SEARCH,
        "A small constant that keeps infAP's estimate of precision from being 0/0 (trec_eval: 0.00001).",
        examples=(Fraction(1, 100_000), Fraction(1, 1000)),
        stated="takes epsilon = {}",
    )
    rbp_persistence: Fraction = axis(
        Fraction(4, 5),
        "rbp.persistence",
        Needs.LIST,
        "p, the probability of going on to the next document (trec_eval 10: 0.9).",
        examples=(Fraction(4, 5), Fraction(9, 10)),
        in_use=PERSISTENCES,
        stated="takes p = {}",
    )
    rbp_gain: axes.RbpGain = axis(axes.RbpGain.BINARY, "rbp.gain", Needs.QRELS)
    rbp_residual: axes.RbpResidual = axis(axes.RbpResidual.WITH_TAIL, "rbp.residual", Needs.LIST)
    err_max_grade: int = axis(
        4,
        "err.max-grade",
        Needs.LIST,
        "gmax, the highest grade of the scale; a higher one is an error (gdeval: 4).",
        examples=(4, 2),
        in_use=(4, 3, 2, 1),
        stated="takes grades up to {}",
    )
    reader_horizon: axes.ReaderHorizon = axis(axes.ReaderHorizon.UNLIMITED, "cwl.reader-horizon", Needs.LIST)
    compat_persistence: Fraction = axis(
        Fraction(19, 20),
        "compat.persistence",
        Needs.LIST,
        "p, by which the weight of an overlap falls from rank to rank (Clarke et al.: 0.95).",
        examples=(Fraction(19, 20), Fraction(9, 10)),
        in_use=(Fraction(19, 20), Fraction(9, 10), Fraction(4, 5)),
        stated="takes p = {}",
    )
    compat_depth: axes.CompatDepth = axis(axes.CompatDepth.LONGEST, "compat.depth", Needs.LIST)
    compat_normalization: axes.CompatNormalization = axis(
        axes.CompatNormalization.IDEAL, "compat.normalization", Needs.LIST
    )
    novelty_normalization: axes.NoveltyNormalization = axis(
        axes.NoveltyNormalization.ALL_SUBTOPICS, "novelty.normalization", Needs.LIST
    )
    novelty_ideal: axes.NoveltyIdeal = axis(axes.NoveltyIdeal.GREEDY, "novelty.ideal", Needs.SUBTOPICS)
    prefs_counted: axes.PrefsCounted = axis(axes.PrefsCounted.ALL, "prefs.counted", Needs.LIST)
    prefs_nonrelevant: axes.PrefsNonrelevant = axis(axes.PrefsNonrelevant.DESCRIBED, "prefs.nonrelevant", Needs.LIST)
    prefs_ties: axes.PrefsTies = axis(axes.PrefsTies.SAME, "prefs.ties", Needs.SCORES)
    geometric_zero: axes.GeometricZero = axis(axes.GeometricZero.FLOOR, "map.geometric-zero", Needs.QUERIES)
    reading: axes.Reading = axis(axes.Reading.STRICT, "reading", Needs.SEARCH)

    def __post_init__(self) -> None:
        """Refuse settings that mean nothing by themselves. Comparing fractions takes long, and most are the default."""
        if fault := _setting_fault(self):
            raise ConventionError(fault, code="setting-out-of-range")
        if is_beyond_gain(self.err_max_grade):
            raise ConventionError(
                EXPONENTIAL_GRADE.reason(f"err_max_grade={self.err_max_grade} is"), code="beyond-limit"
            )

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is type(self) and vars(other) == vars(self))

    def __hash__(self) -> int:
        """Return a hash of the settings that are named values. Numbers take long to hash, and hardly ever differ."""
        return hash(_NAMED_SETTINGS(self))

    def __repr__(self) -> str:
        """Return what reads it back: `parse_convention('default[ties=grouped]')`."""
        differences = ", ".join(
            f"{axis}={setting_text(setting)}" for axis, setting in sorted(self.differences().items())
        )
        return f"parse_convention('default{f'[{differences}]' if differences else ''}')"

    def differences(self, other: Convention | None = None) -> Mapping[str, Setting]:
        """Return axis -> this convention's setting, where it differs from the other one (by default the default)."""
        base = DEFAULT if other is None else other
        return {name: setting for name, setting in self.settings().items() if setting != getattr(base, name)}

    def settings(self) -> dict[str, Setting]:
        """Return axis -> setting, every axis, in order."""
        return {name: getattr(self, name) for name in AXES}

    def with_setting(self, axis: str, setting: Setting) -> Self:
        """Return this convention with one axis changed."""
        return self.with_settings({axis: setting})

    def with_settings(self, settings: Mapping[str, Setting]) -> Self:
        """Return this convention with some axes changed."""
        # A search makes hundreds of thousands; `dataclasses.replace`, which sets each of 45 fields by itself, takes ten
        # times as long.
        return self.of(vars(self) | dict(settings))

    @classmethod
    def of(cls, settings: Mapping[str, Setting]) -> Self:
        """Return the convention that has these settings, one for each axis; `TypeError` for other axes or fewer."""
        made = object.__new__(cls)
        vars(made).update(settings)
        if vars(made).keys() != AXES.keys():
            names = ", ".join(sorted(vars(made).keys() ^ AXES.keys()))
            raise TypeError(f"a convention has one setting for each axis: {names}")
        made.__post_init__()
        return made


def _setting_fault(convention: Convention) -> str | None:
    if convention.depth is not None and convention.depth < 1:
        return f"depth={convention.depth}: a depth is a whole number of documents, 1 or more"
    if convention.geometric_floor is not Convention.geometric_floor and not 0 < convention.geometric_floor <= 1:
        return f"geometric_floor={convention.geometric_floor}: a floor lies above 0 and is at most 1"
    if convention.infap_epsilon is not Convention.infap_epsilon and not 0 < convention.infap_epsilon <= 1:
        return f"infap_epsilon={convention.infap_epsilon}: it lies above 0 and is at most 1"
    if convention.rbp_persistence is not Convention.rbp_persistence and not 0 <= convention.rbp_persistence < 1:
        return f"rbp_persistence={convention.rbp_persistence}: a persistence is at least 0 and below 1"
    if (
        convention.compat_persistence is not Convention.compat_persistence
        and not 0 <= convention.compat_persistence < 1
    ):
        return f"compat_persistence={convention.compat_persistence}: it is at least 0 and below 1"
    if convention.err_max_grade < 1:
        return f"err_max_grade={convention.err_max_grade}: the highest grade is 1 or more"
    return None


class EffectiveConvention(Convention):
    """A convention with what one measure itself says put in; values are computed under it. See `Measure.under`.

    It is made once, from a measure and a convention, and is not a convention that a user states.
    """

    def __repr__(self) -> str:
        return f"<EffectiveConvention {super().__repr__()}>"


_NAMED_SETTINGS = attrgetter(*(each.name for each in fields(Convention) if isinstance(each.default, axes.AxisValue)))
DEFAULT = Convention()
"""The documents' convention: AP over R, uninterpolated, exact scores, input order, undefined values scored 0."""


AXES: Mapping[str, Axis] = MappingProxyType({each.name: axis_of(each) for each in fields(Convention)})
"""Every axis by name, in the order in which conventions are written."""


def unknown_axis(axis: str) -> ConventionError:
    """Return the error that names the nearest axes, or all where none is near."""
    near = suggestion(axis, AXES) or f"; the axes are {', '.join(AXES)}"
    return ConventionError(f"unknown axis {axis!r}{near}", code="unknown-axis")


def parse_setting(axis: str, text: str) -> Setting:
    """Read the text of one setting; `ConventionError` for no such axis or value, with the known ones."""
    if axis not in AXES:
        raise unknown_axis(axis)
    values = AXES[axis].values
    if values is not None:
        known = {str(value): value for value in values}
        if text not in known:
            reason = f"unknown value {axis}={text}{suggestion(text, known)}; it is one of {', '.join(known)}"
            raise ConventionError(reason, code="unknown-axis-value")
        return known[text]
    default = getattr(DEFAULT, axis)
    if default is None and text == "none":
        return None
    is_whole = default is None or isinstance(default, int)
    if is_whole and text.isascii() and text.isdigit():
        return int(text)
    with suppress(ValueError, ZeroDivisionError):
        if not is_whole:
            return Fraction(text)
    kind = "a whole number" if is_whole else "a fraction or a decimal"
    needed = f"{kind} is needed, such as {setting_text(default)}"
    if default is None:
        needed = f"a {axis} is a whole number of documents, or none"
    raise ConventionError(f"{axis}={text}: {needed}", code="setting-not-a-number")


def setting_text(setting: Setting) -> str:
    """Write one setting as `parse_setting` reads it."""
    return "none" if setting is None else str(setting)
