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
from rankspec.oracle.measures.gain import mean_worth_does
from rankspec.oracle.scoring.batch.defined import DefinedLists, counts_length, is_read
from rankspec.oracle.scoring.batch.evaluated import IDEALS, EvaluatedLists, Outcomes
from rankspec.oracle.scoring.batch.fixed import LARGEST
from rankspec.oracle.scoring.batch.kernels import (
    AREAS,
    CLOSED,
    GRADED,
    RBP_GAINS,
    average_precision,
    interpolated_precision,
)

Kernel = Callable[[EvaluatedLists], Outcomes]

KERNELS: Mapping[str, Kernel] = {
    "AP": average_precision,
    "AP11": average_precision,
    "GMAP": average_precision,
    "IPrec": interpolated_precision,
    **GRADED,
}
"""Measure -> its certified values, where it has no definition, or a form that is faster than its reading."""


def kernel(measure: Measure, convention: EffectiveConvention) -> Kernel | None:
    """Return what certifies the values of a measure; None if nothing does."""
    reading: Kernel | None = (lambda lists: DefinedLists(lists).outcomes()) if is_read(measure, convention) else None
    return KERNELS.get(measure.name) or reading


LONGEST = LARGEST >> 1  # The longest list, and the most judgments of a query, that kernels have room for (262,143)

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
        lambda measure, convention: (
            measure.family.is_area
            and (measure.k or 0) > LONGEST
            and set(LEAST_OF[convention.denominator]) == {"cutoff"}
        ),
        "the cutoff is too large for fixed point",
    ),
    Exactly(
        lambda measure, convention: any(
            getattr(convention, axis) not in KNOWN[axis] for axis in measure.axes(convention) if axis in KNOWN
        ),
        "no enclosure is known for the convention",
    ),
    Exactly(lambda measure, convention: kernel(measure, convention) is None, "exact arithmetic is fast enough for it"),
)
"""What no kernel has; the last two lines are for values of axes that are new, and for measures without one.

Of 1,000 lists of 1,000 documents, 100 of each judged, the exact path takes 4 s (ERR), 6 s (nDCGRel) and 8 s (RnDCG).
"""


def has_form_of_ties(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether kernels have a form for ties in undecided order (`ties=expected`)."""
    if measure.family.is_area:
        return convention.interpolation is Interpolation.STEP
    return KERNELS.get(measure.name) not in {None, interpolated_precision}


def is_of_whole_ties(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether that form does where a cutoff falls into a tie; else it is read on each list that can be left."""
    if mean_worth_does(measure, convention):
        return True
    by_hits = "hits" in LEAST_OF[convention.denominator] or convention.no_hits is not NoHits.ZERO
    return measure.family.is_area and has_form_of_ties(measure, convention) and not by_hits


def exactly(measure: Measure, convention: EffectiveConvention, *, blocks: bool) -> Exactly | None:
    """Return why the exact path decides a measure, None if there is a kernel; `blocks`: documents may be tied."""
    return next((case for case in EXACT if case.when(measure, convention) and (blocks or not case.blocks_only)), None)
