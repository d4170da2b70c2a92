"""Gathering evidence: the probes, random inputs and larger ones that an implementation is asked, and its answers."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.conformance.settle.identify.candidate_inputs import random_probes
from rankspec.conformance.settle.identify.effective_depth import reach
from rankspec.conformance.settle.identify.evidence import Evidence
from rankspec.conformance.settle.identify.observable import Space, space_of
from rankspec.conformance.settle.identify.plan import Plan
from rankspec.conformance.settle.identify.prediction import Predictor, fits
from rankspec.conformance.settle.identify.probe import Probe, Put, put
from rankspec.conformance.settle.identify.relations import SIZES, Relation, relations
from rankspec.conformance.settle.identify.respondent import Respondent
from rankspec.conformance.settle.identify.shipped_probes import probes
from rankspec.conformance.settle.identify.version_space import Versions
from rankspec.conformance.worker.shapes import Need
from rankspec.oracle.conventions.convention import Convention

_RANDOM = 240
_RANDOM_SLOW = 25
_SLOW_SECONDS = 0.03
_BUDGET_SECONDS = 12.0
_BEYOND = 2000


class Inquiry:
    """One identification on its way: what was asked, and what is to be said of it.

    Attributes:
        related: larger inputs, and the relation that each belongs to.
        observations: what is worth saying, a line each.
        one_mean: it returns one number for all queries.
    """

    space: Space
    related: dict[Put, Relation]

    def __init__(self, plan: Plan, respondent: Respondent) -> None:
        """Begin with nothing asked."""
        self.plan = plan
        self.respondent = respondent
        self.predictor = Predictor()
        self.observations: list[str] = []
        self.one_mean = True

    @property
    def answers(self) -> dict[Put, Outcome]:
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

    def put(self, probe: Probe) -> Put | None:
        """Put a probe into the shape; None if the shape has no place for it."""
        return put(probe, self.plan.signature)

    def puts(self, given: Iterable[Probe]) -> list[Put]:
        """Put probes into the shape, each call once."""
        known = {each.call for each in self.answers}
        found: dict[object, Put] = {}
        for probe in given:
            each = self.put(probe)
            if each is not None and each.call not in known:
                found.setdefault(each.call, each)
        return list(found.values())

    def gather(self) -> None:
        """Ask everything: probes, random inputs, larger inputs; and twice."""
        chosen = self.puts(probes(self.plan.measures))
        outcomes = self.respondent.ask(chosen[:3])
        self.respondent.ask(chosen[3:6])  # the first call may have to import or to compile
        slow = self.is_slow
        self.one_mean = not any(isinstance(outcome, PerQuery) for outcome in outcomes)
        self.space = space_of(self.plan.measure, self.plan.signature, one_mean=self.one_mean)
        if slow:
            self._ask_slowly(chosen)
        else:
            self.respondent.ask(chosen)
        count = _RANDOM_SLOW if slow else _RANDOM
        others = random_probes((*self.plan.measures, *self.plan.others[:1]), count)
        if self.plan.signature.rel is not Need.ABSENT and self.plan.measure.rel == 1:
            raised = tuple(replace(measure, rel=2) for measure in self.plan.measures)
            others += random_probes(raised, count // 6, seed=1)
        self.respondent.ask(self.puts(others))
        self.related = self._relations(slow=slow)
        self.respondent.ask(list(self.related))
        self.respondent.settle([each for each in chosen[:40] if each in self.respondent.answers][:20])

    def _ask_slowly(self, chosen: Sequence[Put]) -> None:
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

    def _relations(self, *, slow: bool) -> dict[Put, Relation]:
        largest = SIZES[1] if slow else SIZES[-1]
        every = relations([*self.plan.measures, *self.plan.others], largest)
        found = {}
        for relation in every:
            each = self.put(relation.probe)
            if each is not None:
                found[each] = relation
        return found

    def fits(self, each: Put, outcome: Outcome, convention: Convention, *, singles: bool = False) -> bool:
        """Tell whether an answer is what a convention demands."""
        return fits(outcome, self.predictor.predicted(each, convention), singles=singles)

    @cached_property
    def reach(self) -> int | None:
        """How far down a list it looks, with no cutoff or one far down; None if it is the whole list."""
        measure = self.plan.measure
        if measure.k is not None:
            if not self.plan.others:
                return None
            measure = replace(measure, k=_BEYOND)

        def ask(given: Sequence[Probe]) -> Sequence[Outcome]:
            puts = [each for each in map(self.put, given) if each is not None]
            return self.respondent.raw([each.call for each in puts])

        return reach(measure, ask)
