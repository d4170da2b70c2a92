"""A convention as plain data, axis -> text, filled in with the documents' defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, make_dataclass
from fractions import Fraction

AxisValue = str | int | Fraction | None

BLOCK_RULES = ("grouped", "expected", "optimistic", "pessimistic", "mid-rank")

UNDEFINED = ("zero", "one", "nan", "skip", "error")
ALLOWED: dict[str, tuple[str, ...]] = {  # of each axis the documents' default first
    "unjudged": ("nonrelevant", "removed"),
    "negative_grades": ("nonrelevant", "unjudged"),
    "duplicates": ("error", "counted", "first", "removed"),
    "score_precision": ("exact", "float64", "float32"),
    "ties": ("input-order", "reverse-input", "docno-descending", "docno-ascending", *BLOCK_RULES),
    "denominator": (
        *("relevant", "min-relevant-cutoff", "min-relevant-cutoff-length", "min-relevant-length"),
        *("min-cutoff-length", "retrieved-relevant", "relevant-in-list", "cutoff", "length"),
    ),
    "interpolation": (
        *("step", "envelope", "11-point", "101-point", "linear-101", "trapezoid", "trapezoid-unanchored"),
        *("step-unanchored", "all-ranks", "all-ranks-padded", "sloped-line"),
    ),
    "recall_grid": ("exact", "float64", "float32", "trec_eval-9", "trec_eval-10"),
    "no_relevant": (*UNDEFINED, "reciprocal"),
    "no_hits": UNDEFINED,
    "missing_query": ("zero", "skip", "error"),
    "unknown_query": ("skip", "zero", "error"),
    "empty_mean": ("nan", "zero", "one", "minus-one", "error"),
    "aggregate": ("mean", "geometric", "micro", "by-relevant", "ratio"),
    "tap_quantile": ("lower-median", "upper-median", "midpoint", "mean-count"),
    "tap_insufficient": ("lowest-score", "error", "no-cutoff"),
    "tap_ties": ("kept", "dropped"),
    "precision_denominator": ("cutoff", "min-cutoff-length", "min-relevant-cutoff"),
    "recall_denominator": ("relevant", "min-relevant-cutoff"),
    "multiple_rounding": ("trec_eval", "up"),
    "f_weight": ("beta-squared", "beta"),
    "gain": ("linear", "exponential", "binary"),
    "discount": ("log2-rank-plus-one", "log2-rank"),
    "ideal": ("judged", "judged-uncut", "judged-to-length", "retrieved", "retrieved-top"),
    "bpref_variant": ("trec_eval", "sigir-2004", "bpref-10", "all-nonrelevant"),
    "rbp_gain": ("binary", "scaled-by-topic", "grade"),
    "rbp_residual": ("with-tail", "zero-if-all-judged"),
    "reader_horizon": ("unlimited", "thousand"),
    "compat_depth": ("longest", "thousand", "unlimited"),
    "compat_normalization": ("ideal", "none"),
    "novelty_normalization": ("all-subtopics", "none"),
    "novelty_ideal": ("greedy", "exact"),
    "prefs_counted": ("all", "implied", "retrieved"),
    "prefs_nonrelevant": ("described", "trec_eval"),
    "prefs_ties": ("same", "docno-ascending"),
    "geometric_zero": ("floor", "added", "added-subtracted"),
    "reading": ("strict", "trec_eval-9", "trec_eval-10"),
}
# Axes that take a number, and whether it may be 0 and 1.
NUMBERS = {
    "geometric_floor": (False, True),
    "infap_epsilon": (False, True),
    "rbp_persistence": (True, False),
    "compat_persistence": (True, False),
}


Options = make_dataclass(
    "Options",
    [
        *((axis, str, values[0]) for axis, values in ALLOWED.items()),
        *(("depth", int | None, None), ("err_max_grade", int, 4)),
        *(("geometric_floor", Fraction, Fraction(1, 100000)), ("infap_epsilon", Fraction, Fraction(1, 100000))),
        *(("rbp_persistence", Fraction, Fraction(4, 5)), ("compat_persistence", Fraction, Fraction(19, 20))),
    ],
    frozen=True,
)
"""A convention with every axis filled in; the defaults are the documents' convention."""
AXES = frozenset(field.name for field in fields(Options))


def options_of(convention: Mapping[str, AxisValue]) -> Options:
    """Fill in the default of every axis that the convention leaves out; refuse what no axis knows."""
    settings: dict[str, AxisValue] = {}
    for axis, value in convention.items():
        if axis == "depth":
            if value is None or value == "none":
                continue
            if not isinstance(value, int) or value < 1:
                message = f"depth must be a whole number >= 1 or None, not {value!r}"
                raise ValueError(message)
            settings[axis] = value
        elif axis == "err_max_grade":
            if not isinstance(value, int) or value < 1:
                message = f"{axis} is a whole number >= 1, not {value!r}"
                raise ValueError(message)
            settings[axis] = value
        elif axis in NUMBERS:
            zero, one = NUMBERS[axis]
            number = Fraction(-1 if value is None else value)
            if not (0 < number < 1 or (number == 0 and zero) or (number == 1 and one)):
                message = f"{axis} is a rational between 0 and 1, not {value!r}"
                raise ValueError(message)
            settings[axis] = number
        elif axis not in AXES:
            message = f"unknown axis {axis!r}"
            raise ValueError(message)
        elif value not in ALLOWED[axis]:
            message = f"axis {axis} has no value {value!r}"
            raise ValueError(message)
        else:
            settings[axis] = str(value)
    return Options(**settings)  # type: ignore[arg-type]
