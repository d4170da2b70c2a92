"""Denominators: the least of some counts, for averages of precision, precision and recall alike."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Denominator, PrecisionDenominator, RecallDenominator, RecallGrid


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


# ---- How many hits reach a recall level: exactly, in doubles, against singles, and as both trec_eval versions round
#
# Floats appear here because the clause is about them; they decide a whole number of hits and enter no value.


class LevelRule(NamedTuple):
    """A way to reach recall levels."""

    needed: Callable[[Fraction, float, int], int]  # (level t, its double, D) -> the hits C that are needed
    formula: str  # the same in words
    # (i, n) -> the double of level i/n, of levels from 0 to 1
    level_of: Callable[[int, int], float] = operator.truediv


@clause("ap.recall-grid.float64", "ap.recall-grid.float32")
def _least_in_doubles(double: float, denominator: int) -> int:
    """Return the least C whose double C/D reaches a level."""
    nearest = round(double * denominator)
    return nearest if nearest / denominator >= double else nearest + 1


def _single(double: float) -> float:
    return float(struct.unpack("f", struct.pack("f", double))[0])


def _multiple_of_single(level: int, levels: int) -> float:
    """Return torch's linspace in singles, fused: multiples of the step from 0 up, and from 1 down in the upper half."""
    step = _single(1 / levels)
    return _single(step * level if level <= levels // 2 else 1 - step * (levels - level))


@clause("ap.recall-grid.trec_eval-10")
def _half_away_from_zero(number: float) -> int:
    """Return C's lround of a number."""
    return math.floor(number) + (number - math.floor(number) >= 0.5)  # noqa: PLR2004 - the half of "half away"


GRIDS: Mapping[RecallGrid, LevelRule] = clause("ap.recall-grid.*")(
    {
        RecallGrid.EXACT: LevelRule(lambda level, _, whole: math.ceil(level * whole), "ceil({level} * {relevant})"),
        # numpy's arange and linspace: 3 * 0.1 is 0.30000000000000004, so that a recall of exactly 3/10 fails it.
        RecallGrid.FLOAT64: LevelRule(
            lambda _, double, whole: _least_in_doubles(double, whole),
            "the least C with C/{relevant} >= {level} in doubles",
            lambda level, levels: level * (1 / levels),
        ),
        # Source: torchmetrics 1.9.0, mean_ap.py.
        RecallGrid.FLOAT32: LevelRule(
            lambda _, double, whole: _least_in_doubles(_single(double), whole),
            "the least C with C/{relevant} >= {level} as a single",
            _multiple_of_single,
        ),
        # Source: trec_eval 9.0.8, m_iprec_at_recall.c.
        RecallGrid.TREC_EVAL_9: LevelRule(
            lambda _, double, whole: int(double * whole + 0.9), "floor({level} * {relevant} + 0.9) in doubles"
        ),
        RecallGrid.TREC_EVAL_10: LevelRule(
            lambda _, double, whole: _half_away_from_zero(double * whole),
            "{level} * {relevant} in doubles, rounded half away from 0",
        ),
    }
)
"""How each recall grid finds the hits that a level needs."""


@lru_cache(maxsize=4096)
def hits_needed(grid: RecallGrid, levels: int, denominator: int) -> tuple[int, ...]:
    """Return the hits that each of the levels 0, 1/levels, ..., 1 needs."""
    doubles = [GRIDS[grid].level_of(level, levels) for level in range(levels + 1)]
    needed = GRIDS[grid].needed
    return tuple(needed(Fraction(level, levels), double, denominator) for level, double in enumerate(doubles))


@clause("ap.recall-grid.*", "iprec.at")
def hits_for_level(level: Fraction, denominator: int, grid: RecallGrid) -> int:
    """Return the hits that reach one recall level, which programs read as the double nearest to its decimal."""
    return GRIDS[grid].needed(level, float(level), denominator)
