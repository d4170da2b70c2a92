"""Where no convention fits: a deviation that has a name, the nearest convention, and the input on which they part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rankspec.conformance.run.outcomes import NotAsked, Number, Outcome, PerQuery
from rankspec.conformance.settle.identify.candidate_inputs import random_probes
from rankspec.conformance.settle.identify.conclusions import MOST_MEMBERS, base, failed, result
from rankspec.conformance.settle.identify.counterexamples import counterexample_of, smallest
from rankspec.conformance.settle.identify.deviations import Deviation, deviations
from rankspec.conformance.settle.identify.evidence import Evidence, Reading
from rankspec.conformance.settle.identify.identification import Identification, Status
from rankspec.conformance.settle.identify.interview import Interview
from rankspec.conformance.settle.identify.nearest import Nearest, nearest
from rankspec.conformance.settle.identify.observable import space_of
from rankspec.conformance.settle.identify.prediction import distance, fits
from rankspec.conformance.settle.identify.probe import ShapedProbe
from rankspec.conformance.settle.identify.version_space import Versions, classes, complexity, narrowed
from rankspec.oracle.conventions.convention import Convention, setting_text
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.language.expression import expression_text

_FRESH = 40
"""So many new inputs are asked before a deviation is named."""
_MOST_VERIFIED = 50


def outside(interview: Interview, reading: Reading, evidence: Evidence) -> Identification:
    """Report the nearest convention, and what is to be said of the rest."""
    near = nearest(interview.space, evidence, interview.predictor)
    if near is None:
        return failed(interview, evidence)
    deviation = None if reading.contradictions else _deviation(interview, evidence, near)
    if deviation is not None and deviation[0].settings:
        return _with_settings(interview, *deviation)
    convention = near.convention
    if deviation is not None:
        members = sorted(deviation[1].members, key=complexity)
        convention = members[0]
        text = expression_text(interview.space.measure, convention)
        interview.observations.append(f"{deviation[0].words}; with that, it is {text}")
    singles = evidence.singles
    parting = [
        each
        for each in evidence.answers
        if not each.probe.loose and not interview.fits(each, evidence.answers[each], convention, singles=singles)
    ]
    # What was asked for comes first: a witness for AP@3 is best one at 3.
    parting.sort(key=lambda each: (each.measure not in interview.target.measures, each.probe.size))
    interview.observations.append(
        f"the nearest convention explains {len(evidence.answers) - len(parting)} of {len(evidence.answers)} answers"
    )
    witness = None
    if parting:
        found = smallest(
            parting,
            interview.respondent.raw,
            interview.shaped,
            lambda each, outcome: (
                not isinstance(outcome, NotAsked) and not interview.fits(each, outcome, convention, singles=singles)
            ),
        )
        asked, outcome = found or (parting[0], evidence.answers[parting[0]])
        witness = counterexample_of(asked, outcome, interview.predictor, convention, one_mean=interview.one_mean)
    return base(
        interview, Status.OUTSIDE, witness=witness, nearest=expression_text(interview.space.measure, convention)
    )


def _deviation(interview: Interview, evidence: Evidence, near: Nearest) -> tuple[Deviation, Versions] | None:
    """Return the deviation that explains all numbers, together with some convention."""
    singles = evidence.singles
    feasible = [each for each in evidence.numbers if interview.is_quick(each)]
    apart = max(
        (
            distance(evidence.answers[each], interview.predictor.predicted(each, near.convention))
            for each in near.parting
            if each in feasible
        ),
        default=0.0,
    )
    for deviation in deviations(interview.target.measure, interview.predictor, interview.reach, apart):
        predictor = deviation.predictor()
        versions = narrowed(
            Versions.all_of(interview.space),
            feasible,
            lambda each, member, predictor=predictor: fits(  # type: ignore[misc]
                evidence.answers[each], predictor.predicted(each, member), singles=singles
            ),
        )
        if versions.members and (verified := _verified(interview, evidence, deviation, versions)).members:
            return deviation, verified
    return None


def _verified(interview: Interview, evidence: Evidence, deviation: Deviation, versions: Versions) -> Versions:
    """Return the conventions that predict the largest inputs too, and new ones that are chosen to refute them."""
    predictor = deviation.predictor()
    versions = replace(versions, members=tuple(sorted(versions.members, key=complexity)[:_MOST_VERIFIED]))
    given = (*random_probes(interview.target.measures, _FRESH, seed=2), *deviation.refuting)
    fresh = [each for each in map(interview.shaped, given) if each is not None and not each.probe.loose]
    answers = dict(zip(fresh, interview.respondent.raw([each.call for each in fresh]), strict=True))
    numbers: dict[ShapedProbe, Outcome] = {
        each: outcome for each, outcome in answers.items() if isinstance(outcome, Number | PerQuery)
    }
    numbers |= {each: evidence.answers[each] for each in evidence.numbers if each in interview.related}
    return narrowed(
        versions,
        numbers,
        lambda each, member: fits(numbers[each], predictor.predicted(each, member), singles=evidence.singles),
    )


def _with_settings(interview: Interview, deviation: Deviation, versions: Versions) -> Identification:
    """Report conventions with a depth, or another floor: numbers on axes that are no part of the space."""
    interview.observations.append(deviation.words)
    members: Iterable[Convention] = versions.complete(MOST_MEMBERS) or versions.members
    for axis, setting in deviation.settings.items():
        members = [member.with_setting(axis, setting) for member in members]
    found = classes(members, list(interview.answers), interview.predictor, one_mean=interview.one_mean)
    status = Status.IDENTIFIED if len(found) == 1 else Status.AMBIGUOUS
    reported = result(interview, status, versions, found)
    further = {axis: (setting_text(setting),) for axis, setting in deviation.settings.items()}
    return replace(reported, axes={**reported.axes, **further})


def own_cutoff(interview: Interview) -> int | None:
    """Return a cutoff that an implementation without a parameter for it has by itself, if that explains all."""
    evidence = Evidence(dict(interview.answers))
    if interview.target.measure.family.cut is not Cut.OPTIONAL:
        return None
    k = interview.reach
    if k is None:
        return None
    measure = replace(interview.target.measure, k=k)
    space = space_of(measure, interview.target.signature, one_mean=interview.one_mean)
    cut = {each: replace(each, probe=replace(each.probe, measure=measure)) for each in evidence.numbers}
    versions = narrowed(
        Versions.all_of(space),
        [each for each in evidence.numbers if interview.is_quick(each)],
        lambda each, member: interview.fits(cut[each], evidence.answers[each], member, singles=evidence.singles),
    )
    return k if versions.members else None
