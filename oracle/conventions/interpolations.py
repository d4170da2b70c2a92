"""What is known of each interpolation, as data: whether it has fixed recall levels, what it is divided by, and so on.

A sum over hits is told whole: exact values, means over ties and certified values of many lists read it here. How the
other areas are computed is in `measures/areas/estimators.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import NamedTuple

from rankspec.oracle.conventions.axes import Interpolation


class At(Enum):
    """Whose precision a hit adds."""

    HIT = auto()  # the hit's own operating point
    BEFORE = auto()  # the operating point before it; 1 before the first
    HIGHEST = auto()  # the highest from the hit on


class Traits(NamedTuple):
    """The traits of an interpolation."""

    # the steps from recall 0 to 1 at which it reads interpolated precisions off; 0 if it has no such levels
    levels: int = 0
    is_divided: bool = True  # its value depends on the denominator D
    precisions: tuple[At, ...] = ()  # of a sum over hits, divided by D: the precisions whose mean each hit adds
    is_unanchored: bool = False  # hits of the first operating point add nothing to that sum
    is_monotone: bool = False  # a relevant document further up never lowers it, R given
    needs_ranks: bool = False  # it needs the rank of each document, which a block of `ties=grouped` does not give
    needs_cutoff: bool = False  # it means nothing without a cutoff
    is_joined: bool = False  # it is the envelope, joined linearly

    @property
    def looks_ahead(self) -> bool:
        """Whether it looks at the highest precision from a point on."""
        return bool(self.levels) or self.is_joined or At.HIGHEST in self.precisions

    @property
    def is_linear(self) -> bool:
        """Whether what a point adds is of degree 1 in its hits and leaves nothing for earlier points, or a constant."""
        return not self.looks_ahead and (bool(self.precisions) or not self.is_divided)


INTERPOLATIONS: Mapping[Interpolation, Traits] = {
    Interpolation.STEP: Traits(precisions=(At.HIT,), is_monotone=True),
    Interpolation.ENVELOPE: Traits(precisions=(At.HIGHEST,), is_monotone=True),
    Interpolation.ELEVEN_POINT: Traits(levels=10, is_monotone=True),
    Interpolation.HUNDRED_ONE_POINT: Traits(levels=100, is_monotone=True),
    Interpolation.LINEAR_101: Traits(is_joined=True),
    Interpolation.TRAPEZOID: Traits(precisions=(At.BEFORE, At.HIT)),
    Interpolation.TRAPEZOID_UNANCHORED: Traits(precisions=(At.BEFORE, At.HIT), is_unanchored=True),
    Interpolation.STEP_UNANCHORED: Traits(precisions=(At.HIT,), is_unanchored=True),
    Interpolation.ALL_RANKS: Traits(is_divided=False, is_monotone=True),
    Interpolation.ALL_RANKS_PADDED: Traits(is_divided=False, is_monotone=True, needs_ranks=True, needs_cutoff=True),
    Interpolation.SLOPED_LINE: Traits(needs_ranks=True),
}
"""Interpolation -> its traits."""
