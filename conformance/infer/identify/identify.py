"""Identify: ask an implementation, and say which conventions fit everything that it answers.

Where none fits: the deviation that explains it, what fits apart from it, or the nearest convention and the input where
they part. Where neither its user nor its name says which measure a function computes, the usual ones are tried.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import chain, product, repeat
from typing import TYPE_CHECKING

from rankspec.conformance.implementations import naming
from rankspec.conformance.implementations.specs import Implementation, ImportFailure, SpecificationError, parse
from rankspec.conformance.infer.identify import conclusions, instability
from rankspec.conformance.infer.identify.conclusions import Identification, Status, parted_from, witness_of
from rankspec.conformance.infer.interview import prediction, version_space
from rankspec.conformance.infer.interview.evidence import (
    EMPTY,
    HITS,
    MISSES,
    NEGATIVE,
    REPEATED,
    Evidence,
    Nearest,
    Reading,
    nearest,
    read,
    with_errors,
)
from rankspec.conformance.infer.interview.interview import Finding, Interview, Target, target_for, with_own_cutoff
from rankspec.conformance.infer.interview.probe import ShapedProbe, has_tied_documents
from rankspec.conformance.infer.interview.relations import answer_of, list_of_hits
from rankspec.conformance.infer.interview.respondent import Respondent
from rankspec.conformance.infer.interview.version_space import Versions
from rankspec.conformance.judge.agreement import UNIT_FLOAT64
from rankspec.conformance.run.connection import Connectable, Workers
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import NotCalled, Number, Outcome, PerQuery, is_error
from rankspec.conformance.run.progress_bars import OnProgress, silent
from rankspec.conformance.worker.messages import ANY_MEASURE, Hello
from rankspec.conformance.worker.parameter_uses import ORDINALS
from rankspec.conformance.worker.shapes import CUTOFF, Need, Shape
from rankspec.conformance.worker.values import bare_name
from rankspec.oracle.conventions.axes import Denominator
from rankspec.oracle.conventions.convention import Convention, setting_text
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.families import FAMILIES, UNSTATED
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.conventions.textbook import fixed_differences
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.language.expression import expression_text
from rankspec.oracle.language.trec_eval_names import named_measure

if TYPE_CHECKING:
    from rankspec.conformance.infer.mistakes.search import MistakeFit


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
        values = [*name_values(target, respondent)] if is_own else []
        by_value = {} if naming.measure_in(respondent.hello.name) else naming.measures_returned(respondent.hello)
        first = next(iter(by_value.values()), None)
        plain = (first or plain_measure(Interview(target, respondent))) if is_open else None
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
        named = naming.measure_by_name(target.hello)
        though = f", though its name says {named.name}" if named is not None else ""
        yield f"Taken for {inferred.name}, inferred from its answers{though}. To override: --measure"
    if target.named:
        yield naming.function_named(target.measure.name, target.hello)


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
        return instability.unstable(interview, _settled)
    interview.respondent.progress("comparing with conventions", 0)
    return _settled(interview)


def _settled(interview: Interview) -> Identification:
    small = interview.small
    if not small.numbers:
        return conclusions.failed(interview, small)
    reading = read_small(interview, small)
    fits_some = has_fitting(interview, reading)
    if not fits_some and (unordered := instability.unordered_ties(interview)) is not None:
        return unordered
    if not fits_some and (apart := read_without(interview, "negative_grades", NEGATIVE)) is not None:
        return identified_apart(interview, "negative_grades", apart)
    hello = interview.target.hello
    is_named = naming.measure_in(hello.name) is not None or not naming.measures_returned(
        hello
    )  # a value is what its name says
    may_be_another = interview.is_measure_assumed or (interview.target.named and is_named)
    if not fits_some and may_be_another and (other := other_measure(interview)) is not None:
        interview.inferred = other
        return conclusions.base(interview, Status.OUTSIDE)
    if not fits_some and interview.is_measure_assumed:
        if not interview.is_of_order():
            raise _no_metric(interview, "its value does not depend on the order of the list alone")
        if (other := measure_of_programs(interview)) not in (None, interview.target.measure):
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


_SAMPLE = 24  # So many inputs tell one rule from another
_FEWEST_NUMBERS = 20  # So few answers fit a convention by luck
_LITTLE = 1e-5  # Below what any rule makes of short lists, above the epsilons that people add
_OF_LABELS = (Shape.RANKING, Shape.LABELS_SCORES, Shape.MATRICES)
_ORDINARY = {
    *("a list of one document", "a cutoff beyond the list", "a hit beyond the cutoff"),
    "a list of relevant documents alone",
}
"""Features of inputs of which textbooks speak."""
_AXES = {"the ideal list": "ideal", "the denominator": "denominator", "one class": "no_relevant missing_query"}
"""What a mistake replaces -> the axes whose settings mean nothing beside it."""
_NEAREST_BUDGET = 50_000  # What it leaves open is that of a convention which is only the nearest one
_MOST_TRIED = 50
"""Conventions that are left agree on all small inputs, so the first ones stand for the others on large ones."""


def outside(interview: Interview, reading: Reading, evidence: Evidence) -> Identification:
    """Report what explains the answers, and all that is known of the rest."""
    for explain in (_by_numbers, _plainly, _nearly, _of_binary_labels):
        if (identification := explain(interview, reading, evidence)) is not None:
            return identification
    near = nearest(interview.space, evidence, interview.predictor, interview.is_feasible)
    if near is None:
        return conclusions.failed(interview, evidence)
    if near.stopped is not None:
        interview.stop("the closest convention", near.stopped)
    convention = near.convention
    explained, stopped, evidence = _explain(interview, evidence, near)
    if stopped is not None and explained is None:
        interview.stop("deviations", stopped)
    if explained is not None:
        return _explained_by(interview, reading, evidence, explained)
    parting = parted_from(interview, evidence, convention)
    count = sum(not isinstance(outcome, NotCalled) for outcome in evidence.answers.values())
    if 2 * len(parting) >= count:
        interview.note("No known convention matches even half of its answers")
        # What is nearest there is a coincidence: it might differ from the definition where the function does not. Nor
        # is the function to blame for what textbooks leave open.
        plain = interview.space.start
        differing = parted_from(interview, evidence, plain)
        ordinary = [each for each in differing if each.features <= _ORDINARY]
        witness = witness_of(interview, evidence, plain, ordinary or differing)
        return conclusions.base(interview, Status.OUTSIDE, witness=witness)
    text = expression_text(interview.space.measure, convention)
    matched = count - len(parting)
    interview.note(f"Closest convention: {text}, which matches {matched} of {count} answers")
    lost = set(parting)
    left = _left(interview, evidence, [each for each in evidence.numbers if each not in lost])
    reported = conclusions.base(interview, Status.OUTSIDE)
    if left.members:
        plainest = min(left.members, key=version_space.complexity)
        reported = conclusions.result(interview, Status.OUTSIDE, left, [(plainest,)])
        reported = replace(reported, classes=(), texts=(), open_axes=())
    witness = witness_of(interview, evidence, convention, parting)
    findings, calls = tuple(interview.findings), interview.respondent.calls
    return replace(reported, witness=witness, nearest=text, findings=findings, calls=calls)


def _by_numbers(interview: Interview, reading: Reading, evidence: Evidence) -> Identification | None:
    """Report a convention that fits every number, or apart from ties in no fixed order, where others raised."""
    versions = reading.versions if reading.contradictions else None
    if not (versions and versions.members) and len(evidence.numbers) >= _FEWEST_NUMBERS and evidence.refused:
        versions = read(interview.space, evidence.of_numbers, interview.predictor).versions
    if versions and versions.members:
        return _apart_from(interview, reading, evidence, versions, "")
    unordered = instability.versions_apart_from_ties(interview) if evidence.refused else None
    return None if unordered is None else _apart_from(interview, reading, evidence, unordered, "", is_unordered=True)


def _plainly(interview: Interview, reading: Reading, evidence: Evidence) -> Identification | None:
    """Report a slip of the plainest convention, or what is computed where no document is repeated, if that explains."""
    # It is tried before the nearest convention is sought, which takes 1 to 4 s.
    from rankspec.conformance.infer.mistakes.search import Extent, explanation

    plain = _plainest(interview, evidence)
    parting = parted_from(interview, evidence, plain)
    repeated = [each for each in parting if REPEATED in each.features]
    apart = read_without(interview, "duplicates", REPEATED) if repeated else None
    explained = None
    if not instability.has_unordered_ties(interview):  # where all but copies is explained, no formula is wrong
        near = Nearest(plain, 0, tuple(sorted(parting, key=lambda each: each.probe.size)))
        extent = Extent.PROMISING_OR_FORMULA if apart is None else Extent.NAMED
        explained, _ = explanation(interview, evidence, near, extent)
    if explained is not None and explained.is_whole:
        return _explained_by(interview, reading, evidence, explained)
    if apart is None or explained is not None:
        return None
    identification = identified_apart(interview, "duplicates", apart)
    finding = Finding(f"given {REPEATED}, it returns {prediction.outcome_text(evidence.answers[repeated[0]])}")
    return replace(identification, findings=(*identification.findings, finding))


def _plainest(interview: Interview, evidence: Evidence) -> Convention:
    """Return the plainest convention, with the rules for copies and for ties that give the most answers."""
    plain, small = interview.space.start, [each for each in evidence.numbers if each not in interview.related]
    for axis, is_about in (("duplicates", lambda each: REPEATED in each.features), ("ties", has_tied_documents)):
        sample = [each for each in small if is_about(each)][:_SAMPLE]

        def matches(member: Convention, sample: Sequence[ShapedProbe] = sample) -> int:
            return sum(interview.fits(each, evidence.answers[each], member) for each in sample)

        rules = interview.space.settings.get(axis, ())
        plain = max((plain.with_setting(axis, rule) for rule in rules), key=matches, default=plain)
    return plain


def _nearly(interview: Interview, reading: Reading, evidence: Evidence) -> Identification | None:
    """Report a convention that every number is near: an epsilon was added, or digits were lost."""
    most = 0.0

    def is_near(question: ShapedProbe, member: Convention) -> bool:
        nonlocal most
        value = interview.predictor.predicted(question, member).value
        got = prediction.numbers_of(evidence.answers[question])
        if not isinstance(value, Fraction) or not got or not interview.is_feasible(question, member):
            return interview.fits(question, evidence.answers[question], member, singles=evidence.singles)
        off = float(abs(value - got[0]))
        most = max(most, off if off <= _LITTLE else 0)
        return off <= _LITTLE

    plain = interview.space.start
    if sum(is_near(each, plain) for each in evidence.numbers) * 2 < len(evidence.numbers) or most == 0:
        return None
    with suppress(prediction.OverBudgetError):
        every = Versions.all_of(interview.space)
        most_made = prediction.MOST_PREDICTIONS
        versions = version_space.narrowed_within(every, evidence.numbers, is_near, interview.predictor, most_made)
        if versions.members:
            words = f"a small number is added: its values are off by up to {most:.0e}"
            return _apart_from(interview, reading, evidence, versions, words)
    return None


def _of_binary_labels(interview: Interview, reading: Reading, _: Evidence) -> Identification | None:
    """Report a convention that fits where no grade is above 1: a program may count hits by the sum of their labels."""
    graded = {each: outcome for each, outcome in interview.answers.items() if each.highest_grade > 1}
    if not (graded and interview.target.measure.is_graded and interview.target.signature.shape in _OF_LABELS):
        return None
    relations = interview.leave_out(graded)
    findings = [*interview.findings]
    conclusions.note_labels(interview)
    reading = read_small(interview, interview.small)
    if has_fitting(interview, reading):
        conclusions.observe_errors(interview, reading)
        return conclusions.identified(interview, reading)
    if (unordered := instability.unordered_ties(interview)) is not None:
        return unordered
    interview.take_back(graded, relations)
    interview.findings, interview.labels = findings, ""
    return None


def _explain(interview: Interview, evidence: Evidence, near: Nearest) -> tuple[MistakeFit | None, int | None, Evidence]:
    """Return what explains the answers, after how many predictions the search ended, and which answers these are."""
    if instability.has_unordered_ties(interview):
        explained, stopped = instability.explanation_apart_from_ties(interview)
        answered = evidence
    elif interview.is_measure_assumed and near.explained < len(near.parting):
        # What plain lists, slips and the likeliest mistakes do not say to be the measure assumed is none of it.
        return None, None, evidence
    else:
        explained, stopped, answered = _of_usual_grades(interview, evidence, near)
    return explained or instability.nonpositive_explanation(interview), stopped, answered


def _of_usual_grades(
    interview: Interview, evidence: Evidence, near: Nearest
) -> tuple[MistakeFit | None, int | None, Evidence]:
    # What explains all answers but those to negative grades is a rule with a note: programs take them as they come.
    from rankspec.conformance.infer.mistakes.search import Extent, explanation

    usual = evidence.without(NEGATIVE)
    space, predictor, is_same = interview.space, interview.predictor, len(usual.answers) == len(evidence.answers)
    apart = None if is_same else nearest(space, usual, predictor, interview.is_feasible)
    if apart is None or not apart.parting:
        return (*explanation(interview, evidence, near), evidence)
    whole, _ = explanation(interview, evidence, near, Extent.PROMISING)
    if whole is not None:
        return whole, None, evidence
    explained, stopped = explanation(interview, usual, apart)
    if explained is None:
        return None, stopped, evidence

    def unexplained(member: Convention) -> list[ShapedProbe]:
        negative = (each for each in evidence.numbers if each not in usual.answers)
        predicted = explained.predictor.predicted
        return [each for each in negative if not prediction.fits(evidence.answers[each], predicted(each, member))]

    members = explained.versions.members
    others = {member: unexplained(member) for member in members}
    if left := tuple(member for member in members if not others[member]):
        return replace(explained, versions=replace(explained.versions, members=left), unrefuted=()), stopped, evidence
    question = min(others[members[0]], key=lambda each: each.probe.size)
    interview.is_exceptional = True
    interview.note(f"given a negative grade, it returns {prediction.outcome_text(evidence.answers[question])}")
    return explained, stopped, usual


def _apart_from(  # noqa: PLR0913 - what is reported, of what, and in which words
    interview: Interview,
    reading: Reading,
    evidence: Evidence,
    versions: Versions,
    words: str,
    *,
    is_unordered: bool = False,
) -> Identification:
    """Report conventions that fit apart from what the words say, or from what was refused."""
    from rankspec.conformance.infer.mistakes.mistake import Mistake
    from rankspec.conformance.infer.mistakes.search import MistakeFit

    mistake = Mistake("errors", words or evidence.commonest_failure, lambda base: base)
    explained = MistakeFit(mistake, interview.predictor, versions, is_whole=True)
    explained = instability.and_ties(interview, explained) if is_unordered else explained
    reported = _explained_by(interview, reading, evidence.of_numbers, explained)
    convention = min(versions.members, key=version_space.complexity)
    parting = parted_from(interview, evidence, convention)
    clear = [each for each in parting if not (is_unordered and has_tied_documents(each))]
    return replace(reported, witness=witness_of(interview, evidence, convention, clear))


def _explained_by(interview: Interview, reading: Reading, evidence: Evidence, explained: MistakeFit) -> Identification:
    """Report what is fully explained: `AP@10 under ..., except that ...`."""
    mistake = explained.mistake
    if not explained.is_whole:
        interview.note("too many conventions to try all: only those that differ from it in one axis were tried")
    if mistake.settings:
        return _with_settings(interview, reading, evidence, explained)
    read = with_errors(explained.versions, evidence, explained.predictor)
    contradictions = [each for each in read.contradictions if each not in interview.related]
    if contradictions and evidence.numbers:  # what nothing explains stands beside what explains all numbers
        failing = replace(mistake, name="errors", words=evidence.commonest_failure, components=(), fix="")
        both = replace(mistake, components=(*(mistake.components or (mistake,)), failing))
        return _explained_by(interview, reading, evidence.of_numbers, replace(explained, mistake=both))
    members = read.versions.complete(conclusions.MOST_MEMBERS) or read.versions.members
    groups = interview.classes(members, explained.predictor)
    convention = groups[0][0]
    text = expression_text(interview.space.measure, convention)
    interview.findings.insert(0, Finding.exception(text, mistake.clauses))
    conclusions.observe(interview, replace(read, refusals=read.refusals or reading.refusals), explained.predictor)
    parting = parted_from(interview, evidence, convention)
    hidden = {axis for each in mistake.components or (mistake,) for axis in _AXES.get(each.name, "").split()}
    hidden |= {"discount"} if "log2" in mistake.words.partition(" instead of ")[2] else set()
    hidden |= {"ties"} if explained.is_unordered else set()
    clear = [each for each in parting if not (explained.is_unordered and has_tied_documents(each))]
    witness = witness_of(interview, evidence, convention, clear)
    reported = conclusions.result(interview, Status.OUTSIDE, read.versions, groups, _unrefuted(explained, evidence))
    axes = {**reported.axes, **dict.fromkeys(hidden, ())}
    is_explained = not contradictions and not interview.answered.is_incomplete
    reported = replace(reported, witness=witness, axes=axes, nearest=text, explained=is_explained)
    return replace(reported, deviations=mistake.lines, fixes=mistake.fixes)


def _unrefuted(explained: MistakeFit, evidence: Evidence) -> list[Versions]:
    """Return the conventions for which the plainest ones stand, as far as they demand the errors as well."""
    return [with_errors(each, evidence, explained.predictor).versions for each in explained.unrefuted]


def _with_settings(interview: Interview, reading: Reading, evidence: Evidence, explained: MistakeFit) -> Identification:
    """Report conventions with a depth, or another floor: numbers on axes that are no part of the space."""
    interview.note(explained.mistake.words, first=True)
    # A depth that cuts R as well: an own cutoff may say the same, as `AP@150` over min(R, k), or the name `map_at_10`.
    depth = explained.mistake.settings.get("depth")
    denominators = explained.versions.values("denominator") if "denominator" in interview.space.settings else ()
    cuts = bool(denominators) and Denominator.RELEVANT not in denominators
    is_named = depth is not None and depth == naming.cutoff_in(interview.target.hello.name)
    is_a_cutoff = depth is not None and (cuts or is_named) and depth == conclusions.own_cutoff(interview)
    if is_a_cutoff:  # it stands if no cutoff can be asked for
        interview.cutoff_instead = interview.effective_depth
    read = with_errors(explained.versions, evidence, explained.predictor)
    conclusions.observe(interview, replace(read, refusals=read.refusals or reading.refusals), explained.predictor)
    versions, settings = read.versions, explained.mistake.settings
    members: Iterable[Convention] = versions.complete(conclusions.MOST_MEMBERS) or versions.members
    for axis, setting in settings.items():
        members = [member.with_setting(axis, setting) for member in members]
    groups = version_space.classes(members, list(interview.answers), interview.predictor, one_mean=interview.one_mean)
    status, unrefuted = conclusions.status_of(interview, groups), _unrefuted(explained, evidence)
    reported = conclusions.result(interview, status, versions, groups, unrefuted)
    further = {axis: (setting_text(setting),) for axis, setting in settings.items()}
    return replace(reported, axes={**reported.axes, **further})


def _left(interview: Interview, evidence: Evidence, matched: Sequence[ShapedProbe]) -> Versions:
    """Return the conventions that fit some answers; none where they are too many to be held against all of these."""
    quick = [each for each in matched if interview.is_quick(each)]
    is_right = interview.matching(evidence.answers, singles=evidence.singles)
    every = Versions.all_of(interview.space)
    searched = "other conventions that match"
    left = interview.within_budget(searched, lambda: version_space.narrowed(every, quick, is_right), _NEAREST_BUDGET)
    return left or Versions(interview.space, ())


def read_without(interview: Interview, axis: str, feature: str) -> Reading | None:
    """Return what all answers leave but those to inputs with a feature, of which an axis speaks; None if nothing."""
    # Grades below 0 are gains as they are in many programs; an id twice breaks a dict of ranks, or a join.
    space = interview.space
    if axis not in space.settings or (axis == "negative_grades" and not interview.target.measure.is_graded):
        return None
    one_value = replace(space, settings={**space.settings, axis: space.settings[axis][:1]})
    usual = interview.small.without(feature)
    try:
        with interview.predictor.effort.within():
            reading = read(one_value, usual, interview.predictor)
    except prediction.OverBudgetError:
        return None
    is_left = reading.versions.members and not reading.contradictions
    return reading if is_left and all(feature in each.features for each in _broken(interview, reading)) else None


def identified_apart(interview: Interview, axis: str, reading: Reading) -> Identification:
    """Report a convention that says nothing on an axis."""
    conclusions.observe_errors(interview, reading)
    identification = conclusions.identified(interview, reading)
    return replace(identification, axes={**identification.axes, axis: ()})


def read_small(interview: Interview, small: Evidence) -> Reading:
    """Return the conventions that fit; none where they are too many to be held against all answers."""
    reading = interview.within_budget("conventions", lambda: read(interview.space, small, interview.predictor))
    return reading or Reading(Versions(interview.space, ()))


def has_fitting(interview: Interview, reading: Reading) -> bool:
    """Tell whether some convention fits all that was answered."""
    return bool(reading.versions.members) and not any(True for _ in _broken(interview, reading))


def _broken(interview: Interview, reading: Reading) -> Iterator[ShapedProbe]:
    """Yield the larger inputs on which no convention that is left gives the answer."""
    singles, members = interview.small.singles, reading.versions.members[:_MOST_TRIED]
    for each in interview.related:
        outcome = interview.answers[each]
        if not (is_error(outcome) or isinstance(outcome, NotCalled)):
            feasible = [member for member in members if interview.is_feasible(each, member)]
            if feasible and not any(interview.fits(each, outcome, member, singles=singles) for member in feasible):
                yield each


_USUAL = ("nDCG", "RR", "Success", "P", "R", "F", "SetP", "SetR", "SetF", "Rprec", "DCG", "Accuracy")
"""The plainest first; those that take a cutoff where the function takes one."""
_FURTHER = {"P": (UNSTATED,), "SetP": (UNSTATED,)}  # "Context precision" is an average one, which is dear to try

_PLAIN_LISTS = (
    *((4, (0,), 1), (5, (1,), 1), (5, (4,), 1), (6, (2,), 2), (4, (0, 2), 2), (5, (1, 2), 3), (6, (0, 1), 3)),
    *((4, (0, 1, 2), 3), (5, (1, 3), 3), (6, (0, 4), 2), (4, (1,), 3), (5, (3,), 1), (6, (4, 5), 2)),
)
"""Lists of one query, their hits, and R: no rule for short lists, ties or missing documents is asked about."""
_FEWEST_PLAIN = 4  # So many have to be answered with a number
_FEWEST_DIGITS = 2  # Precisions at 10 have one digit, and are not rounded

# For a cutoff that each value has by itself.
_LONG_LISTS = ((25, (2, 6, 11, 22), 6), (25, (0, 4, 9, 19, 23), 5), (25, (24,), 2))
_OWN_CUTOFFS = (1, 3, 5, 10, 20)


def other_measure(interview: Interview) -> Measure | None:
    """Return the first of the usual measures that gives all answers to small inputs, as textbooks have it or else."""
    # Nothing is asked for it: what a function answers does not depend on what it is taken for. Where none does, answers
    # to grades 0 and 1 decide: a sum of grades over k is a precision that adds them. A definition with a value of its
    # own for lists that have nothing to divide by may have another one there.
    assumed, small = interview.target.measure, interview.small
    other = _measure_giving(interview, _candidates(assumed), small)
    # Of grades 0 and 1 alone a grade is as good as a hit.
    usual = small.without(NEGATIVE).answers
    binary = Evidence({each: outcome for each, outcome in usual.items() if each.highest_grade <= 1})
    if other is None and len(binary.answers) < len(small.answers):
        other = _measure_giving(interview, [assumed, *_candidates(assumed)], binary)
    if other is None:
        own = [each for each in _candidates(assumed) if each.family.definition and each.family.definition.empty]
        other = _measure_giving(interview, own, small.without(EMPTY).without(MISSES).without(HITS))
    return other if other != assumed else None


def plain_measure(interview: Interview, names: tuple[str, ...] = (), cutoffs: Sequence[int] = ()) -> Measure | None:
    """Return the usual measure whose textbook values a few plain lists have; of several values the one so named."""
    assumed, signature = interview.target.measures[0], interview.target.signature
    is_nameless = not (names or interview.target.named)
    if is_nameless and signature.need(CUTOFF) is Need.ABSENT and (depth := interview.effective_depth):
        cutoffs = (depth,)
    lists = (*_PLAIN_LISTS, *_LONG_LISTS) if names or cutoffs else _PLAIN_LISTS
    shaped = interview.all_shaped(list_of_hits("plain", n, hits, assumed, r) for n, hits, r in lists)
    replies = interview.respondent.raw([replace(each.call, names=names) for each in shaped])
    answered = [each for each in zip(shaped, replies, strict=True) if isinstance(each[1], Number | PerQuery)]
    outcomes = [outcome for _, outcome in answered]
    if len(answered) < _FEWEST_PLAIN or len({answer_of(outcome) for _, outcome in answered}) == 1:
        return None
    one_mean = not any(isinstance(outcome, PerQuery) for _, outcome in answered)
    cut = (Measure(UNSTATED, k) for k in cutoffs)
    # The precision at 1 is nDCG@1, and the recall at 1 is AP@1.
    plainest = (sorted((each, *_candidates(each)), key=lambda one: one.k == 1 and one.name not in "PR") for each in cut)
    readings = [*_as_returned(outcomes)]
    for measure in chain((assumed, *_candidates(assumed)), *plainest):
        with suppress(ConventionError):
            start = version_space.space_of(measure, signature, one_mean=one_mean).start
            posed = [replace(each, probe=replace(each.probe, measure=measure)) for each, _ in answered]
            if any(all(map(interview.fits, posed, each, repeat(start))) for each in readings):
                return measure
    return None


def _as_returned(outcomes: Sequence[Outcome]) -> Iterator[list[Outcome]]:
    """Yield answers as they are, as numbers that were printed, since people round, and both as percentages."""
    numbers = [number for each in outcomes for number in prediction.numbers_of(each)]
    digits = prediction.decimal_places(numbers, UNIT_FLOAT64)
    last = Fraction(0) if digits is None or digits < _FEWEST_DIGITS else Fraction(1, 10**digits)
    for scale, unit in product((1, 100) if max(numbers, default=0) > 1 else (1,), dict.fromkeys((Fraction(0), last))):
        yield [_scaled(each, scale, unit / scale) for each in outcomes]


def _scaled(outcome: Outcome, scale: int, unit: Fraction) -> Outcome:
    """Return an answer divided by a number, whose last digit has a unit."""
    match outcome:
        case Number(Fraction() as value):
            return replace(outcome, value=value / scale, unit=unit or outcome.unit)
        case PerQuery(values):
            return PerQuery({query: _scaled(each, scale, unit) for query, each in values.items()})  # type: ignore[misc]
    return outcome


def hello_of(connectable: Connectable) -> Hello:
    """Return what an implementation says of itself, with the measures of several values (`ImportFailure`)."""
    with connectable.connect() as connection:
        hello = connection.hello
    if hello.returns:
        with Respondent(connectable) as respondent:
            hello = respondent.hello
            deque(name_values(target_for(connectable.text, hello, None), respondent), 0)
    return hello


def name_values(target: Target, respondent: Respondent) -> Iterator[str]:
    """Find the usual measure of each value that has no name, and say which they are; the cutoffs of the others."""
    hello = respondent.hello
    unnamed = [each for each in hello.returns if each in ORDINALS]
    takes_cutoff = target.signature.need(CUTOFF) is not Need.ABSENT
    for value in unnamed if not hello.fitting else ():
        own = () if takes_cutoff else _OWN_CUTOFFS
        measure = plain_measure(Interview(target, respondent), (bare_name(value),), own)
        if measure is not None:
            hello.fitting[value] = replace(measure, k=target.measure.k) if takes_cutoff else measure
    # Others may have none.
    of_cutoff = [value for value in hello.returns if re.search(r"(@|_|at)k$|(?<![Ff])\d$", value)]
    for value, measure in [*naming.measures_returned(hello).items()] if not (unnamed or hello.fitting) else ():
        of_value = target_for(target.name, hello, None, measure)
        if takes_cutoff and of_cutoff and value not in of_cutoff and measure.family.cut is Cut.OPTIONAL:
            uncut = replace(measure, k=None)
            if Interview(target_for(target.name, hello, uncut), respondent).own_cutoff(uncut) is None:
                hello.fitting[value] = uncut
        if not (takes_cutoff or re.search(r"(?<![Ff])\d$", value)):  # no cutoff stands in its name
            hello.fitting[value] = with_own_cutoff(replace(of_value, named=True), respondent).measure
    if unnamed:
        parts = (f"the {value.partition('_')[0]} {hello.fitting.get(value, 'no usual measure')}" for value in unnamed)
        yield f"Of the {len(unnamed)} values that it returns, {', '.join(parts)}"


def _measure_giving(interview: Interview, candidates: Iterable[Measure], evidence: Evidence) -> Measure | None:
    fitting = None
    for measure in candidates:
        # It may have no meaning in this shape, or too many conventions.
        with suppress(ConventionError, prediction.OverBudgetError), interview.predictor.effort.within():
            space = version_space.space_of(measure, interview.target.signature, one_mean=interview.one_mean)
            # Nearly every axis matters of several queries, and one list refutes most measures.
            lists_first = sorted(evidence.numbers, key=lambda each: len({*each.qrels, *each.run}))
            answers = {_of(measure, each): evidence.answers[each] for each in lists_first}
            is_right = interview.matching(answers, singles=evidence.singles)
            members = version_space.narrowed(Versions.all_of(space), answers, is_right).members if answers else ()
            if any(not fixed_differences(measure, member) for member in members):
                return measure
            fitting = fitting or (measure if members else None)
    return fitting


def _candidates(assumed: Measure) -> Iterator[Measure]:
    for name in (each for each in (*_USUAL, *_FURTHER.get(assumed.name, ())) if each != assumed.name):
        cut = FAMILIES[name].cut
        if cut is Cut.OPTIONAL or (cut is Cut.REQUIRED) is (assumed.k is not None):
            yield Measure(name, assumed.k)


def measure_of_programs(interview: Interview) -> Measure | None:
    """Return the usual measure of which a wrong program gives the answers to plain lists; None if none does."""
    # With numpy, which no convention needs: a tenth of a second.
    from rankspec.conformance.infer.mistakes.program_search import has_wrong_program

    assumed = interview.target.measure
    for measure in (assumed, *_candidates(assumed)):
        target = target_for(interview.target.name, interview.target.hello, None, measure)
        other = Interview(target, interview.respondent)
        other.space = version_space.space_of(target.measure, target.signature, one_mean=interview.one_mean)
        if measure.family.cut is assumed.family.cut:  # the same would be asked for it
            other.own_cutoffs = interview.own_cutoffs
        answers = Evidence({_of(measure, each): outcome for each, outcome in interview.small.answers.items()})
        with suppress(ConventionError):
            if has_wrong_program(other, answers):
                return measure
            if measure == assumed:  # so it need not be sought again
                interview.searched[answers.singles, None] = [(None, 0)], iter(())
    return None


def _of(measure: Measure, question: ShapedProbe) -> ShapedProbe:
    """Return a question as one about another measure, with the cutoff and the threshold that it has."""
    rel = question.measure.rel if "rel" in measure.family.parameters else 1
    return replace(question, probe=replace(question.probe, measure=Measure(measure.name, question.measure.k, rel)))
