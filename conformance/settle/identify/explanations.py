"""Explanations: a deviation, or two, that predict every answer together with some convention.

What is named was verified: it predicts the answers that it was not made for, and new ones that were asked to refute it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.conformance.settle.identify.candidate_inputs import random_probes
from rankspec.conformance.settle.identify.deviations import Deviation, deviations, together
from rankspec.conformance.settle.identify.evidence import Evidence
from rankspec.conformance.settle.identify.interview import Interview
from rankspec.conformance.settle.identify.nearest import Nearest
from rankspec.conformance.settle.identify.observable import SHOWN
from rankspec.conformance.settle.identify.prediction import Predictor, distance, fits
from rankspec.conformance.settle.identify.probe import ShapedProbe
from rankspec.conformance.settle.identify.version_space import Versions, complexity, narrowed
from rankspec.oracle.conventions.axis import Needs
from rankspec.oracle.conventions.convention import Convention

_FRESH = 40
"""So many new inputs are asked before a deviation is named."""
_MOST_VERIFIED = 50
_PROMISING = 4
"""So many deviations are tried together with every other one: those that explain the most by themselves."""
_LOOKED_AT = 80
_MOST_COMPARED = 20_000
"""So many predictions are compared with answers, for pairs; never a time, so that the same pairs are always tried."""


@dataclass(frozen=True)
class Explanation:
    """A deviation, its predictor, and the conventions with which it explains all numbers."""

    deviation: Deviation
    predictor: Predictor
    versions: Versions


def explanation(interview: Interview, evidence: Evidence, near: Nearest) -> Explanation | None:
    """Return the plainest one, None if there is none: no deviation of the list, and no two of them."""
    quick = [each for each in evidence.numbers if interview.is_quick(each)]
    apart = max(
        (
            distance(evidence.answers[each], interview.predictor.predicted(each, near.convention))
            for each in near.parting
            if each in set(quick)
        ),
        default=0.0,
    )
    search = _Search(interview, evidence, quick)
    measure, reach = interview.target.measure, interview.reach
    found = search.first(each for each in deviations(measure, reach, apart) if search.can_show(each))
    if found is None and apart:
        # Nobody knows how far the answers are from those of the other deviation: every rounding is tried.
        every = [each for each in deviations(measure, reach, 0.0) if search.can_show(each)]
        promising = sorted(every, key=lambda each: -search.explained(each, near))[:_PROMISING]
        found = search.first(_pairs(promising, every), _MOST_COMPARED)
    return found


def _pairs(promising: Sequence[Deviation], singles: Sequence[Deviation]) -> Iterator[Deviation]:
    for place, first in enumerate(promising):
        for second in singles:
            if second not in promising[:place] and (both := together(first, second)) is not None:
                yield both


class _Search:
    """What is tried, one after the other."""

    def __init__(self, interview: Interview, evidence: Evidence, quick: Sequence[ShapedProbe]) -> None:
        self._interview = interview
        self._evidence = evidence
        self._quick = quick
        self._singles = evidence.singles
        self._compared = 0

    def can_show(self, deviation: Deviation) -> bool:
        """Tell whether the shape has what the deviation changes, and some input shows it."""
        shown = SHOWN[self._interview.target.signature.shape]
        if deviation.name.startswith(("scores", "sorting")) and Needs.SCORES not in shown:
            return False
        if deviation.name == "docnos" and not {Needs.IDS, Needs.QRELS} & shown:
            return False
        if deviation.is_innermost:
            return True
        convention = self._interview.space.start
        predictor = deviation.made(self._interview.predictor)
        return any(
            predictor.seen(each) is not each
            or predictor.predicted(each, convention) is not self._interview.predictor.predicted(each, convention)
            for each in self._quick
        )

    def explained(self, deviation: Deviation, near: Nearest) -> int:
        """Count the answers other than 0 and 1 that it explains with the nearest convention."""
        predictor = deviation.made(self._interview.predictor)
        return sum(
            fits(outcome, predictor.predicted(each, near.convention), singles=self._singles)
            for each in self._quick[:_LOOKED_AT]
            if _says_something(outcome := self._evidence.answers[each])
        )

    def first(self, candidates: Iterable[Deviation], most_compared: float = math.inf) -> Explanation | None:
        """Return the first one that explains everything."""
        most = self._compared + most_compared
        everything = Versions.all_of(self._interview.space)
        for deviation in candidates:
            if self._compared > most:
                self._interview.observations.append("not every pair of deviations was tried")
                return None
            predictor = deviation.made(self._interview.predictor)
            versions = self._left(everything, self._quick, self._evidence.answers, predictor)
            if versions.members and (verified := self._verified(deviation, predictor, versions)).members:
                return Explanation(deviation, predictor, verified)
        return None

    def _verified(self, deviation: Deviation, predictor: Predictor, versions: Versions) -> Versions:
        """Return the conventions that predict the largest inputs too, and new ones that are chosen to refute them."""
        versions = replace(versions, members=tuple(sorted(versions.members, key=complexity)[:_MOST_VERIFIED]))
        given = (*random_probes(self._interview.target.measures, _FRESH, seed=2), *deviation.refuting)
        shaped = [self._interview.shaped(each) for each in given]
        fresh = [each for each in shaped if each is not None and not each.probe.loose]
        outcomes = self._interview.respondent.raw([each.call for each in fresh])
        answers = dict(zip(fresh, outcomes, strict=True))
        numbers = {each: outcome for each, outcome in answers.items() if isinstance(outcome, Number | PerQuery)}
        larger = {each: self._evidence.answers[each] for each in self._evidence.numbers if each not in self._quick}
        both: dict[ShapedProbe, Outcome] = {**numbers, **larger}
        return self._left(versions, list(both), both, predictor)

    def _left(
        self,
        versions: Versions,
        asked: Sequence[ShapedProbe],
        answers: dict[ShapedProbe, Outcome],
        predictor: Predictor,
    ) -> Versions:
        def keep(each: ShapedProbe, member: Convention) -> bool:
            self._compared += 1
            return fits(answers[each], predictor.predicted(each, member), singles=self._singles)

        return narrowed(versions, asked, keep, predictor.seen)


def _says_something(outcome: Outcome) -> bool:
    numbers = [outcome] if isinstance(outcome, Number) else []
    if isinstance(outcome, PerQuery):
        numbers = [*outcome.values.values()]
    return any(isinstance(number.value, Fraction) and number.value not in {0, 1} for number in numbers)
