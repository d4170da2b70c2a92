"""Identify: ask an implementation, and say which conventions fit everything that it answers.

Where none fits: the deviation that explains it, or the nearest convention and the input where they part.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from rankspec.conformance.implementations.naming import function_named, measure_by_name, measure_in, measures_returned
from rankspec.conformance.implementations.specs import Implementation, ImportFailure, SpecificationError, parse
from rankspec.conformance.infer.identify import conclusions, measure_search
from rankspec.conformance.infer.identify.identification import Identification, Status
from rankspec.conformance.infer.identify.instability import unstable
from rankspec.conformance.infer.identify.outside import has_fitting, identified_apart, outside, read_small, read_without
from rankspec.conformance.infer.identify.randomness import unordered_ties
from rankspec.conformance.infer.interview.evidence import NEGATIVE, Evidence
from rankspec.conformance.infer.interview.interview import Finding, Interview, Target, target_for, with_own_cutoff
from rankspec.conformance.infer.interview.respondent import Respondent
from rankspec.conformance.run.connection import Connectable, Workers
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.progress_bars import OnProgress, silent
from rankspec.conformance.worker.messages import ANY_MEASURE
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.language.trec_eval_names import named_measure


def identify(
    implementation: str | Implementation,
    *,
    shape: Shape | str | None = None,
    measure: str | Measure | None = None,
    limits: Limits | None = None,
    progress: OnProgress = silent,
) -> Identification:
    """Find the conventions that an implementation follows, by asking it; parameters are `rankspec.identify`'s."""
    named = parse(implementation, shape) if isinstance(implementation, str) else implementation
    stated = named_measure(measure) if isinstance(measure, str) else measure
    return identify_connected(Workers(named, limits or Limits()), stated, progress)


def identify_connected(
    connectable: Connectable,
    stated: Measure | None = None,
    progress: OnProgress = silent,
    inferred: Measure | None = None,
    *,
    is_quick: bool = True,
) -> Identification:
    """Do the same with whatever can be connected to; `inferred` is a measure that its answers say."""
    # A measure that plain lists say is asked for at once (`is_quick`): if it is wrong, everything is asked again.
    start = time.perf_counter()
    progress("starting", 0)
    with Respondent(connectable, progress) as respondent:
        target = with_own_cutoff(target_for(connectable.text, respondent.hello, stated, inferred), respondent)
        is_own = ANY_MEASURE in target.hello.functions
        is_open = is_quick and stated is inferred is None and is_own
        values = [*measure_search.name_values(target, respondent)] if is_own else []
        by_value = {} if measure_in(respondent.hello.name) else measures_returned(respondent.hello)
        first = next(iter(by_value.values()), None)
        plain = (first or measure_search.plain_measure(Interview(target, respondent))) if is_open else None
        plain = None if plain is None or plain in (target.measure, *target.measures) else plain
        if plain is not None:
            inferred = plain
            target = with_own_cutoff(target_for(connectable.text, respondent.hello, None, plain), respondent)
        interview = Interview(target, respondent)
        interview.is_measure_assumed = is_own and not (stated or inferred or target.named)
        interview.note(*_assumption(target, inferred), *values)
        identification = _identification_of(interview)
        if inferred is not None:
            _require_metric(interview, identification)
        is_outside = identification.status is Status.OUTSIDE and interview.inferred is None
        own = interview.cutoff_instead
        if own is None and is_outside and target.measure.k is None:
            own = conclusions.own_cutoff(interview)
        cuts = is_outside and not identification.explained and own is None
        if interview.inferred is None and interview.answers:
            findings = (*identification.findings, *conclusions.weights_findings(interview))
            identification = replace(identification, findings=findings)
        may_have = next(filter(None, interview.own_cutoffs), None) if cuts else None
    is_settled = identification.explained or identification.status in (Status.IDENTIFIED, Status.AMBIGUOUS)
    if plain is not None and first is None and not is_settled:
        return identify_connected(connectable, None, progress, is_quick=False)
    if interview.inferred is not None:
        identification = identify_connected(connectable, None, progress, interview.inferred)
    if may_have is not None:
        with suppress(SpecificationError):  # one that says itself that it takes no cutoff can't be asked for one
            again = identify_connected(connectable, replace(target.measure, k=may_have), progress)
            identification = _with_cutoff(again, may_have) if again.explained else identification
    if own is not None:
        cut = replace(target.measure, k=own)
        again = identify_connected(connectable, cut, progress)
        if again.status is not Status.FAILED:  # it may refuse to be asked for any cutoff
            note = f"its own cutoff is {own}, so it is identified as {cut}"
            identification = replace(again, findings=(Finding(note), *again.findings))
    typed = connectable.implementation.typed if isinstance(connectable, Workers) else ()
    # A cutoff that was stated is the one to speak of.
    by_default = identification.by_default if stated is None or identification.is_uncut_without else None
    return replace(identification, by_default=by_default, typed=typed, seconds=time.perf_counter() - start)


def _assumption(target: Target, inferred: Measure | None) -> Iterator[str]:
    """Say what an implementation is taken for, where nobody stated it."""
    if inferred is not None:
        named = measure_by_name(target.hello)
        though = f", though its name says {named.name}" if named is not None else ""
        yield f"Taken for {inferred.name}, inferred from its answers{though}. To override: --measure"
    if target.named:
        yield function_named(target.measure.name, target.hello)


def _with_cutoff(identification: Identification, own: int) -> Identification:
    """Report what is explained once it is asked for the cutoff that it has by itself."""
    cutoff = f"the cutoff: {own} by default, so it is identified as {identification.measure}"
    deviations, findings = (cutoff, *identification.deviations), (Finding(cutoff), *identification.findings)
    return replace(identification, deviations=deviations, findings=findings)


def _identification_of(interview: Interview) -> Identification:
    interview.gather()
    if 2 * interview.answered.late > interview.answered.questions:  # so few that nothing is to be said of it
        return conclusions.failed(interview, Evidence({}))
    if interview.respondent.changes:
        interview.respondent.progress("searching for what changes the answers", 0)
        return unstable(interview, _settled)
    interview.respondent.progress("comparing with conventions", 0)
    return _settled(interview)


def _settled(interview: Interview) -> Identification:
    small = interview.small
    if not small.numbers:
        return conclusions.failed(interview, small)
    reading = read_small(interview, small)
    fits_some = has_fitting(interview, reading)
    if not fits_some and (unordered := unordered_ties(interview)) is not None:
        return unordered
    if not fits_some and (apart := read_without(interview, "negative_grades", NEGATIVE)) is not None:
        return identified_apart(interview, "negative_grades", apart)
    hello = interview.target.hello
    is_named = measure_in(hello.name) is not None or not measures_returned(hello)  # a value is what its name says
    may_be_another = interview.is_measure_assumed or (interview.target.named and is_named)
    if not fits_some and may_be_another and (other := measure_search.other_measure(interview)) is not None:
        interview.inferred = other
        return conclusions.base(interview, Status.OUTSIDE)
    if not fits_some and interview.is_measure_assumed:
        if not interview.is_of_order():
            raise _no_metric(interview, "its value does not depend on the order of the list alone")
        if (other := measure_search.measure_of_programs(interview)) not in (None, interview.target.measure):
            interview.inferred = other
            return conclusions.base(interview, Status.OUTSIDE)
    if not reading.contradictions:  # else nobody knows what it is that it fails on
        conclusions.observe_errors(interview, reading)
    if not fits_some or reading.contradictions:
        return outside(interview, reading, interview.all)
    return conclusions.identified(interview, reading)


def _require_metric(interview: Interview, identification: Identification) -> None:
    """Refuse, of what nobody says to be a metric, what refuses most inputs, and the mean of a list of numbers."""
    if len(interview.all.refused) > len(interview.all.numbers):
        raise _no_metric(interview, interview.all.commonest_failure)
    if identification.labels and not interview.is_of_order():
        raise _no_metric(interview, "it is the mean of its numbers, in whatever order they are")


def _no_metric(interview: Interview, why: str) -> ImportFailure:
    text = f"{interview.target.name}: it is no ranking metric: {why}; if it is one, --measure says which"
    return ImportFailure(text, code="shape-unclear")
