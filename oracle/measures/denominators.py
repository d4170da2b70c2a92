"""Denominators: the least of some counts, for averages of precision, precision and recall alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Denominator, PrecisionDenominator, RecallDenominator


@dataclass(frozen=True)
class Counts:
    """What denominators are made of, for one list that is looked at.

    Attributes:
        relevant: R.
        cutoff: k; the length of the list where the measure has none.
        length: n, the documents looked at.
        hits: the relevant ones among them.
        hits_in_list: the relevant ones in the list before the cutoff.
    """

    relevant: int
    cutoff: int
    length: int
    hits: int = 0
    hits_in_list: int = 0


LEAST_OF: Mapping[Denominator | PrecisionDenominator | RecallDenominator, tuple[str, ...]] = clause(
    "ap.denominator.*", "precision.denominator.*", "recall.denominator.*"
)(
    MappingProxyType(
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
)
"""Denominator -> the counts that it is the least of."""

_SYMBOLS: Mapping[str, str] = MappingProxyType(
    {
        "relevant": "R",
        "cutoff": "k",
        "length": "n",
        "hits": "hits in the list looked at",
        "hits_in_list": "hits in the list before the cutoff",
    }
)


CUTOFF = ("cutoff",)
"""What precision is measured against where no convention has a say: k."""

RELEVANT = ("relevant",)
"""What recall is measured against where no convention has a say: R."""


def least(names: tuple[str, ...], counts: Counts) -> int:
    """Return the least of some counts."""
    return min(_numbers(names, counts))


def least_text(names: tuple[str, ...], counts: Counts) -> str:
    """Say how the least of some counts came about.

    >>> least_text(("relevant", "cutoff"), Counts(relevant=5, cutoff=3, length=9))
    'min(R, k) = min(5, 3) = 3'
    """
    symbols = ", ".join(_SYMBOLS[name] for name in names)
    if len(names) == 1:
        return f"{symbols} = {least(names, counts)}"
    return f"min({symbols}) = min({', '.join(map(str, _numbers(names, counts)))}) = {least(names, counts)}"


def _numbers(names: tuple[str, ...], counts: Counts) -> list[int]:
    return [getattr(counts, name) for name in names]


def denominator(rule: Denominator | PrecisionDenominator | RecallDenominator, counts: Counts) -> int:
    """Return D, what a recall (or a precision) of 1 is."""
    return least(LEAST_OF[rule], counts)
