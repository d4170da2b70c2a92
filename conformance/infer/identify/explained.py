"""The report of an implementation that a mistake explains, or a convention apart from some answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from rankspec.conformance.implementations.naming import cutoff_in
from rankspec.conformance.infer.identify.conclusions import MOST_MEMBERS, observe, result, status_of
from rankspec.conformance.infer.identify.identification import Counterexample, Identification, Status, smallest
from rankspec.conformance.infer.identify.randomness import and_ties
from rankspec.conformance.infer.interview.evidence import Evidence, Reading, with_errors
from rankspec.conformance.infer.interview.interview import Finding, Interview
from rankspec.conformance.infer.interview.prediction import OverBudgetError, predicted_text
from rankspec.conformance.infer.interview.probe import ShapedProbe, has_tied_documents
from rankspec.conformance.infer.interview.version_space import Versions, classes, complexity, narrowed, space_of
from rankspec.conformance.run.outcomes import NotCalled, Number, Outcome, PerQuery, Raised, is_error, is_unanswered
from rankspec.oracle.conventions.axes import Denominator
from rankspec.oracle.conventions.convention import Convention, setting_text
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.language.expression import expression_text

if TYPE_CHECKING:
    from rankspec.conformance.infer.mistakes.search import Explanation

_AXES = {"the ideal list": "ideal", "the denominator": "denominator", "one class": "no_relevant missing_query"}
"""What a mistake replaces -> the axes whose settings mean nothing beside it."""


def apart_from(  # noqa: PLR0913 - what is reported, of what, and in which words
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
    from rankspec.conformance.infer.mistakes.search import Explanation

    mistake = Mistake("errors", words or commonest_failure(evidence), lambda base: base)
    explained = Explanation(mistake, interview.predictor, versions, is_whole=True)
    explained = and_ties(interview, explained) if is_unordered else explained
    reported = explained_by(interview, reading, evidence.of_numbers, explained)
    convention = min(versions.members, key=complexity)
    parting = parted_from(interview, evidence, convention)
    clear = [each for each in parting if not (is_unordered and has_tied_documents(each))]
    return replace(reported, witness=witness_of(interview, evidence, convention, clear))


def commonest_failure(evidence: Evidence) -> str:
    """Say what it does most often where it returns no number, and for how many inputs it returns none."""
    refused = [evidence.answers[each] for each in evidence.refused]
    failures = (f"it raises {each.type}" if isinstance(each, Raised) else "it returns no number" for each in refused)
    commonest = Counter(failures).most_common(1)[0][0]
    return f"{commonest} for {len(refused)} of {len(refused) + len(evidence.numbers)} inputs"


def explained_by(interview: Interview, reading: Reading, evidence: Evidence, explained: Explanation) -> Identification:
    """Report what is fully explained: `AP@10 under ..., except that ...`."""
    mistake = explained.mistake
    if not explained.is_whole:
        interview.note("too many conventions to try all: only those that differ from it in one axis were tried")
    if mistake.settings:
        return with_settings(interview, reading, evidence, explained)
    read = with_errors(explained.versions, evidence, explained.predictor)
    contradictions = [each for each in read.contradictions if each not in interview.related]
    if contradictions and evidence.numbers:  # what nothing explains stands beside what explains all numbers
        failing = replace(mistake, name="errors", words=commonest_failure(evidence), components=(), fix="")
        both = replace(mistake, components=(*(mistake.components or (mistake,)), failing))
        return explained_by(interview, reading, evidence.of_numbers, replace(explained, mistake=both))
    members = read.versions.complete(MOST_MEMBERS) or read.versions.members
    groups = interview.classes(members, explained.predictor)
    convention = groups[0][0]
    text = expression_text(interview.space.measure, convention)
    interview.findings.insert(0, Finding.exception(text, mistake.clauses))
    observe(interview, replace(read, refusals=read.refusals or reading.refusals), explained.predictor)
    parting = parted_from(interview, evidence, convention)
    hidden = {axis for each in mistake.components or (mistake,) for axis in _AXES.get(each.name, "").split()}
    hidden |= {"discount"} if "log2" in mistake.words.partition(" instead of ")[2] else set()
    hidden |= {"ties"} if explained.is_unordered else set()
    clear = [each for each in parting if not (explained.is_unordered and has_tied_documents(each))]
    witness = witness_of(interview, evidence, convention, clear)
    reported = result(interview, Status.OUTSIDE, read.versions, groups, _unrefuted(explained, evidence))
    axes = {**reported.axes, **dict.fromkeys(hidden, ())}
    is_explained = not contradictions and not interview.answered.is_incomplete
    reported = replace(reported, witness=witness, axes=axes, nearest=text, explained=is_explained)
    return replace(reported, deviations=mistake.lines, fixes=mistake.fixes)


def _unrefuted(explained: Explanation, evidence: Evidence) -> list[Versions]:
    """Return the conventions for which the plainest ones stand, as far as they demand the errors as well."""
    return [with_errors(each, evidence, explained.predictor).versions for each in explained.unrefuted]


def parted_from(interview: Interview, evidence: Evidence, convention: Convention) -> list[ShapedProbe]:
    """Return the inputs on which a convention is refuted; errors that are reported by themselves don't count."""
    singles = evidence.singles
    parting = [
        each
        for each in evidence.answers
        if not (each.probe.loose or evidence.is_empty_quotient(each) or isinstance(evidence.answers[each], NotCalled))
        and (isinstance(evidence.answers[each], Number | PerQuery) or each not in interview.related)
        and interview.is_feasible(each, convention)
        and not interview.fits(each, evidence.answers[each], convention, singles=singles)
    ]
    measures = interview.target.measures
    # Numbers come first, for a refusal is told by itself; then what was asked for: a witness for AP@3 is best one at 3.
    return sorted(
        parting, key=lambda each: (is_error(evidence.answers[each]), each.measure not in measures, each.probe.size)
    )


def witness_of(
    interview: Interview, evidence: Evidence, convention: Convention, parting: list[ShapedProbe]
) -> Counterexample | None:
    """Return the smallest input found on which it parts from a convention; None if it parts on none."""
    if not parting:
        return None
    of_error, of_refusal = is_error(evidence.answers[parting[0]]), isinstance(evidence.answers[parting[0]], NotCalled)

    def refuting(puts: Sequence[ShapedProbe]) -> Iterator[Outcome | None]:
        for each, outcome in zip(puts, interview.respondent.raw([each.call for each in puts]), strict=True):
            is_of_kind = not is_unanswered(outcome) and is_error(outcome) is of_error
            is_of_kind &= isinstance(outcome, NotCalled) is of_refusal
            fitting = not is_of_kind or interview.fits(each, outcome, convention, singles=evidence.singles)
            yield None if fitting else outcome

    smaller: tuple[ShapedProbe, Outcome] | None = smallest(parting[0], interview.shaped, refuting)
    question, outcome = smaller or (parting[0], evidence.answers[parting[0]])
    exact = predicted_text(interview.predictor.predicted(question, convention), one_mean=interview.one_mean)
    return Counterexample.of(question, outcome, exact, expression_text(question.measure, convention))


def with_settings(interview: Interview, reading: Reading, evidence: Evidence, explained: Explanation) -> Identification:
    """Report conventions with a depth, or another floor: numbers on axes that are no part of the space."""
    interview.note(explained.mistake.words, first=True)
    # A depth that cuts R as well: a cutoff of the program's own may say the same, as `AP@150` over min(R, k). So does
    # the name of `map_at_10`.
    depth = explained.mistake.settings.get("depth")
    denominators = explained.versions.values("denominator") if "denominator" in interview.space.settings else ()
    cuts = bool(denominators) and Denominator.RELEVANT not in denominators
    is_named = depth is not None and depth == cutoff_in(interview.target.hello.name)
    is_a_cutoff = depth is not None and (cuts or is_named) and depth == own_cutoff(interview)
    if is_a_cutoff:  # it stands if no cutoff can be asked for
        interview.cutoff_instead = interview.effective_depth
    read = with_errors(explained.versions, evidence, explained.predictor)
    observe(interview, replace(read, refusals=read.refusals or reading.refusals), explained.predictor)
    versions, settings = read.versions, explained.mistake.settings
    members: Iterable[Convention] = versions.complete(MOST_MEMBERS) or versions.members
    for axis, setting in settings.items():
        members = [member.with_setting(axis, setting) for member in members]
    groups = classes(members, list(interview.answers), interview.predictor, one_mean=interview.one_mean)
    reported = result(interview, status_of(interview, groups), versions, groups, _unrefuted(explained, evidence))
    further = {axis: (setting_text(setting),) for axis, setting in settings.items()}
    return replace(reported, axes={**reported.axes, **further})


def own_cutoff(interview: Interview) -> int | None:
    """Return a cutoff that an implementation without a parameter for it has by itself, if that explains all."""
    evidence = interview.all
    if interview.target.measure.family.cut is not Cut.OPTIONAL or (k := interview.effective_depth) is None:
        return None
    measure = replace(interview.target.measure, k=k)
    space = space_of(measure, interview.target.signature, one_mean=interview.one_mean)
    cut = {each: replace(each, probe=replace(each.probe, measure=measure)) for each in evidence.numbers}
    singles, quick = evidence.singles, [each for each in evidence.numbers if interview.is_quick(each)]

    def is_right(each: ShapedProbe, member: Convention) -> bool:
        is_known = interview.is_feasible(each, member)
        return not is_known or interview.fits(cut[each], evidence.answers[each], member, singles=singles)

    with suppress(OverBudgetError), interview.predictor.effort.within():
        return k if narrowed(Versions.all_of(space), quick, is_right).members else None
    return None
