"""Identify: ask an implementation, and say which conventions fit everything that it answers."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace

from rankspec.conformance.implementations.specs import Implementation, SpecificationError, parse
from rankspec.conformance.infer.identify.conclusions import base, failed, identified
from rankspec.conformance.infer.identify.evidence import Evidence, Reading, read
from rankspec.conformance.infer.identify.failing_inputs import is_error, observe_errors
from rankspec.conformance.infer.identify.identification import Identification, Status
from rankspec.conformance.infer.identify.interview import Interview
from rankspec.conformance.infer.identify.other_measures import other_measure
from rankspec.conformance.infer.identify.outside import outside, own_cutoff
from rankspec.conformance.infer.identify.prediction import MOST_PREDICTIONS, OverBudgetError
from rankspec.conformance.infer.identify.probe import ShapedProbe
from rankspec.conformance.infer.identify.respondent import Respondent
from rankspec.conformance.infer.identify.target import target_for
from rankspec.conformance.infer.identify.unordered_ties import unordered_ties
from rankspec.conformance.infer.identify.unsteady import unsteady
from rankspec.conformance.infer.identify.version_space import Versions
from rankspec.conformance.run.connection import Connectable, Workers
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.progress import Tell, silent
from rankspec.conformance.worker.messages import ANY_MEASURE
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.language.expression import parse_measure

_MOST_TRIED = 50


def identify(
    implementation: str | Implementation,
    *,
    shape: Shape | str | None = None,
    measure: str | Measure | None = None,
    limits: Limits | None = None,
    tell: Tell = silent,
) -> Identification:
    """Find the conventions that an implementation follows, by asking it.

    Args:
        implementation: an adapter, `file.py:function` or `module:function`, as text or parsed.
        shape: how a function is called, where its parameters don't tell.
        measure: what it computes, `AP@3`; by default what its name tells (`ndcg_at_k`), else AP; with every cutoff if
            it takes one.
        limits: how long and how much a call may take.
        tell: is told how far it is.

    Raises:
        SpecificationError: it can't be loaded, or does not offer the measure.
        ConventionError: there is no such measure, or none in its shape.
    """
    named = parse(implementation, shape) if isinstance(implementation, str) else implementation
    stated = parse_measure(measure) if isinstance(measure, str) else measure
    return identify_connected(Workers(named, limits or Limits()), stated, tell)


def identify_connected(
    connectable: Connectable, stated: Measure | None = None, tell: Tell = silent, inferred: Measure | None = None
) -> Identification:
    """Do the same with whatever can be connected to; `inferred` is a measure that its answers say."""
    start = time.perf_counter()
    tell("starting", 0)
    with Respondent(connectable, tell) as respondent:
        target = target_for(connectable.text, respondent.hello, stated, inferred)
        interview = Interview(target, respondent)
        interview.is_measure_assumed = (
            not (stated or inferred or target.named) and ANY_MEASURE in target.hello.functions
        )
        if inferred is not None:
            interview.observations.append(
                f"Taken for {inferred.name}, inferred from its answers. To override: --measure"
            )
        if target.named:
            name = target.measure.name
            interview.observations.append(f"its name tells {name}, so it is taken for {name}; --measure overrides that")
        found = _found(interview)
        is_outside = found.status is Status.OUTSIDE and interview.inferred is None
        own = own_cutoff(interview) if is_outside and target.measure.k is None else None
        cuts = is_outside and not found.explained and own is None
        may_have = next(filter(None, interview.own_cutoffs), None) if cuts else None
    if interview.inferred is not None:
        found = identify_connected(connectable, None, tell, interview.inferred)
    if may_have is not None:
        with suppress(SpecificationError):  # one that says itself that it takes no cutoff can't be asked for one
            again = identify_connected(connectable, replace(target.measure, k=may_have), tell)
            found = _with_cutoff(again, may_have) if again.explained else found
    if own is not None:
        cut = replace(target.measure, k=own)
        again = identify_connected(connectable, cut, tell)
        taken = f"cutoff {own} of its own, so it is taken for {cut}"
        found = replace(again, observations=(taken, *again.observations))
    return replace(found, seconds=time.perf_counter() - start)


def _with_cutoff(found: Identification, own: int) -> Identification:
    """Report what is explained once it is asked for the cutoff that it has by itself."""
    cutoff = f"the cutoff: it is {own} where none is asked for, so it is taken for {found.measure}"
    return replace(found, deviations=(cutoff, *found.deviations), observations=(cutoff, *found.observations))


def _found(interview: Interview) -> Identification:
    interview.gather()
    if interview.is_short:
        return failed(interview, Evidence({}))
    if interview.respondent.changes:
        interview.respondent.tell("looking for what answers change with", 0)
        return unsteady(interview, _settled)
    interview.respondent.tell("comparing with conventions", 0)
    return _settled(interview)


def _settled(interview: Interview) -> Identification:
    small = interview.small
    if not small.numbers:
        return failed(interview, small)
    reading = _read(interview, small)
    fits_some = reading.versions.members and not _broken(interview, reading.versions, singles=small.singles)
    if not fits_some and (found := unordered_ties(interview)) is not None:
        return found
    if not fits_some and interview.is_measure_assumed and (other := other_measure(interview)) is not None:
        interview.inferred = other
        return base(interview, Status.OUTSIDE)
    if not reading.contradictions:  # else nobody knows what it is that it fails on
        observe_errors(interview, reading.refusals, reading.long)
    if not fits_some or reading.contradictions:
        return outside(interview, reading, interview.all)
    return identified(interview, reading)


def _read(interview: Interview, small: Evidence) -> Reading:
    """Return the conventions that fit; none where they are too many to be held against all answers."""
    effort = interview.predictor.effort
    before = effort.spent
    try:
        with effort.within(MOST_PREDICTIONS):
            return read(interview.space, small, interview.predictor)
    except OverBudgetError:
        interview.stop("conventions", effort.spent - before)
        return Reading(Versions(interview.space, ()))


def _broken(interview: Interview, versions: Versions, *, singles: bool) -> list[ShapedProbe]:
    """Return the larger inputs on which no convention that is left gives the answer."""
    members = versions.members[:_MOST_TRIED]
    broken = []
    for each in interview.related:
        outcome = interview.answers[each]
        if is_error(outcome):
            continue
        feasible = [member for member in members if interview.is_feasible(each, member)]
        if feasible and not any(interview.fits(each, outcome, member, singles=singles) for member in feasible):
            broken.append(each)
    return broken
