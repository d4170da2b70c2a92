"""Which measure and which setting takes which path, as data.

A measure has a kernel (`KERNELS`), or the exact path decides every query; `EXACT` lists the settings under which it
decides all the same, and why. Nothing falls back to plain floats.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from rankspec.oracle.conventions.axes import Interpolation, NegativeGrades, NoHits, Ties, Unjudged
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.areas.denominators import LEAST_OF
from rankspec.oracle.measures.choices import settled_definition
from rankspec.oracle.measures.gain import is_mean_of_whole_blocks
from rankspec.oracle.scoring.batch.defined import DefinedLists, counts_length, is_of_documents, is_read
from rankspec.oracle.scoring.batch.evaluated import IDEALS, EvaluatedLists, Outcomes
from rankspec.oracle.scoring.batch.fixed import LARGEST
from rankspec.oracle.scoring.batch.kernels.areas import (
    AREAS,
    OF_BLOCKS,
    OF_HITS,
    average_precision,
    interpolated_precision,
)
from rankspec.oracle.scoring.batch.kernels.graded import (
    CLOSED,
    GRADED,
    POINTS,
    RBP_GAINS,
    cumulated_gain,
    gain_at_points,
    rank_biased_precision,
    residual,
)
from rankspec.oracle.scoring.batch.spread import law

Kernel = Callable[[EvaluatedLists], Outcomes]

KERNELS: Mapping[str, Kernel] = {
    "AP": average_precision,
    "AP11": average_precision,
    "GMAP": average_precision,
    "IPrec": interpolated_precision,
    **GRADED,
    **dict.fromkeys(POINTS, gain_at_points),
}
"""Measure -> its certified values, where it has no definition, or a form that is faster than its reading."""


def kernel(measure: Measure, convention: EffectiveConvention) -> Kernel | None:
    """Return what certifies the values of a measure; None if nothing does."""
    return KERNELS.get(measure.name) or (_read if is_read(measure, convention) else None)


def _read(evaluated: EvaluatedLists) -> Outcomes:
    return DefinedLists(evaluated).outcomes()


LONGEST = LARGEST >> 1  # The longest list, and the most judgments of a query, that all kernels have room for (262,143)
FARTHEST = (1 << 31) - 1
"""The longest list where ranks are only divided by, a rank a term (`Fixed.shares`), or weighed one by one."""

OF_FAR_RANKS = frozenset({cumulated_gain, gain_at_points, interpolated_precision, rank_biased_precision, residual})
"""Kernels of their own with room for ranks up to there."""

IN_STRICT_ORDER = frozenset({gain_at_points, interpolated_precision})
"""Kernels without a form for ties in undecided order."""

KNOWN: Mapping[str, Collection[Setting]] = {
    "unjudged": {Unjudged.NONRELEVANT, Unjudged.REMOVED},
    "negative_grades": {NegativeGrades.NONRELEVANT, NegativeGrades.UNJUDGED},
    "interpolation": AREAS,
    "ideal": IDEALS,
    "rbp_gain": RBP_GAINS,
    "rbp_residual": CLOSED,
}
"""Axis -> the values that kernels have forms of their own for. The exact path has every other value.

Axes that are missing here have no such forms: kernels read the oracle's own tables, or nothing depends on them.
"""

_OF_LENGTH = frozenset({"length", "hits_in_list"})  # Counts that documents behind the last judged one change


class Exactly(NamedTuple):
    """A case for the exact path."""

    when: Callable[[Measure, EffectiveConvention], bool]  # whether it is one
    why: str  # the reason, for people
    needs_scores: bool = False  # the judged documents' ranks do not decide it; all documents' scores do
    blocks_only: bool = False  # it is one only where blocks of equal score stand together


def _looks_at_length(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether the number of documents evaluated enters the value."""
    counts = {name for axis in DENOMINATORS if measure.family.has(axis) for name in LEAST_OF[getattr(convention, axis)]}
    return measure.family.counts_retrieved or not counts.isdisjoint(_OF_LENGTH) or counts_length(measure, convention)


DENOMINATORS = ("denominator", "precision_denominator", "recall_denominator")
"""The axes that `LEAST_OF` has the values of."""


def _unknown(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether a value that matters is one that no kernel has a form for."""
    return any(getattr(convention, axis) not in KNOWN[axis] for axis in measure.axes(convention) if axis in KNOWN)


EXACT: tuple[Exactly, ...] = (
    Exactly(
        lambda measure, _: measure.family.cuts_by_score,
        "the cutoff is a score, which all lists decide together",
        needs_scores=True,
    ),
    Exactly(
        lambda measure, convention: not convention.aggregate.is_of_values and not measure.family.is_count,
        "the values of single queries do not decide it",
        needs_scores=True,
    ),
    Exactly(
        lambda measure, convention: (
            convention.ties is Ties.GROUPED
            and (measure.k is not None or convention.depth is not None or measure.family.limit_is_relevant)
            and _looks_at_length(measure, convention)
        ),
        "a limit drops the block that it cuts, judged or not, and the length with it",
        needs_scores=True,
        blocks_only=True,
    ),
    Exactly(
        lambda _, convention: convention.ties is Ties.MID_RANK,
        "the mean rank of a block depends on the documents that are not judged",
        needs_scores=True,
    ),
    Exactly(
        lambda measure, convention: (
            convention.ties is Ties.GROUPED
            and measure.family.is_area
            and convention.interpolation is Interpolation.ALL_RANKS
        ),
        "every block is an operating point, judged or not",
        needs_scores=True,
        blocks_only=True,
    ),
    Exactly(
        lambda measure, convention: measure.family.is_area and convention.interpolation is Interpolation.LINEAR_101,
        "interpolation=linear-101 is a sum of products of ratios",
    ),
    Exactly(
        lambda measure, convention: (
            measure.family.is_area
            and (measure.k or 0) > LONGEST
            and (
                set(LEAST_OF[convention.denominator]) == {"cutoff"}
                or convention.interpolation is Interpolation.ALL_RANKS_PADDED
            )
        ),
        "the cutoff is too large for fixed point",
    ),
    Exactly(_unknown, "no enclosure is known for the convention"),
    Exactly(lambda measure, convention: kernel(measure, convention) is None, "it has no enclosure yet"),
)
"""What no kernel has; the last two lines are for values of axes, and measures, that are new.

Of ties in undecided order (`has_form_of_ties`), and of long lists, it is single queries: see `values.py`.
"""


def reaches_far(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether a kernel has room for ranks beyond `LONGEST`, up to `FARTHEST`."""
    if measure.family.is_area:
        return convention.interpolation in OF_HITS
    of_measure = KERNELS.get(measure.name)
    return of_measure in OF_FAR_RANKS or (of_measure is None and is_read(measure, convention))


def has_form_of_ties(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether kernels have a form for ties in undecided order (`ties=expected`)."""
    if measure.family.is_area:
        return convention.interpolation in OF_BLOCKS
    of_measure = KERNELS.get(measure.name)
    return of_measure not in IN_STRICT_ORDER if of_measure is not None else _has_mean(measure, convention)


def is_of_whole_ties(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether that form does where a cutoff falls into a tie; else it is read on each list that can be left."""
    by_hits = "hits" in LEAST_OF[convention.denominator] or convention.no_hits is not NoHits.ZERO
    return is_mean_of_whole_blocks(measure, convention) or (_is_mean_area(measure, convention) and not by_hits)


def _is_mean_area(measure: Measure, convention: EffectiveConvention) -> bool:
    return measure.family.is_area and convention.interpolation in OF_BLOCKS


def _has_mean(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether the mean of a definition over the orders of a block has a form."""
    term = settled_definition(measure, convention).term
    return is_of_documents(term) or law(term) is not None


def exactly(measure: Measure, convention: EffectiveConvention, *, blocks: bool) -> Exactly | None:
    """Return why the exact path decides a measure, None if there is a kernel; `blocks`: documents may be tied."""
    return next((case for case in EXACT if case.when(measure, convention) and (blocks or not case.blocks_only)), None)
