"""What is known of each interpolation, as data: whether it has fixed recall levels, what it is divided by, and so on.

How an area is computed is in `measures/estimators.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from rankspec.oracle.conventions.axes import Interpolation


class Traits(NamedTuple):
    """The traits of an interpolation."""

    # the steps from recall 0 to 1 at which it reads interpolated precisions off; 0 if it has no such levels
    levels: int = 0
    is_divided: bool = True  # its value depends on the denominator D
    is_sum_over_denominator: bool = False  # its value is a sum that does not depend on D, divided by D
    looks_ahead: bool = False  # it looks at the highest precision from a point on
    is_monotone: bool = False  # a relevant document further up never lowers it, R given
    needs_ranks: bool = False  # it needs the rank of each document, which a block of `ties=grouped` does not give
    needs_cutoff: bool = False  # it means nothing without a cutoff


INTERPOLATIONS: Mapping[Interpolation, Traits] = MappingProxyType(
    {
        Interpolation.STEP: Traits(is_sum_over_denominator=True, is_monotone=True),
        Interpolation.ENVELOPE: Traits(is_sum_over_denominator=True, looks_ahead=True, is_monotone=True),
        Interpolation.ELEVEN_POINT: Traits(levels=10, looks_ahead=True, is_monotone=True),
        Interpolation.HUNDRED_ONE_POINT: Traits(levels=100, looks_ahead=True, is_monotone=True),
        Interpolation.LINEAR_101: Traits(looks_ahead=True),
        Interpolation.TRAPEZOID: Traits(is_sum_over_denominator=True),
        Interpolation.TRAPEZOID_UNANCHORED: Traits(is_sum_over_denominator=True),
        Interpolation.STEP_UNANCHORED: Traits(is_sum_over_denominator=True),
        Interpolation.ALL_RANKS: Traits(is_divided=False, is_monotone=True),
        Interpolation.ALL_RANKS_PADDED: Traits(is_divided=False, is_monotone=True, needs_ranks=True, needs_cutoff=True),
        Interpolation.SLOPED_LINE: Traits(needs_ranks=True),
    }
)
"""Interpolation -> its traits."""
