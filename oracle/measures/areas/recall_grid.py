"""How many hits reach a recall level: exactly, in doubles, against singles, and as both trec_eval versions round.

Floats appear here because the clause is about them; they decide a whole number of hits and enter no value.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import RecallGrid


@clause("ap.recall-grid.exact")
def hits_exact(level: Fraction, double: float, denominator: int) -> int:  # noqa: ARG001 - one signature
    """Return the least C with C/D >= the level."""
    return math.ceil(level * denominator)


@clause("ap.recall-grid.float64")
def hits_float64(level: Fraction, double: float, denominator: int) -> int:  # noqa: ARG001
    """Return the least C whose double C/D reaches the level's double."""
    nearest = round(double * denominator)
    return nearest if nearest / denominator >= double else nearest + 1


@clause("ap.recall-grid.float32")
def hits_float32(level: Fraction, double: float, denominator: int) -> int:
    """Return the least C whose double C/D reaches the level's single. Source: torchmetrics 1.9.0, mean_ap.py."""
    return hits_float64(level, _single(double), denominator)


def _single(double: float) -> float:
    """Return the nearest single of a double."""
    return float(struct.unpack("f", struct.pack("f", double))[0])


@clause("ap.recall-grid.trec_eval-9")
def hits_trec_eval_9(level: Fraction, double: float, denominator: int) -> int:  # noqa: ARG001
    """Return floor(t*D + 0.9) in doubles. Source: trec_eval 9.0.8, m_iprec_at_recall.c."""
    return int(double * denominator + 0.9)


@clause("ap.recall-grid.trec_eval-10")
def hits_trec_eval_10(level: Fraction, double: float, denominator: int) -> int:  # noqa: ARG001
    """Return t*D in doubles, rounded half away from zero (C's lround)."""
    product = double * denominator
    return math.floor(product) + (product - math.floor(product) >= 0.5)  # noqa: PLR2004 - the half of "half away"


def _decimal(level: int, levels: int) -> float:
    return level / levels


def _multiple(level: int, levels: int) -> float:
    """Return numpy's arange and linspace: 3 * 0.1 is 0.30000000000000004, so that a recall of exactly 3/10 fails it."""
    return level * (1 / levels)


def _multiple_of_single(level: int, levels: int) -> float:
    """Return torch's linspace in singles, fused: multiples of the step from 0 up, and from 1 down in the upper half."""
    step = _single(1 / levels)
    return _single(step * level if level <= levels // 2 else 1 - step * (levels - level))


class Grid(NamedTuple):
    """A way to reach recall levels."""

    needed: Callable[[Fraction, float, int], int]  # (level t, its double, D) -> hits needed
    formula: str  # the same in words
    level_of: Callable[[int, int], float] = _decimal  # (i, n) -> the double of level i/n, of levels from 0 to 1


GRIDS: Mapping[RecallGrid, Grid] = {
    RecallGrid.EXACT: Grid(hits_exact, "ceil({level} * {relevant})"),
    RecallGrid.FLOAT64: Grid(hits_float64, "the least C with C/{relevant} >= {level} in doubles", _multiple),
    RecallGrid.FLOAT32: Grid(hits_float32, "the least C with C/{relevant} >= {level} as a single", _multiple_of_single),
    RecallGrid.TREC_EVAL_9: Grid(hits_trec_eval_9, "floor({level} * {relevant} + 0.9) in doubles"),
    RecallGrid.TREC_EVAL_10: Grid(hits_trec_eval_10, "{level} * {relevant} in doubles, rounded half away from 0"),
}
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
