"""Narrowing a version space within a budget: what tells the most for the least is compared first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from rankspec.conformance.infer.identify.prediction import COMPUTATION, OverBudgetError, Predictor
from rankspec.conformance.infer.identify.probe import ShapedProbe
from rankspec.conformance.infer.identify.version_space import Versions
from rankspec.oracle.conventions.convention import Convention

_MOST_MEMBERS = 10_000
"""So many conventions are formed at most."""


def narrowed_within(
    versions: Versions,
    asked: Sequence[ShapedProbe],
    keep: Callable[[ShapedProbe, Convention], bool],
    predictor: Predictor,
    budget: int,
) -> Versions:
    """Return the conventions that are kept after all of some questions.

    Questions on which few further axes matter come first, and those whose answers are predicted as if there was no
    deviation, since these are known already.

    Raises:
        OverBudgetError: the conventions are too many.
    """
    effort = predictor.effort

    def cost(each: ShapedProbe) -> int:
        new = versions.growth(each)
        return new * COMPUTATION if predictor.touches(each) else new

    def is_small(each: ShapedProbe) -> bool:
        return len(versions.members) * versions.growth(each, predictor.seen(each)) <= _MOST_MEMBERS

    waiting = sorted(asked, key=cost)
    with effort.within(budget):
        while waiting and versions.members:
            place = next((place for place, each in enumerate(waiting) if is_small(each)), None)
            if place is None:
                raise OverBudgetError
            each = waiting.pop(place)
            before = versions.joined
            versions = versions.joined_by(each).joined_by(predictor.seen(each))
            if versions.joined != before:
                effort.add(len(versions.members))
                waiting.sort(key=cost)
            versions = versions.left_by(partial(keep, each))
    return versions
