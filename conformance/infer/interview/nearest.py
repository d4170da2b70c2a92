"""Where no convention fits: the one that explains most of the answers, and is near to the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rankspec.conformance.infer.interview.evidence import Evidence
from rankspec.conformance.infer.interview.prediction import OverBudgetError, Predictor, distance, fits
from rankspec.conformance.infer.interview.probe import ShapedProbe
from rankspec.conformance.infer.interview.version_space import Space, Versions, complexity
from rankspec.conformance.run.outcomes import Number, PerQuery
from rankspec.oracle.conventions.convention import Convention

_KEPT = 60
"""How many conventions are followed from probe to probe."""
_COMPARED = 8
"""How many of them are held against all answers: some 1,000 predictions each."""
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


Feasible = Callable[[ShapedProbe, Convention], bool]


def nearest(
    space: Space, evidence: Evidence, predictor: Predictor, is_feasible: Feasible = lambda _, __: True
) -> Nearest | None:
    """Return the convention with the fewest answers that it does not explain, then the smallest distance from them.

    Args:
        space: the conventions.
        evidence: the answers.
        predictor: says what a convention demands.
        is_feasible: whether that is to be had in time; where it is not, nothing is held against the convention.
    """
    asked = [each for each in evidence.answers if not (each.probe.loose or evidence.is_empty_quotient(each))]
    if not asked:
        return None
    before = predictor.effort.spent
    singles = evidence.singles

    def is_right(each: ShapedProbe, member: Convention) -> bool:
        if not is_feasible(each, member):
            return True
        predicted = predictor.predicted(each, member)
        # A low scale leaves most grades beyond it: what fits for that alone does not make a convention near.
        answer = evidence.answers[each]
        is_idle = predicted.is_beyond_scale and isinstance(answer, Number | PerQuery)
        return not is_idle and fits(answer, predicted, singles=singles)

    def score(each: ShapedProbe, member: Convention) -> tuple[int, float]:
        if is_right(each, member):
            return 0, 0.0
        return 1, distance(evidence.answers[each], predictor.predicted(each, member))

    followed = _followed(space, asked[:_LOOKED_AT], score)
    convention, stopped = space.start, None
    near: list[Convention] = []
    try:
        with predictor.effort.within(_BUDGET):
            for near in followed:
                convention = near[0]
            # These are the nearest to the first answers; which is nearest to all of them?
            # Few of the first answers tell the precisions of scores apart, so each is held against all.
            precisions = space.settings.get("score_precision", ())
            others = [near[0].with_setting("score_precision", each) for each in precisions] if near else []
            compared = dict.fromkeys([*near[:_COMPARED], space.start, *others])
            apart = {member: [score(each, member) for each in asked] for member in compared}
            convention = min(
                compared, key=lambda member: (*map(sum, zip(*apart[member], strict=True)), complexity(member))
            )
    except OverBudgetError:
        stopped = predictor.effort.spent - before
    parting = [each for each in asked if not is_right(each, convention)]
    smallest_first = tuple(sorted(parting, key=lambda each: each.probe.size))
    return Nearest(convention, len(asked) - len(parting), smallest_first, stopped)


def _followed(
    space: Space, asked: Sequence[ShapedProbe], score: Callable[[ShapedProbe, Convention], tuple[int, float]]
) -> Iterator[list[Convention]]:
    """Yield the conventions that are nearest to the answers so far, after each of them, the plainest first."""
    versions = Versions.all_of(space)
    scores: dict[Convention, tuple[int, float]] = {versions.members[0]: (0, 0.0)}
    for each in asked:
        waiting = tuple(axis for axis in space.settings if axis in versions.needed(each) - versions.joined)
        grown: dict[Convention, tuple[int, float]] = {}
        for member, (wrong, apart) in scores.items():
            for extended in space.extended([member], waiting, versions.joined):
                is_wrong, distant = score(each, extended)
                total = (wrong + is_wrong, apart + distant)
                grown[extended] = min(total, grown.get(extended, total))
        # What is formed first has fewer differences from the default, and stays first among equals.
        best = sorted(grown, key=grown.__getitem__)[:_KEPT]
        scores = {member: grown[member] for member in best}
        versions = Versions(space, tuple(best), versions.joined | set(waiting))
        yield sorted(best, key=lambda member: (grown[member], complexity(member)))
