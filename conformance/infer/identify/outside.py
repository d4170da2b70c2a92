"""What is said of an implementation that no convention explains: mistakes, what fits apart from them, the nearest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from rankspec.conformance.implementations.naming import cutoff_in
from rankspec.conformance.infer.identify import conclusions, randomness
from rankspec.conformance.infer.identify.identification import Identification, Status, parted_from, witness_of
from rankspec.conformance.infer.interview import prediction
from rankspec.conformance.infer.interview.evidence import (
    NEGATIVE,
    REPEATED,
    Evidence,
    Nearest,
    Reading,
    nearest,
    read,
    with_errors,
)
from rankspec.conformance.infer.interview.interview import Finding, Interview
from rankspec.conformance.infer.interview.probe import ShapedProbe, has_tied_documents
from rankspec.conformance.infer.interview.version_space import Versions, classes, complexity, narrowed, narrowed_within
from rankspec.conformance.run.outcomes import NotCalled, is_error
from rankspec.conformance.worker.shapes import Shape
from rankspec.oracle.conventions.axes import Denominator
from rankspec.oracle.conventions.convention import Convention, setting_text
from rankspec.oracle.language.expression import expression_text

if TYPE_CHECKING:
    from rankspec.conformance.infer.mistakes.search import MistakeFit

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
        reported = conclusions.result(interview, Status.OUTSIDE, left, [(min(left.members, key=complexity),)])
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
    unordered = randomness.versions_apart_from_ties(interview) if evidence.refused else None
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
    if not randomness.has_unordered_ties(interview):  # where all but copies is explained, no formula is wrong
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
        versions = narrowed_within(every, evidence.numbers, is_near, interview.predictor, most_made)
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
    if (unordered := randomness.unordered_ties(interview)) is not None:
        return unordered
    interview.take_back(graded, relations)
    interview.findings, interview.labels = findings, ""
    return None


def _explain(interview: Interview, evidence: Evidence, near: Nearest) -> tuple[MistakeFit | None, int | None, Evidence]:
    """Return what explains the answers, after how many predictions the search ended, and which answers these are."""
    if randomness.has_unordered_ties(interview):
        explained, stopped = randomness.explanation_apart_from_ties(interview)
        answered = evidence
    elif interview.is_measure_assumed and near.explained < len(near.parting):
        # What plain lists, slips and the likeliest mistakes do not say to be the measure assumed is none of it.
        return None, None, evidence
    else:
        explained, stopped, answered = _of_usual_grades(interview, evidence, near)
    return explained or randomness.nonpositive_explanation(interview), stopped, answered


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
    explained = randomness.and_ties(interview, explained) if is_unordered else explained
    reported = _explained_by(interview, reading, evidence.of_numbers, explained)
    convention = min(versions.members, key=complexity)
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
    is_named = depth is not None and depth == cutoff_in(interview.target.hello.name)
    is_a_cutoff = depth is not None and (cuts or is_named) and depth == conclusions.own_cutoff(interview)
    if is_a_cutoff:  # it stands if no cutoff can be asked for
        interview.cutoff_instead = interview.effective_depth
    read = with_errors(explained.versions, evidence, explained.predictor)
    conclusions.observe(interview, replace(read, refusals=read.refusals or reading.refusals), explained.predictor)
    versions, settings = read.versions, explained.mistake.settings
    members: Iterable[Convention] = versions.complete(conclusions.MOST_MEMBERS) or versions.members
    for axis, setting in settings.items():
        members = [member.with_setting(axis, setting) for member in members]
    groups = classes(members, list(interview.answers), interview.predictor, one_mean=interview.one_mean)
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
    left = interview.within_budget(searched, lambda: narrowed(every, quick, is_right), _NEAREST_BUDGET)
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
