"""An interview: the probes, random inputs and larger ones that an implementation is asked, and its answers.

How far down a list it looks is found by moving one hit down a long list until nothing changes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.conformance.settle.identify.candidate_inputs import name_of_three, probe, random_probes
from rankspec.conformance.settle.identify.evidence import Evidence
from rankspec.conformance.settle.identify.observable import Space, space_of
from rankspec.conformance.settle.identify.prediction import Predictor, fits
from rankspec.conformance.settle.identify.probe import Probe, ShapedProbe, shaped
from rankspec.conformance.settle.identify.relations import SIZES, Relation, relations
from rankspec.conformance.settle.identify.respondent import Respondent
from rankspec.conformance.settle.identify.shipped_probes import probes
from rankspec.conformance.settle.identify.target import Target
from rankspec.conformance.settle.identify.version_space import Versions
from rankspec.conformance.worker.shapes import Need
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure

_RANDOM = 240
_RANDOM_SLOW = 25
_SLOW_SECONDS = 0.03
_BUDGET_SECONDS = 12.0
_BEYOND = 2000


class Interview:
    """One identification on its way: what was asked, and what is to be said of it.

    Attributes:
        related: larger inputs, and the relation that each belongs to.
        observations: what is worth saying, a line each.
        one_mean: it returns one number for all queries.
    """

    space: Space
    related: dict[ShapedProbe, Relation]

    def __init__(self, target: Target, respondent: Respondent) -> None:
        """Begin with nothing asked."""
        self.target = target
        self.respondent = respondent
        self.predictor = Predictor()
        self.observations: list[str] = []
        self.one_mean = True

    @property
    def answers(self) -> dict[ShapedProbe, Outcome]:
        """What was answered."""
        return self.respondent.answers

    @property
    def small(self) -> Evidence:
        """The answers to probes and random inputs."""
        return Evidence({each: outcome for each, outcome in self.answers.items() if each not in self.related})

    @property
    def all(self) -> Evidence:
        """All answers."""
        return Evidence(dict(self.answers))

    @property
    def is_slow(self) -> bool:
        """Whether a call takes its time."""
        return self.respondent.seconds_a_call > _SLOW_SECONDS

    def shaped(self, probe: Probe) -> ShapedProbe | None:
        """Put a probe into the shape; None if the shape has no place for it."""
        return shaped(probe, self.target.signature)

    def all_shaped(self, given: Iterable[Probe]) -> list[ShapedProbe]:
        """Put probes into the shape, each call once."""
        known = {each.call for each in self.answers}
        found: dict[object, ShapedProbe] = {}
        for unshaped in given:
            each = self.shaped(unshaped)
            if each is not None and each.call not in known:
                found.setdefault(each.call, each)
        return list(found.values())

    def gather(self) -> None:
        """Ask everything: probes, random inputs, larger inputs; and twice."""
        chosen = self.all_shaped(probes(self.target.measures))
        outcomes = self.respondent.ask(chosen[:3])
        self.respondent.ask(chosen[3:6])  # the first call may have to import or to compile
        slow = self.is_slow
        self.one_mean = not any(isinstance(outcome, PerQuery) for outcome in outcomes)
        self.space = space_of(self.target.measure, self.target.signature, one_mean=self.one_mean)
        if slow:
            self._ask_slowly(chosen)
        else:
            self.respondent.ask(chosen)
        count = _RANDOM_SLOW if slow else _RANDOM
        others = random_probes((*self.target.measures, *self.target.others[:1]), count)
        if self.target.signature.rel is not Need.ABSENT and self.target.measure.rel == 1:
            raised = tuple(replace(measure, rel=2) for measure in self.target.measures)
            others += random_probes(raised, count // 6, seed=1)
        self.respondent.ask(self.all_shaped(others))
        self.related = self._relations(slow=slow)
        self.respondent.ask(list(self.related))
        self.respondent.settle([each for each in chosen[:40] if each in self.respondent.answers][:20])

    def _ask_slowly(self, chosen: Sequence[ShapedProbe]) -> None:
        """Ask only what can tell apart some of the conventions that are left, as long as there is time."""
        versions = Versions.all_of(self.space)
        deadline = time.perf_counter() + _BUDGET_SECONDS
        for each in chosen:
            if time.perf_counter() > deadline:
                self.observations.append("it is slow, so not all probes were asked")
                return
            versions = versions.joined_by(each)
            answers = {
                self.predictor.predicted(each, member).answer(one_mean=self.one_mean) for member in versions.members
            }
            if len(answers) < 2:  # noqa: PLR2004
                continue
            (outcome,) = self.respondent.ask([each])
            if isinstance(outcome, Number | PerQuery) and not each.probe.loose:
                left = versions.left_by(lambda member, each=each, outcome=outcome: self.fits(each, outcome, member))  # type: ignore[misc]
                versions = left if left.members else versions

    def _relations(self, *, slow: bool) -> dict[ShapedProbe, Relation]:
        largest = SIZES[1] if slow else SIZES[-1]
        every = relations([*self.target.measures, *self.target.others], largest)
        found = {}
        for relation in every:
            each = self.shaped(relation.probe)
            if each is not None:
                found[each] = relation
        return found

    def fits(self, each: ShapedProbe, outcome: Outcome, convention: Convention, *, singles: bool = False) -> bool:
        """Tell whether an answer is what a convention demands."""
        return fits(outcome, self.predictor.predicted(each, convention), singles=singles)

    @cached_property
    def reach(self) -> int | None:
        """How far down a list it looks, with no cutoff or one far down; None if it is the whole list."""
        measure = self.target.measure
        if measure.k is not None:
            if not self.target.others:
                return None
            measure = replace(measure, k=_BEYOND)

        def ask(given: Sequence[Probe]) -> Sequence[Outcome]:
            puts = [each for each in map(self.shaped, given) if each is not None]
            return self.respondent.raw([each.call for each in puts])

        return reach(measure, ask)


_NEAR = tuple(range(2, 34))
_FAR = (
    50,
    51,
    52,
    64,
    65,
    66,
    100,
    101,
    102,
    128,
    129,
    130,
    200,
    201,
    202,
    256,
    257,
    258,
    500,
    501,
    502,
    512,
    513,
    514,
)
_FARTHEST = (1000, 1001, 1002)


def reach(measure: Measure, ask: Callable[[Sequence[Probe]], Sequence[Outcome]]) -> int | None:
    """Return the last rank at which a hit changes the value, None if there is none such among those that are tried."""
    for ranks in (_NEAR, (*_FAR, *_FARTHEST)):
        values = [_value(outcome) for outcome in ask([_moved(rank, ranks[-1], measure) for rank in ranks])]
        if None in values or len(values) < len(ranks):
            return None
        if values[-1] == values[-2]:
            return max((rank for rank, value in zip(ranks, values, strict=True) if value != values[-1]), default=1)
    return None


def _moved(rank: int, length: int, measure: Measure) -> Probe:
    """Return a list with two hits: the first document, and the one at a rank."""
    names = [name_of_three(number) for number in range(length)]
    grades = dict.fromkeys(names, 0) | {names[0]: measure.rel, names[rank - 1]: measure.rel}
    listed = [(name, str(length - place)) for place, name in enumerate(names)]
    return probe(f"a hit at rank {rank}", measure, {"q": grades}, {"q": listed})


def _value(outcome: Outcome) -> Fraction | None:
    if isinstance(outcome, PerQuery) and len(outcome.values) == 1:
        outcome = next(iter(outcome.values.values()))
    return outcome.value if isinstance(outcome, Number) and isinstance(outcome.value, Fraction) else None
