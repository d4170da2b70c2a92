"""Where no convention fits: a deviation that has a name, the nearest convention, and the input on which they part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rankspec.conformance.run.outcomes import NotAsked
from rankspec.conformance.settle.identify.conclusions import MOST_MEMBERS, base, failed, result
from rankspec.conformance.settle.identify.counterexamples import smallest, witness_of
from rankspec.conformance.settle.identify.deviations import Quirk, quirks
from rankspec.conformance.settle.identify.equivalence_classes import classes, complexity
from rankspec.conformance.settle.identify.evidence import Evidence, Reading
from rankspec.conformance.settle.identify.identification import Identification, Status
from rankspec.conformance.settle.identify.interview import Inquiry
from rankspec.conformance.settle.identify.nearest import Nearest, nearest
from rankspec.conformance.settle.identify.observable import space_of
from rankspec.conformance.settle.identify.prediction import distance, fits
from rankspec.conformance.settle.identify.relations import SIZES
from rankspec.conformance.settle.identify.version_space import Versions, narrowed
from rankspec.oracle.conventions.convention import Convention, setting_text
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.language.expression import expression_text

_ROUNDS = 60
_ROUNDS_SLOW = 5


def outside(inquiry: Inquiry, reading: Reading, evidence: Evidence) -> Identification:
    """Report the nearest convention, and what is to be said of the rest."""
    near = nearest(inquiry.space, evidence, inquiry.predictor)
    if near is None:
        return failed(inquiry, evidence)
    quirk = None if reading.contradictions else _quirk(inquiry, evidence, near)
    if quirk is not None and quirk[0].settings:
        return _with_settings(inquiry, *quirk)
    convention = near.convention
    if quirk is not None:
        members = sorted(quirk[1].members, key=complexity)
        convention = members[0]
        text = expression_text(inquiry.space.measure, convention)
        inquiry.observations.append(f"{quirk[0].words}; with that, it is {text}")
    singles = evidence.singles
    parting = [
        each
        for each in evidence.answers
        if not each.probe.loose and not inquiry.fits(each, evidence.answers[each], convention, singles=singles)
    ]
    # What was asked for comes first: a witness for AP@3 is best one at 3.
    parting.sort(key=lambda each: (each.measure not in inquiry.plan.measures, each.probe.size))
    inquiry.observations.append(
        f"the nearest convention explains {len(evidence.answers) - len(parting)} of {len(evidence.answers)} answers"
    )
    witness = None
    if parting:
        rounds = _ROUNDS_SLOW if inquiry.is_slow else _ROUNDS
        found = smallest(
            parting,
            inquiry.respondent.raw,
            inquiry.put,
            lambda each, outcome: (
                not isinstance(outcome, NotAsked) and not inquiry.fits(each, outcome, convention, singles=singles)
            ),
            rounds,
        )
        asked, outcome = found or (parting[0], evidence.answers[parting[0]])
        witness = witness_of(asked, outcome, inquiry.predictor, convention, one_mean=inquiry.one_mean)
    return base(inquiry, Status.OUTSIDE, witness=witness, nearest=expression_text(inquiry.space.measure, convention))


def _quirk(inquiry: Inquiry, evidence: Evidence, near: Nearest) -> tuple[Quirk, Versions] | None:
    """Return the deviation that explains all numbers, together with some convention."""
    singles = evidence.singles
    feasible = [
        each for each in evidence.numbers if each not in inquiry.related or inquiry.related[each].size < SIZES[-1]
    ]
    apart = max(
        (
            distance(evidence.answers[each], inquiry.predictor.predicted(each, near.convention))
            for each in near.parting
            if each in feasible
        ),
        default=0.0,
    )
    for quirk in quirks(inquiry.plan.measure, inquiry.predictor, inquiry.reach, apart):
        predictor = quirk.predictor()
        versions = narrowed(
            Versions.all_of(inquiry.space),
            feasible,
            lambda each, member, predictor=predictor: fits(  # type: ignore[misc]
                evidence.answers[each], predictor.predicted(each, member), singles=singles
            ),
        )
        if versions.members:
            return quirk, versions
    return None


def _with_settings(inquiry: Inquiry, quirk: Quirk, versions: Versions) -> Identification:
    """Report conventions with a depth, or another floor: numbers on axes that are no part of the space."""
    inquiry.observations.append(quirk.words)
    members: Iterable[Convention] = versions.complete(MOST_MEMBERS) or versions.members
    for axis, setting in quirk.settings.items():
        members = [member.with_setting(axis, setting) for member in members]
    found = classes(members, list(inquiry.answers), inquiry.predictor, one_mean=inquiry.one_mean)
    status = Status.IDENTIFIED if len(found) == 1 else Status.AMBIGUOUS
    reported = result(inquiry, status, versions, found)
    further = {axis: (setting_text(setting),) for axis, setting in quirk.settings.items()}
    return replace(reported, axes={**reported.axes, **further})


def own_cutoff(inquiry: Inquiry) -> int | None:
    """Return a cutoff that an implementation without a parameter for it has by itself, if that explains all."""
    evidence = Evidence(dict(inquiry.answers))
    if inquiry.plan.measure.family.cut is not Cut.OPTIONAL:
        return None
    k = inquiry.reach
    if k is None:
        return None
    measure = replace(inquiry.plan.measure, k=k)
    space = space_of(measure, inquiry.plan.signature, one_mean=inquiry.one_mean)
    cut = {each: replace(each, probe=replace(each.probe, measure=measure)) for each in evidence.numbers}
    versions = narrowed(
        Versions.all_of(space),
        [each for each in evidence.numbers if each not in inquiry.related],
        lambda each, member: inquiry.fits(cut[each], evidence.answers[each], member, singles=evidence.singles),
    )
    return k if versions.members else None
