"""Where no convention fits: the one that explains most of the answers, and is near to the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rankspec.conformance.run.outcomes import Outcome
from rankspec.conformance.settle.identify.evidence import Evidence
from rankspec.conformance.settle.identify.observable import Space
from rankspec.conformance.settle.identify.prediction import OverBudgetError, Predictor, distance, fits
from rankspec.conformance.settle.identify.probe import ShapedProbe
from rankspec.conformance.settle.identify.version_space import Versions, complexity
from rankspec.oracle.conventions.convention import Convention

_KEPT = 60
"""How many conventions are followed from probe to probe."""
_LOOKED_AT = 70
"""How many probes are looked at, the first ones, which are the smallest and tell most."""


_BUDGET = 600_000
"""In predictions. Of 14 wrong functions the search took 240,000 at most, in 6 s."""


@dataclass(frozen=True)
class Nearest:
    """A convention, and the probes on which the answers are not its own, the smallest first.

    Attributes:
        stopped: the predictions after which the search ended, None if it followed every probe that it looks at.
    """

    convention: Convention
    explained: int
    parting: tuple[ShapedProbe, ...]
    stopped: int | None = None


def nearest(space: Space, evidence: Evidence, predictor: Predictor) -> Nearest | None:
    """Return the convention with the fewest answers that it does not explain, then the smallest distance from them."""
    asked = [each for each in evidence.answers if not (each.probe.loose or evidence.is_empty_quotient(each))]
    if not asked:
        return None
    before = predictor.effort.spent
    singles = evidence.singles
    followed = _followed(
        space, {each: evidence.answers[each] for each in asked[:_LOOKED_AT]}, predictor, singles=singles
    )
    convention, stopped = space.start, None
    try:
        with predictor.effort.within(_BUDGET):
            while (following := next(followed, None)) is not None:
                convention = following
    except OverBudgetError:
        stopped = predictor.effort.spent - before
    parting = [
        each
        for each in asked
        if not fits(evidence.answers[each], predictor.predicted(each, convention), singles=singles)
    ]
    smallest_first = tuple(sorted(parting, key=lambda each: each.probe.size))
    return Nearest(convention, len(asked) - len(parting), smallest_first, stopped)


def _followed(
    space: Space, answers: Mapping[ShapedProbe, Outcome], predictor: Predictor, *, singles: bool
) -> Iterator[Convention]:
    """Yield the convention that is nearest to the answers so far, after each of them."""
    versions = Versions.all_of(space)
    scores: dict[Convention, tuple[int, float]] = {versions.members[0]: (0, 0.0)}
    for each, outcome in answers.items():
        waiting = tuple(axis for axis in space.settings if axis in versions.needed(each) - versions.joined)
        grown: dict[Convention, tuple[int, float]] = {}
        for member, (wrong, apart) in scores.items():
            for extended in space.extended([member], waiting, versions.joined):
                predicted = predictor.predicted(each, extended)
                right = fits(outcome, predicted, singles=singles)
                score = (wrong + (not right), apart + (0.0 if right else distance(outcome, predicted)))
                grown[extended] = min(score, grown.get(extended, score))
        # What is formed first has fewer differences from the default, and stays first among equals.
        best = sorted(grown, key=grown.__getitem__)[:_KEPT]
        scores = {member: grown[member] for member in best}
        versions = Versions(space, tuple(best), versions.joined | set(waiting))
        yield min((member for member in best if grown[member] == grown[best[0]]), key=complexity)
