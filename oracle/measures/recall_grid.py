"""How many hits reach a fixed recall level: exactly, in doubles, and as both trec_eval versions round.

Floats appear here because the clause is about them; they decide a whole number of hits and enter no value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from rankspec.oracle.conventions.axes import RecallGrid


def hits_exact(level: int, levels: int, denominator: int) -> int:
    """Return the least C with C/D >= level/levels. Clause ap.recall-grid.exact."""
    return math.ceil(Fraction(level * denominator, levels))


def hits_float64(level: int, levels: int, denominator: int) -> int:
    """Return the least C whose double C/D reaches the double level * (1/levels). Clause ap.recall-grid.float64.

    This is numpy's arange and linspace: 3 * 0.1 is 0.30000000000000004, so a recall of exactly 3/10 fails it.
    """
    recall = level * (1 / levels)
    nearest = round(recall * denominator)
    return next(count for count in range(max(0, nearest - 1), nearest + 3) if count / denominator >= recall)


def hits_trec_eval_9(level: int, levels: int, denominator: int) -> int:
    """Return floor(t*D + 0.9) in doubles. Clause ap.recall-grid.trec_eval-9; trec_eval 9.0.8, m_iprec_at_recall.c."""
    return int(level / levels * denominator + 0.9)


def hits_trec_eval_10(level: int, levels: int, denominator: int) -> int:
    """Return t*D in doubles, rounded half away from zero (C's lround). Clause ap.recall-grid.trec_eval-10."""
    product = level / levels * denominator
    return math.floor(product) + (product - math.floor(product) >= 0.5)  # noqa: PLR2004 - the half of "half away"


HITS_NEEDED: Mapping[RecallGrid, Callable[[int, int, int], int]] = {
    RecallGrid.EXACT: hits_exact,
    RecallGrid.FLOAT64: hits_float64,
    RecallGrid.TREC_EVAL_9: hits_trec_eval_9,
    RecallGrid.TREC_EVAL_10: hits_trec_eval_10,
}
"""Recall grid -> (level, levels, D) -> hits needed."""


def hits_for_level(level: Fraction, denominator: int, grid: RecallGrid) -> int:
    """Return the hits that reach one recall level, which programs read as the double nearest to its decimal.

    Clauses ap.recall-grid.*; iprec.at.
    """
    as_double = float(level)
    if grid is RecallGrid.EXACT:
        return math.ceil(level * denominator)
    if grid is RecallGrid.TREC_EVAL_9:
        return int(as_double * denominator + 0.9)
    product = as_double * denominator
    if grid is RecallGrid.TREC_EVAL_10:
        return math.floor(product) + (product - math.floor(product) >= 0.5)  # noqa: PLR2004 - the half of "half away"
    nearest = round(product)
    return next(count for count in range(max(0, nearest - 1), nearest + 3) if count / denominator >= as_double)
