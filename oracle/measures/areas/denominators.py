"""Denominators: the least of some counts, for averages of precision, precision and recall alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Denominator, PrecisionDenominator, RecallDenominator


class Counts(NamedTuple):
    """What denominators are made of, for one list that is evaluated."""

    relevant: int  # R
    cutoff: int  # k; the length of the list where the measure has none
    length: int  # n, the documents evaluated
    hits: int = 0  # the relevant ones among them
    hits_in_list: int = 0  # the relevant ones in the list before the cutoff


LEAST_OF: Mapping[Denominator | PrecisionDenominator | RecallDenominator, tuple[str, ...]] = clause(
    "ap.denominator.*", "precision.denominator.*", "recall.denominator.*"
)(
    {
        Denominator.RELEVANT: ("relevant",),
        Denominator.MIN_RELEVANT_CUTOFF: ("relevant", "cutoff"),
        Denominator.MIN_RELEVANT_CUTOFF_LENGTH: ("relevant", "cutoff", "length"),
        Denominator.MIN_RELEVANT_LENGTH: ("relevant", "length"),
        Denominator.MIN_CUTOFF_LENGTH: ("cutoff", "length"),
        Denominator.RETRIEVED_RELEVANT: ("hits",),
        Denominator.RELEVANT_IN_LIST: ("hits_in_list",),
        Denominator.CUTOFF: ("cutoff",),
        Denominator.LENGTH: ("length",),
        PrecisionDenominator.CUTOFF: ("cutoff",),
        PrecisionDenominator.MIN_CUTOFF_LENGTH: ("cutoff", "length"),
        PrecisionDenominator.MIN_RELEVANT_CUTOFF: ("relevant", "cutoff"),
        RecallDenominator.RELEVANT: ("relevant",),
        RecallDenominator.MIN_RELEVANT_CUTOFF: ("relevant", "cutoff"),
    }
)
"""Denominator -> the counts that it is the least of."""


def least(names: tuple[str, ...], counts: Counts) -> int:
    """Return the least of some counts."""
    number: int = min([getattr(counts, name) for name in names])
    return number


@clause("ap.recall-at-rank")
def denominator(rule: Denominator | PrecisionDenominator | RecallDenominator, counts: Counts) -> int:
    """Return D, what a recall (or a precision) of 1 is."""
    return least(LEAST_OF[rule], counts)
