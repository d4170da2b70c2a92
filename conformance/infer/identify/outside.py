"""Where no convention fits: the deviation that explains it, or the nearest convention and the input where they part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from rankspec.conformance.infer.identify.conclusions import MOST_MEMBERS, base, failed, observe, result
from rankspec.conformance.infer.identify.counterexamples import counterexample_of, smallest
from rankspec.conformance.infer.identify.evidence import Evidence, Reading, with_errors
from rankspec.conformance.infer.identify.explanations import Explanation, explanation
from rankspec.conformance.infer.identify.identification import Counterexample, Identification, Status
from rankspec.conformance.infer.identify.interview import Interview
from rankspec.conformance.infer.identify.nearest import nearest
from rankspec.conformance.infer.identify.observable import space_of
from rankspec.conformance.infer.identify.prediction import MOST_PREDICTIONS, OverBudgetError
from rankspec.conformance.infer.identify.probe import ShapedProbe
from rankspec.conformance.infer.identify.version_space import Versions, classes, complexity, narrowed
from rankspec.conformance.run.outcomes import Number, PerQuery, is_unanswered
from rankspec.oracle.conventions.convention import Convention, setting_text
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.language.expression import expression_text


def outside(interview: Interview, reading: Reading, evidence: Evidence) -> Identification:
    """Report what explains the answers, and all that is known of the rest."""
    near = nearest(interview.space, evidence, interview.predictor, interview.is_feasible)
    if near is None:
        return failed(interview, evidence)
    if near.stopped is not None:
        interview.stop("the nearest convention", near.stopped)
    convention = near.convention
    explained = None
    if reading.contradictions and reading.versions.members:  # errors apart, it is a convention
        convention = min(reading.versions.members, key=complexity)
    else:
        explained, stopped = explanation(interview, evidence, near)
        if stopped is not None:
            interview.stop("deviations from it", stopped)
    if explained is not None and explained.deviation.settings:
        return _with_settings(interview, reading, evidence, explained)
    if explained is not None:
        return _explained(interview, reading, evidence, explained)
    parting = _parting(interview, evidence, convention)
    count = len(evidence.answers)
    if 2 * len(parting) >= count:
        interview.observations.append("no convention explains half of the answers")
        witness = _witness(interview, evidence, convention, parting)
        return base(interview, Status.OUTSIDE, witness=witness)
    interview.observations.append(f"the nearest convention explains {count - len(parting)} of {count} answers")
    text = expression_text(interview.space.measure, convention)
    lost = set(parting)
    left = _left(interview, evidence, [each for each in evidence.numbers if each not in lost])
    reported = base(interview, Status.OUTSIDE)
    if left.members:
        reported = result(interview, Status.OUTSIDE, left, [tuple(sorted(left.members, key=complexity)[:1])])
        reported = replace(reported, classes=(), texts=(), open_axes=())
    return replace(
        reported,
        witness=_witness(interview, evidence, convention, parting),
        nearest=text,
        observations=tuple(interview.observations),
        asked=interview.respondent.calls,
    )


def _left(interview: Interview, evidence: Evidence, matched: Sequence[ShapedProbe]) -> Versions:
    """Return the conventions that fit some answers; none where they are too many to be held against all of these."""
    effort, singles = interview.predictor.effort, evidence.singles
    before = effort.spent
    try:
        with effort.within(MOST_PREDICTIONS):
            return narrowed(
                Versions.all_of(interview.space),
                [each for each in matched if interview.is_quick(each)],
                lambda each, member: (
                    not interview.is_feasible(each, member)
                    or interview.fits(each, evidence.answers[each], member, singles=singles)
                ),
            )
    except OverBudgetError:
        interview.stop("what else fits", effort.spent - before)
        return Versions(interview.space, ())


def _explained(interview: Interview, reading: Reading, evidence: Evidence, explained: Explanation) -> Identification:
    """Report what is fully explained: `all but X is AP@10 under ...; X: what it does`."""
    deviation = explained.deviation
    read = with_errors(explained.versions, evidence, explained.predictor)
    contradictions = [each for each in read.contradictions if each not in interview.related]
    members = read.versions.complete(MOST_MEMBERS) or read.versions.members
    asked = [each for each in interview.answers if each not in interview.related]
    found = classes(members, asked, explained.predictor, one_mean=interview.one_mean)
    convention = found[0][0]
    text = expression_text(interview.space.measure, convention)
    interview.observations.insert(0, f"all but {deviation.name} is {text}; {'; '.join(deviation.said)}")
    observe(interview, replace(read, refusals=read.refusals or reading.refusals))
    witness = _witness(interview, evidence, convention, _parting(interview, evidence, convention))
    reported = result(interview, Status.OUTSIDE, read.versions, found)
    return replace(
        reported,
        witness=witness,
        nearest=text,
        explained=not contradictions and not interview.unanswered,
        deviations=deviation.said,
    )


def _parting(interview: Interview, evidence: Evidence, convention: Convention) -> list[ShapedProbe]:
    """Return the inputs on which a convention is refuted; errors that are reported by themselves don't count."""
    singles = evidence.singles
    parting = [
        each
        for each in evidence.answers
        if not (each.probe.loose or evidence.is_empty_quotient(each))
        and (isinstance(evidence.answers[each], Number | PerQuery) or each not in interview.related)
        and interview.is_feasible(each, convention)
        and not interview.fits(each, evidence.answers[each], convention, singles=singles)
    ]
    # What was asked for comes first: a witness for AP@3 is best one at 3.
    return sorted(parting, key=lambda each: (each.measure not in interview.target.measures, each.probe.size))


def _witness(
    interview: Interview, evidence: Evidence, convention: Convention, parting: list[ShapedProbe]
) -> Counterexample | None:
    if not parting:
        return None
    found = smallest(
        parting,
        interview.respondent.raw,
        interview.shaped,
        lambda each, outcome: (
            not is_unanswered(outcome) and not interview.fits(each, outcome, convention, singles=evidence.singles)
        ),
    )
    asked, outcome = found or (parting[0], evidence.answers[parting[0]])
    return counterexample_of(asked, outcome, interview.predictor, convention, one_mean=interview.one_mean)


def _with_settings(
    interview: Interview, reading: Reading, evidence: Evidence, explained: Explanation
) -> Identification:
    """Report conventions with a depth, or another floor: numbers on axes that are no part of the space."""
    interview.observations.insert(0, explained.deviation.words)
    read = with_errors(explained.versions, evidence, explained.predictor)
    observe(interview, replace(read, refusals=read.refusals or reading.refusals))
    versions, settings = read.versions, explained.deviation.settings
    members: Iterable[Convention] = versions.complete(MOST_MEMBERS) or versions.members
    for axis, setting in settings.items():
        members = [member.with_setting(axis, setting) for member in members]
    found = classes(members, list(interview.answers), interview.predictor, one_mean=interview.one_mean)
    status = Status.IDENTIFIED if len(found) == 1 and not interview.unanswered else Status.AMBIGUOUS
    reported = result(interview, status, versions, found)
    further = {axis: (setting_text(setting),) for axis, setting in settings.items()}
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
    singles = evidence.singles
    with suppress(OverBudgetError), interview.predictor.effort.within(MOST_PREDICTIONS):
        versions = narrowed(
            Versions.all_of(space),
            [each for each in evidence.numbers if interview.is_quick(each)],
            lambda each, member: (
                not interview.is_feasible(each, member)
                or interview.fits(cut[each], evidence.answers[each], member, singles=singles)
            ),
        )
        return k if versions.members else None
    return None
