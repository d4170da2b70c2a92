"""Where no convention fits: the one that explains most of the answers, and is near to the others."""

from __future__ import annotations

from dataclasses import dataclass

from rankspec.conformance.settle.identify.evidence import Evidence
from rankspec.conformance.settle.identify.observable import Space
from rankspec.conformance.settle.identify.prediction import Predictor, distance, fits
from rankspec.conformance.settle.identify.probe import ShapedProbe
from rankspec.conformance.settle.identify.version_space import Versions, complexity
from rankspec.oracle.conventions.convention import Convention

_KEPT = 60
"""How many conventions are followed from probe to probe."""
_LOOKED_AT = 70
"""How many probes are looked at, the first ones, which are the smallest and tell most."""


@dataclass(frozen=True)
class Nearest:
    """A convention, and the probes on which the answers are not its own, the smallest first."""

    convention: Convention
    explained: int
    parting: tuple[ShapedProbe, ...]


def nearest(space: Space, evidence: Evidence, predictor: Predictor) -> Nearest | None:
    """Return the convention with the fewest answers that it does not explain, then the smallest distance from them."""
    asked = [each for each in evidence.answers if not each.probe.loose]
    singles = evidence.singles
    versions = Versions.all_of(space)
    scores: dict[Convention, tuple[int, float]] = {versions.members[0]: (0, 0.0)}
    for each in asked[:_LOOKED_AT]:
        waiting = tuple(axis for axis in space.settings if axis in versions.needed(each) - versions.joined)
        joined = versions.joined | set(waiting)
        grown: dict[Convention, tuple[int, float]] = {}
        outcome = evidence.answers[each]
        for member, (wrong, apart) in scores.items():
            for extended in space.extended([member], waiting, versions.joined):
                predicted = predictor.predicted(each, extended)
                right = fits(outcome, predicted, singles=singles)
                score = (wrong + (not right), apart + (0.0 if right else distance(outcome, predicted)))
                grown[extended] = min(score, grown.get(extended, score))
        # What is formed first has fewer differences from the default, and stays first among equals.
        best = sorted(grown, key=grown.__getitem__)[:_KEPT]
        scores = {member: grown[member] for member in best}
        versions = Versions(space, tuple(best), joined)
    if not asked:
        return None
    convention = min(scores, key=lambda member: (scores[member], complexity(member)))
    parting = [
        each
        for each in asked
        if not fits(evidence.answers[each], predictor.predicted(each, convention), singles=singles)
    ]
    return Nearest(convention, len(asked) - len(parting), tuple(sorted(parting, key=lambda each: each.probe.size)))
