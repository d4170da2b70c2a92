"""Which measure and which setting takes which path, as data.

A measure is read from its definition (`evaluated.py`), or the exact path decides every query; `EXACT` lists the
settings under which it decides all the same, and why. Nothing falls back to plain floats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rankspec.oracle.conventions.axes import Ideal, Interpolation, NoHits, Ties
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.definitions.expression import IDEAL_TOTAL, Choice, names
from rankspec.oracle.measures.choices import settled
from rankspec.oracle.scoring.batch.evaluated import definition_of, has_mean, is_read
from rankspec.oracle.scoring.batch.fixed import LARGEST

LONGEST = LARGEST >> 1  # The longest list, and the most judgments of a query, that fixed point has room for (262,143)
_OF_LENGTH = frozenset({"length", "document", "hits_in_list"})
"""Quantities that documents behind the last judged one change."""


class Exactly(NamedTuple):
    """A case for the exact path."""

    when: Callable[[Measure, EffectiveConvention], bool]  # whether it is one
    why: str  # the reason, for people
    needs_scores: bool = False  # the judged documents' ranks do not decide it; all documents' scores do
    blocks_only: bool = False  # it is one only where blocks of equal score stand together


def _looks_at_length(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether the number of documents evaluated, judged or not, enters the value."""
    used = set[str]()
    if measure.family.has("denominator"):
        used |= names(settled(Choice("denominator"), measure, convention))
    if (definition := measure.family.definition) is not None:
        used |= {
            name
            for each in (definition.term, definition.divisor, definition.extra)
            for name in names(settled(each, measure, convention))
        }
    return measure.family.counts_retrieved or not used.isdisjoint(_OF_LENGTH)


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
    Exactly(lambda measure, convention: not is_read(measure, convention), "exact arithmetic is fast enough for it"),
)
"""What is not read."""


def has_form_of_ties(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether ties in undecided order (`ties=expected`) are read."""
    definition = definition_of(measure, convention)
    return definition is not None and has_mean(definition.term)


def is_of_whole_ties(measure: Measure, convention: EffectiveConvention) -> bool:
    """Tell whether that does where a cutoff falls into a tie; else it is read on each list that can be left."""
    # It does not where it matters whether there is a hit, or which documents an ideal ranking is made of.
    definition = definition_of(measure, convention)
    if definition is None or convention.no_hits is not NoHits.ZERO:
        return False
    by_list = definition.divisor == IDEAL_TOTAL and convention.ideal is Ideal.RETRIEVED_TOP
    return has_mean(definition.term) and "hits" not in names(definition.divisor) and not by_list


def exactly(measure: Measure, convention: EffectiveConvention, *, blocks: bool) -> Exactly | None:
    """Return why the exact path decides a measure, None if it is read; `blocks`: documents may be tied."""
    return next((case for case in EXACT if case.when(measure, convention) and (blocks or not case.blocks_only)), None)
