"""An interview: the probes, random inputs and larger ones that an implementation is asked, and its answers.

What is asked depends on the answers alone, never on how long they took: a seed decides, and budgets count calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from rankspec.conformance.infer.identify.candidate_inputs import random_probes
from rankspec.conformance.infer.identify.evidence import Evidence
from rankspec.conformance.infer.identify.observable import Space, space_of
from rankspec.conformance.infer.identify.prediction import Predictor, fits
from rankspec.conformance.infer.identify.probe import Probe, ShapedProbe, shaped
from rankspec.conformance.infer.identify.reach import BEYOND, reach, reach_of_hits
from rankspec.conformance.infer.identify.relations import PLAIN, SIZES, Relation, relations
from rankspec.conformance.infer.identify.respondent import Respondent
from rankspec.conformance.infer.identify.shipped_probes import probes
from rankspec.conformance.infer.identify.target import Target
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery
from rankspec.conformance.worker.shapes import Need
from rankspec.oracle.conventions.axes import Interpolation, Ties
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.measure import Measure

_RANDOM = 240
_FIRST = 12
"""Of each kind of question: who answers none of these with a number gives none."""


class Interview:
    """One identification on its way: what was asked, and what is to be said of it.

    Attributes:
        related: larger inputs, and the relation that each belongs to.
        observations: what is worth saying, a line each.
        one_mean: it returns one number for all queries.
        asked: how many questions were asked; `unanswered` had no answer in time, when they were asked again neither,
            and are left out.
        is_measure_assumed: nothing says what it computes, so it is taken for average precision.
        inferred: the measure that its answers are of, where that is another one.
        stopped: what was searched for until a budget was spent -> the predictions that it took.
    """

    space: Space
    related: dict[ShapedProbe, Relation]

    def __init__(self, target: Target, respondent: Respondent) -> None:
        """Begin with nothing asked."""
        self.target = target
        self.respondent = respondent
        self.predictor = Predictor()
        self.asked = self.unanswered = 0
        self.is_measure_assumed = False
        self.inferred: Measure | None = None
        self.observations: list[str] = [target.hello.told] if target.hello.told else []
        self.one_mean = True
        self.stopped: dict[str, int] = {}

    def stop(self, searched: str, predictions: int) -> None:
        """Note that a search ended before everything was tried, because its budget was spent."""
        self.stopped[searched] = predictions
        self.observations.append(f"not explained within {predictions:,} predictions: the search for {searched} stopped")

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
    def is_short(self) -> bool:
        """Whether so few were answered that nothing is to be said of an implementation."""
        return 2 * self.unanswered > self.asked

    def leave_out(self, puts: Iterable[ShapedProbe]) -> dict[ShapedProbe, Relation]:
        """Go on as if some inputs had not been asked; returns the relations that they belong to."""
        puts = list(puts)
        self.respondent.leave_out(puts)
        lost = {each: self.related[each] for each in puts if each in self.related}
        self.related = {each: relation for each, relation in self.related.items() if each not in lost}
        return lost

    def take_back(self, answers: Mapping[ShapedProbe, Outcome], related: Mapping[ShapedProbe, Relation]) -> None:
        """Go on with what was left out."""
        self.answers.update(answers)
        self.related = {**self.related, **related}

    def is_quick(self, each: ShapedProbe) -> bool:
        """Tell whether the exact values for an input are soon had, under every convention."""
        relation = self.related.get(each)
        return relation is None or relation.size < SIZES[-1] or relation.family in PLAIN

    def is_feasible(self, each: ShapedProbe, convention: Convention) -> bool:
        """Tell whether the exact value is to be had in time: the mean over all orders of long ties, of some areas."""
        if convention.ties is not Ties.EXPECTED or convention.interpolation is Interpolation.STEP:
            return True
        relation = self.related.get(each)
        return relation is None or relation.size <= SIZES[0]

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
        """Ask everything: probes, random inputs, larger inputs; and twice. Who never gives a number is not asked on."""
        chosen = self.all_shaped(probes(self.target.measures))
        known = {each.call for each in chosen}
        random = [each for each in self.all_shaped(self._random()) if each.call not in known]
        related = self._relations()
        self.respondent.expected = len({*chosen, *random, *related})
        first = [*chosen[:_FIRST], *random[:_FIRST], *list(related)[:_FIRST]]
        outcomes = self.respondent.ask(first)
        if self.respondent.unanswered and not any(isinstance(outcome, Number | PerQuery) for outcome in outcomes):
            self.respondent.settle(())
            outcomes = self.respondent.ask(first)
        if any(isinstance(outcome, Number | PerQuery) for outcome in outcomes):
            outcomes = self.respondent.ask(chosen)
        self.one_mean = not any(isinstance(outcome, PerQuery) for outcome in outcomes)
        self.space = space_of(self.target.measure, self.target.signature, one_mean=self.one_mean)
        self.related: dict[ShapedProbe, Relation] = {}
        if not any(isinstance(outcome, Number | PerQuery) for outcome in outcomes):
            self._leave_out_unanswered()
            return
        self.respondent.ask(random)
        self.related = related
        self.respondent.ask(list(self.related))
        self.respondent.settle([each for each in chosen[:40] if each in self.respondent.answers][:20])
        self._leave_out_unanswered()

    def _leave_out_unanswered(self) -> None:
        late = self.respondent.unanswered
        self.asked = len(self.answers)
        self.unanswered = sum(not each.probe.loose for each in late)
        self.leave_out(late)
        if self.unanswered:
            answered = f"only {self.asked - len(late)} of {self.asked} questions were answered in time"
            self.observations.append(f"{answered}; --case-seconds, --startup-seconds")

    def _random(self) -> list[Probe]:
        found = list(random_probes((*self.target.measures, *self.target.others[:1]), _RANDOM))
        if self.target.signature.rel is not Need.ABSENT and self.target.measure.rel == 1:
            raised = tuple(replace(measure, rel=2) for measure in self.target.measures)
            found += random_probes(raised, _RANDOM // 6, seed=1)
        return found

    def _relations(self) -> dict[ShapedProbe, Relation]:
        found = {}
        for relation in relations([*self.target.measures, *self.target.others]):
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
            measure = replace(measure, k=BEYOND)

        return reach(measure, self._outcomes)

    @cached_property
    def own_cutoffs(self) -> tuple[int | None, ...]:
        """Cutoffs that it may have by itself where none is asked for, the likeliest first; None is no cutoff."""
        if self.target.measure.k is not None or self.target.measure.family.cut is not Cut.OPTIONAL:
            return (None,)
        own = reach_of_hits(self.target.measure, self._outcomes) or self.reach
        # Where the first hit is all that counts, or hits divide, nothing is said of a cutoff.
        return (None,) if own is None or own == 1 else (own, None)

    def _outcomes(self, given: Sequence[Probe]) -> Sequence[Outcome]:
        puts = [each for each in map(self.shaped, given) if each is not None]
        return self.respondent.raw([each.call for each in puts])
