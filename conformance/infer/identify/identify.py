"""Identify: ask an implementation, and say which conventions fit everything that it answers.

Where none fits: the deviation that explains it, or the nearest convention and the input where they part.
"""

from __future__ import annotations

import re
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING

from rankspec.conformance.implementations.naming import (
    measure_by_name,
    measure_told,
    measures_returned,
    taken_by_name,
)
from rankspec.conformance.implementations.specs import Implementation, ImportFailure, SpecificationError, parse
from rankspec.conformance.infer.identify.conclusions import (
    MOST_MEMBERS,
    base,
    failed,
    identified,
    is_error,
    note_labels,
    observe,
    observe_errors,
    result,
    weights_findings,
)
from rankspec.conformance.infer.identify.identification import (
    Counterexample,
    Identification,
    Status,
    counterexample_of,
    outcome_text,
    smallest,
)
from rankspec.conformance.infer.identify.instability import unstable
from rankspec.conformance.infer.identify.randomness import (
    and_ties,
    explanation_apart_from_ties,
    has_unordered_ties,
    unordered_beside,
    unordered_ties,
    versions_apart_from_ties,
)
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
from rankspec.conformance.infer.interview.interview import Finding, Interview, Target, target_for, with_own_cutoff
from rankspec.conformance.infer.interview.prediction import MOST_PREDICTIONS, OverBudgetError, fits, numbers_of
from rankspec.conformance.infer.interview.probe import ShapedProbe, has_tied_documents
from rankspec.conformance.infer.interview.relations import answer_of, list_of_hits
from rankspec.conformance.infer.interview.respondent import Respondent
from rankspec.conformance.infer.interview.version_space import (
    Versions,
    classes,
    complexity,
    narrowed,
    narrowed_within,
    space_of,
)
from rankspec.conformance.run.connection import Connectable, Workers
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import NotCalled, Number, Outcome, PerQuery, Raised, is_unanswered
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
    from rankspec.conformance.infer.mistakes.search import Explanation

_USUAL = ("nDCG", "RR", "Success", "P", "R", "F", "SetP", "SetR", "SetF", "Rprec", "DCG")
"""The plainest first; those that take a cutoff where the function takes one."""
_FURTHER = {"P": (UNSTATED,), "SetP": (UNSTATED,)}  # "Context precision" is an average one, which is dear to try


def other_measure(interview: Interview) -> Measure | None:
    """Return the first of the usual measures that gives all answers to small inputs, as textbooks have it or else.

    Where none does, those to grades 0 and 1 decide: a sum of grades over k is a precision that adds them.
    """
    # Nothing is asked for it: what a function answers does not depend on what it is taken for.
    asked_for, small = interview.target.measure, interview.small
    other = _measure_giving(interview, _candidates(asked_for), small)
    if other is None and len((binary := small.of_binary_grades).answers) < len(small.answers):
        other = _measure_giving(interview, [asked_for, *_candidates(asked_for)], binary)
    return other if other != asked_for else None


_PLAIN_LISTS = (
    *((4, (0,), 1), (5, (1,), 1), (6, (2,), 2), (4, (0, 2), 2), (5, (1, 2), 3), (6, (0, 1), 3), (4, (0, 1, 2), 3)),
    *((5, (1, 3), 3), (6, (0, 4), 2), (4, (1,), 3), (5, (3,), 1), (6, (4, 5), 2)),
)
"""Lists of one query, their hits, and R: no rule for short lists, ties or missing documents is asked about."""
_FEWEST_PLAIN = 4  # So many have to be answered with a number


def _plain_measure(interview: Interview, names: tuple[str, ...] = (), cutoffs: Sequence[int] = ()) -> Measure | None:
    """Return the usual measure whose textbook values a few plain lists have; of several values the one so named."""
    assumed, signature = interview.target.measures[0], interview.target.signature
    lists = (*_PLAIN_LISTS, *_LONG_LISTS) if names else _PLAIN_LISTS
    shaped = interview.all_shaped(list_of_hits("plain", n, hits, assumed, r) for n, hits, r in lists)
    outcomes = interview.respondent.raw([replace(each.call, names=names) for each in shaped])
    answered = [each for each in zip(shaped, outcomes, strict=True) if isinstance(each[1], Number | PerQuery)]
    if len(answered) < _FEWEST_PLAIN or len({answer_of(outcome) for _, outcome in answered}) == 1:
        return None
    one_mean = not any(isinstance(outcome, PerQuery) for _, outcome in answered)
    cut = (Measure(UNSTATED, k) for k in cutoffs)
    # The precision at 1 is nDCG@1, and the recall at 1 is AP@1.
    plainest = (sorted((each, *_candidates(each)), key=lambda one: one.k == 1 and one.name not in "PR") for each in cut)
    for measure in chain((assumed, *_candidates(assumed)), *plainest):
        with suppress(ConventionError):
            start = space_of(measure, signature, one_mean=one_mean).start
            posed = [(replace(each, probe=replace(each.probe, measure=measure)), outcome) for each, outcome in answered]
            if all(interview.fits(each, outcome, start) for each, outcome in posed):
                return measure
    return None


_LONG_LISTS = ((25, (2, 6, 11, 22), 6), (25, (0, 4, 9, 19, 23), 5))  # For a cutoff that each value has by itself
_OWN_CUTOFFS = (1, 3, 5, 10, 20)


def hello_of(connectable: Connectable) -> Hello:
    """Return what an implementation says of itself, with the measures of several values (`ImportFailure`)."""
    with connectable.connect() as connection:
        hello = connection.hello
    if hello.returns:
        with Respondent(connectable) as respondent:
            hello = respondent.hello
            deque(_name_values(target_for(connectable.text, hello, None), respondent), 0)
    return hello


def _name_values(target: Target, respondent: Respondent) -> Iterator[str]:
    """Find the usual measure of each value that has no name, and say which they are; the cutoffs of the others."""
    hello = respondent.hello
    unnamed = [each for each in hello.returns if each in ORDINALS]
    takes_cutoff = target.signature.need(CUTOFF) is not Need.ABSENT
    for value in unnamed if not hello.fitting else ():
        own = () if takes_cutoff else _OWN_CUTOFFS
        measure = _plain_measure(Interview(target, respondent), (bare_name(value),), own)
        if measure is not None:
            hello.fitting[value] = replace(measure, k=target.measure.k) if takes_cutoff else measure
    for value, measure in [*measures_returned(hello).items()] if not (unnamed or hello.fitting) else ():
        of_value = target_for(target.name, hello, None, measure)
        if not (takes_cutoff or re.search(r"(?<![Ff])\d$", value)):  # no cutoff stands in its name
            hello.fitting[value] = with_own_cutoff(replace(of_value, named=True), respondent).measure
    if unnamed:
        said = (f"the {value.partition('_')[0]} {hello.fitting.get(value, 'no usual measure')}" for value in unnamed)
        yield f"Of the {len(unnamed)} values that it returns, {', '.join(said)}"


def _measure_giving(interview: Interview, candidates: Iterable[Measure], evidence: Evidence) -> Measure | None:
    fitting = None
    for measure in candidates:
        # It may have no meaning in this shape, or too many conventions.
        with suppress(ConventionError, OverBudgetError), interview.predictor.effort.within(MOST_PREDICTIONS):
            members = _giving_all(interview, measure, evidence)
            if any(not fixed_differences(measure, member) for member in members):
                return measure
            fitting = fitting or (measure if members else None)
    return fitting


def _candidates(asked_for: Measure) -> Iterator[Measure]:
    for name in (each for each in (*_USUAL, *_FURTHER.get(asked_for.name, ())) if each != asked_for.name):
        cut = FAMILIES[name].cut
        if cut is Cut.OPTIONAL or (cut is Cut.REQUIRED) is (asked_for.k is not None):
            yield Measure(name, asked_for.k)


def _measure_of_programs(interview: Interview) -> Measure | None:
    """Return the usual measure of which a wrong program gives the answers to plain lists; None if none does."""
    # With numpy, which no convention needs: a tenth of a second.
    from rankspec.conformance.infer.mistakes.program_search import has_wrong_program

    asked_for = interview.target.measure
    for measure in (asked_for, *_candidates(asked_for)):
        target = target_for(interview.target.name, interview.target.hello, None, measure)
        other = Interview(target, interview.respondent)
        other.space = space_of(target.measure, target.signature, one_mean=interview.one_mean)
        answers = Evidence({_of(measure, each): outcome for each, outcome in interview.small.answers.items()})
        with suppress(ConventionError):
            if has_wrong_program(other, answers):
                return measure
    return None


def _of(measure: Measure, asked: ShapedProbe) -> ShapedProbe:
    """Return a question as one about another measure, with the cutoff and the threshold that it has."""
    rel = asked.measure.rel if "rel" in measure.family.parameters else 1
    return replace(asked, probe=replace(asked.probe, measure=Measure(measure.name, asked.measure.k, rel)))


def _giving_all(interview: Interview, measure: Measure, evidence: Evidence) -> tuple[Convention, ...]:
    space = space_of(measure, interview.target.signature, one_mean=interview.one_mean)
    taken = {_of(measure, each): each for each in evidence.numbers}
    versions = narrowed(
        Versions.all_of(space),
        taken,
        lambda each, member: fits(
            evidence.answers[taken[each]], interview.predictor.predicted(each, member), singles=evidence.singles
        ),
    )
    return versions.members if taken else ()


def outside(interview: Interview, reading: Reading, evidence: Evidence) -> Identification:
    """Report what explains the answers, and all that is known of the rest."""
    for explain in (_by_numbers, _plainly, _nearly, _of_binary_labels):
        if (found := explain(interview, reading, evidence)) is not None:
            return found
    near = nearest(interview.space, evidence, interview.predictor, interview.is_feasible)
    if near is None:
        return failed(interview, evidence)
    if near.stopped is not None:
        interview.stop("the closest convention", near.stopped)
    convention = near.convention
    explained, stopped, evidence = _explanation(interview, evidence, near)
    explained = explained or unordered_beside(interview)
    if stopped is not None and explained is None:
        interview.stop("deviations", stopped)
    if explained is not None:
        if not explained.is_whole:
            interview.note("too many conventions to try all: only those that differ from it in one axis were tried")
        report = _with_settings if explained.mistake.settings else _explained
        return report(interview, reading, evidence, explained)
    parting = _parting(interview, evidence, convention)
    count = sum(not isinstance(outcome, NotCalled) for outcome in evidence.answers.values())
    if 2 * len(parting) >= count:
        interview.note("No known convention matches even half of its answers")
        # What is nearest there is a coincidence: it might differ from the definition where the function does not. Nor
        # is the function to blame for what textbooks leave open.
        plain = interview.space.start
        differing = _parting(interview, evidence, plain)
        ordinary = [each for each in differing if each.features <= _ORDINARY]
        witness = _witness(interview, evidence, plain, ordinary or differing)
        return base(interview, Status.OUTSIDE, witness=witness)
    text = expression_text(interview.space.measure, convention)
    matched = count - len(parting)
    interview.note(f"Closest convention: {text}, which matches {matched} of {count} answers")
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
        findings=tuple(interview.findings),
        asked=interview.respondent.calls,
    )


def _by_numbers(interview: Interview, reading: Reading, evidence: Evidence) -> Identification | None:
    """Report a convention that fits every number, or apart from ties in no fixed order, where others raised."""
    versions = _of_numbers(interview, reading, evidence)
    if versions.members:
        return _apart_from_errors(interview, reading, evidence, versions)
    unordered = versions_apart_from_ties(interview) if evidence.refused else None
    return None if unordered is None else _apart_from_errors(interview, reading, evidence, unordered, is_unordered=True)


def _plainly(interview: Interview, reading: Reading, evidence: Evidence) -> Identification | None:
    """Report a slip of the plainest convention, or what is computed where no document appears twice, if that explains.

    It is tried before the nearest convention is sought, which takes 1 to 4 s.
    """
    from rankspec.conformance.infer.mistakes.search import Extent, explanation

    plain = _plainest(interview, evidence)
    parting = _parting(interview, evidence, plain)
    repeated = [each for each in parting if REPEATED in each.features]
    apart = _reading_apart_from(interview, "duplicates", REPEATED) if repeated else None
    explained = None
    if not has_unordered_ties(interview):  # where all but copies is explained, no formula is wrong
        near = Nearest(plain, 0, tuple(sorted(parting, key=lambda each: each.probe.size)))
        extent = Extent.PROMISING_OR_FORMULA if apart is None else Extent.NAMED
        explained, _ = explanation(interview, evidence, near, extent)
    if explained is not None and explained.is_whole:
        return _explained(interview, reading, evidence, explained)
    if apart is None or explained is not None:
        return None
    found = _identified_apart(interview, "duplicates", apart)
    answer = outcome_text(evidence.answers[repeated[0]])
    return replace(found, findings=(*found.findings, Finding(f"given {REPEATED}, it returns {answer}")))


def _plainest(interview: Interview, evidence: Evidence) -> Convention:
    """Return the plainest convention, with the rules for copies and for ties that give the most answers."""
    plain, small = interview.space.start, [each for each in evidence.numbers if each not in interview.related]
    for axis, is_about in (("duplicates", lambda each: REPEATED in each.features), ("ties", has_tied_documents)):
        telling = [each for each in small if is_about(each)][:_TELLING]

        def given(member: Convention, telling: Sequence[ShapedProbe] = telling) -> int:
            return sum(interview.fits(each, evidence.answers[each], member) for each in telling)

        rules = interview.space.settings.get(axis, ())
        plain = max((plain.with_setting(axis, rule) for rule in rules), key=given, default=plain)
    return plain


_TELLING = 24  # So many inputs tell one rule from another
_FEWEST_NUMBERS = 20  # So few answers fit a convention by luck


def _of_numbers(interview: Interview, reading: Reading, evidence: Evidence) -> Versions:
    """Return the conventions that fit every number, where something else came, too."""
    if reading.contradictions and reading.versions.members:
        return reading.versions
    numbers = Evidence({each: evidence.answers[each] for each in evidence.numbers})
    is_enough = len(numbers.answers) >= _FEWEST_NUMBERS and evidence.refused
    return read(interview.space, numbers, interview.predictor).versions if is_enough else Versions(interview.space, ())


def _apart_from_errors(
    interview: Interview, reading: Reading, evidence: Evidence, versions: Versions, *, is_unordered: bool = False
) -> Identification:
    """Report a convention that fits every number, and which slip makes it fail, or how often no number came."""
    # With numpy, which no convention needs: a tenth of a second.
    from rankspec.conformance.infer.mistakes.search import explanation_of_errors

    if not is_unordered and (slip := explanation_of_errors(interview, evidence, versions)) is not None:
        return _explained(interview, reading, evidence, slip)
    return _apart_from(interview, reading, evidence, versions, "", is_unordered=is_unordered)


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
    from rankspec.conformance.infer.mistakes.search import Explanation

    mistake = Mistake("errors", words or _commonest_failure(evidence), lambda base: base)
    explained = Explanation(mistake, interview.predictor, versions, is_whole=True)
    explained = and_ties(interview, explained) if is_unordered else explained
    numbers = Evidence({each: evidence.answers[each] for each in evidence.numbers})
    reported = _explained(interview, reading, numbers, explained)
    convention = min(versions.members, key=complexity)
    parting = _parting(interview, evidence, convention)
    clear = [each for each in parting if not (is_unordered and has_tied_documents(each))]
    return replace(reported, witness=_witness(interview, evidence, convention, clear))


def _commonest_failure(evidence: Evidence) -> str:
    refused = [evidence.answers[each] for each in evidence.refused]
    said = (f"it raises {each.type}" if isinstance(each, Raised) else "it returns no number" for each in refused)
    commonest = Counter(said).most_common(1)[0][0]
    return f"{commonest} for {len(refused)} of {len(refused) + len(evidence.numbers)} inputs"


def _nearly(interview: Interview, reading: Reading, evidence: Evidence) -> Identification | None:
    """Report a convention that every number is near: an epsilon was added, or digits were lost."""
    most = 0.0

    def is_near(asked: ShapedProbe, member: Convention) -> bool:
        nonlocal most
        value, got = interview.predictor.predicted(asked, member).value, numbers_of(evidence.answers[asked])
        if not isinstance(value, Fraction) or not got or not interview.is_feasible(asked, member):
            return interview.fits(asked, evidence.answers[asked], member, singles=evidence.singles)
        off = float(abs(value - got[0]))
        most = max(most, off if off <= _LITTLE else 0)
        return off <= _LITTLE

    plain = interview.space.start
    if sum(is_near(each, plain) for each in evidence.numbers) * 2 < len(evidence.numbers) or most == 0:
        return None
    with suppress(OverBudgetError):
        every = Versions.all_of(interview.space)
        versions = narrowed_within(every, evidence.numbers, is_near, interview.predictor, MOST_PREDICTIONS)
        if versions.members:
            words = f"a small number is added: its values are off by up to {most:.0e}"
            return _apart_from(interview, reading, evidence, versions, words)
    return None


_LITTLE = 1e-5  # Below what any rule makes of short lists, above the epsilons that people add


def _of_binary_labels(interview: Interview, reading: Reading, _: Evidence) -> Identification | None:
    """Report a convention that fits where no grade is above 1: a program may count hits by the sum of their labels."""
    graded = {each: outcome for each, outcome in interview.answers.items() if each.highest_grade > 1}
    if not (graded and interview.target.measure.is_graded and interview.target.signature.shape in _OF_LABELS):
        return None
    relations = interview.leave_out(graded)
    findings = [*interview.findings]
    note_labels(interview)
    reading = _read(interview, interview.small)
    if _fits_some(interview, reading):
        observe_errors(interview, reading)
        return identified(interview, reading)
    if (found := unordered_ties(interview)) is not None:
        return found
    interview.take_back(graded, relations)
    interview.findings, interview.labels = findings, ""
    return None


_OF_LABELS = (Shape.RANKING, Shape.LABELS_SCORES, Shape.MATRICES)


def _explanation(
    interview: Interview, evidence: Evidence, near: Nearest
) -> tuple[Explanation | None, int | None, Evidence]:
    """Return what explains the answers, after how many predictions the search ended, and which answers these are."""
    # What explains all answers but those to negative grades is a rule with a note: programs take them as they come.
    from rankspec.conformance.infer.mistakes.search import Extent, explanation

    if has_unordered_ties(interview):
        return (*explanation_apart_from_ties(interview), evidence)
    usual = evidence.without(NEGATIVE)
    space, predictor, is_same = interview.space, interview.predictor, len(usual.answers) == len(evidence.answers)
    apart = None if is_same else nearest(space, usual, predictor, interview.is_feasible)
    if apart is None or not apart.parting:
        return (*explanation(interview, evidence, near), evidence)
    whole, _ = explanation(interview, evidence, near, Extent.PROMISING)
    if whole is not None:
        return whole, None, evidence
    found, stopped = explanation(interview, usual, apart)
    if found is None:
        return None, stopped, evidence

    def unexplained(member: Convention) -> list[ShapedProbe]:
        negative = (each for each in evidence.numbers if each not in usual.answers)
        predicted = found.predictor.predicted
        return [each for each in negative if not fits(evidence.answers[each], predicted(each, member))]

    members = found.versions.members
    others = {member: unexplained(member) for member in members}
    if left := tuple(member for member in members if not others[member]):
        return replace(found, versions=replace(found.versions, members=left), unrefuted=()), stopped, evidence
    asked = min(others[members[0]], key=lambda each: each.probe.size)
    interview.is_exceptional = True
    interview.note(f"given a negative grade, it returns {outcome_text(evidence.answers[asked])}")
    return found, stopped, usual


_ORDINARY = frozenset(
    {
        "a list of one document",
        "a cutoff beyond the list",
        "a hit beyond the cutoff",
        "a list of relevant documents alone",
    }
)
"""Features of inputs of which textbooks speak."""


_BESIDE_NEAREST = 50_000  # What it leaves open is told of a convention that is not even its own


def _left(interview: Interview, evidence: Evidence, matched: Sequence[ShapedProbe]) -> Versions:
    """Return the conventions that fit some answers; none where they are too many to be held against all of these."""
    effort, singles = interview.predictor.effort, evidence.singles
    before = effort.spent
    try:
        with effort.within(_BESIDE_NEAREST):
            return narrowed(
                Versions.all_of(interview.space),
                [each for each in matched if interview.is_quick(each)],
                lambda each, member: (
                    not interview.is_feasible(each, member)
                    or interview.fits(each, evidence.answers[each], member, singles=singles)
                ),
            )
    except OverBudgetError:
        interview.stop("other conventions that match", effort.spent - before)
        return Versions(interview.space, ())


def _explained(interview: Interview, reading: Reading, evidence: Evidence, explained: Explanation) -> Identification:
    """Report what is fully explained: `AP@10 under ..., except that ...`."""
    mistake = explained.mistake
    if not explained.is_whole:
        said = "too many conventions to try all: only those that differ from it in one axis were tried"
        interview.note(said)
    if mistake.settings:
        return _with_settings(interview, reading, evidence, explained)
    read = with_errors(explained.versions, evidence, explained.predictor)
    contradictions = [each for each in read.contradictions if each not in interview.related]
    if contradictions and evidence.numbers:  # what nothing explains stands beside what explains all numbers
        failing = replace(mistake, name="errors", words=_commonest_failure(evidence), components=(), fix="")
        both = replace(mistake, components=(*(mistake.components or (mistake,)), failing))
        numbers = Evidence({each: evidence.answers[each] for each in evidence.numbers})
        return _explained(interview, reading, numbers, replace(explained, mistake=both))
    members = read.versions.complete(MOST_MEMBERS) or read.versions.members
    asked = [each for each in interview.answers if each not in interview.related]
    found = classes(members, asked, explained.predictor, one_mean=interview.one_mean)
    convention = found[0][0]
    text = expression_text(interview.space.measure, convention)
    interview.findings.insert(0, Finding.exception(text, mistake.clauses))
    observe(interview, replace(read, refusals=read.refusals or reading.refusals), explained.predictor)
    parting = _parting(interview, evidence, convention)
    hidden = {_AXES[each.name] for each in mistake.components or (mistake,) if each.name in _AXES}
    hidden |= {"discount"} if "log2" in mistake.words.partition(" instead of ")[2] else set()
    hidden |= {"ties"} if explained.is_unordered else set()
    clear = [each for each in parting if not (explained.is_unordered and has_tied_documents(each))]
    witness = _witness(interview, evidence, convention, clear)
    reported = result(interview, Status.OUTSIDE, read.versions, found, _unrefuted(explained, evidence))
    return replace(
        reported,
        witness=witness,
        axes={**reported.axes, **dict.fromkeys(hidden, ())},
        nearest=text,
        explained=not contradictions and not interview.answered.is_incomplete,
        deviations=mistake.lines,
        fixes=mistake.fixes,
    )


_AXES = {"the ideal list": "ideal", "the denominator": "denominator"}
"""What a mistake replaces -> the axis whose setting means nothing beside it."""


def _unrefuted(explained: Explanation, evidence: Evidence) -> list[Versions]:
    """Return the conventions for which the plainest ones stand, as far as they demand the errors as well."""
    return [with_errors(each, evidence, explained.predictor).versions for each in explained.unrefuted]


def _parting(interview: Interview, evidence: Evidence, convention: Convention) -> list[ShapedProbe]:
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
    # Numbers come first, for a refusal is told by itself; then what was asked for: a witness for AP@3 is best one at 3.
    return sorted(
        parting,
        key=lambda each: (
            is_error(evidence.answers[each]),
            each.measure not in interview.target.measures,
            each.probe.size,
        ),
    )


def _witness(
    interview: Interview, evidence: Evidence, convention: Convention, parting: list[ShapedProbe]
) -> Counterexample | None:
    if not parting:
        return None
    of_error, of_refusal = is_error(evidence.answers[parting[0]]), isinstance(evidence.answers[parting[0]], NotCalled)

    def refuting(puts: Sequence[ShapedProbe]) -> Iterator[Outcome | None]:
        for each, outcome in zip(puts, interview.respondent.raw([put.call for put in puts]), strict=True):
            is_of_kind = not is_unanswered(outcome) and is_error(outcome) is of_error
            is_of_kind &= isinstance(outcome, NotCalled) is of_refusal
            fitting = not is_of_kind or interview.fits(each, outcome, convention, singles=evidence.singles)
            yield None if fitting else outcome

    found: tuple[ShapedProbe, Outcome] | None = smallest(parting[0], interview.shaped, refuting)
    asked, outcome = found or (parting[0], evidence.answers[parting[0]])
    return counterexample_of(asked, outcome, interview.predictor, convention, one_mean=interview.one_mean)


def _with_settings(
    interview: Interview, reading: Reading, evidence: Evidence, explained: Explanation
) -> Identification:
    """Report conventions with a depth, or another floor: numbers on axes that are no part of the space."""
    interview.note(explained.mistake.words, first=True)
    # A depth that cuts R as well: a cutoff of the program's own may say the same, as `AP@150` over min(R, k).
    depth = explained.mistake.settings.get("depth")
    denominators = explained.versions.values("denominator") if "denominator" in interview.space.settings else ()
    cuts = bool(denominators) and Denominator.RELEVANT not in denominators
    is_a_cutoff = depth is not None and cuts and depth == own_cutoff(interview)
    if is_a_cutoff:  # it stands if no cutoff can be asked for
        interview.cutoff_instead = interview.effective_depth
    read = with_errors(explained.versions, evidence, explained.predictor)
    observe(interview, replace(read, refusals=read.refusals or reading.refusals), explained.predictor)
    versions, settings = read.versions, explained.mistake.settings
    members: Iterable[Convention] = versions.complete(MOST_MEMBERS) or versions.members
    for axis, setting in settings.items():
        members = [member.with_setting(axis, setting) for member in members]
    found = classes(members, list(interview.answers), interview.predictor, one_mean=interview.one_mean)
    status = Status.IDENTIFIED if len(found) == 1 and not interview.answered.is_incomplete else Status.AMBIGUOUS
    reported = result(interview, status, versions, found, _unrefuted(explained, evidence))
    further = {axis: (setting_text(setting),) for axis, setting in settings.items()}
    return replace(reported, axes={**reported.axes, **further})


def own_cutoff(interview: Interview) -> int | None:
    """Return a cutoff that an implementation without a parameter for it has by itself, if that explains all."""
    evidence = Evidence(dict(interview.answers))
    if interview.target.measure.family.cut is not Cut.OPTIONAL:
        return None
    k = interview.effective_depth
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


_MOST_TRIED = 50
"""Conventions that are left agree on all small inputs, so the first ones stand for the others on large ones."""


def identify(
    implementation: str | Implementation,
    *,
    shape: Shape | str | None = None,
    measure: str | Measure | None = None,
    limits: Limits | None = None,
    tell: OnProgress = silent,
) -> Identification:
    """Find the conventions that an implementation follows, by asking it; parameters are `rankspec.identify`'s."""
    named = parse(implementation, shape) if isinstance(implementation, str) else implementation
    stated = named_measure(measure) if isinstance(measure, str) else measure
    return identify_connected(Workers(named, limits or Limits()), stated, tell)


def identify_connected(
    connectable: Connectable,
    stated: Measure | None = None,
    tell: OnProgress = silent,
    inferred: Measure | None = None,
    *,
    is_quick: bool = True,
) -> Identification:
    """Do the same with whatever can be connected to; `inferred` is a measure that its answers say."""
    # A measure that plain lists say is asked for at once, and no other one before it (`is_quick`): if it is wrong,
    # everything is asked again.
    start = time.perf_counter()
    tell("starting", 0)
    with Respondent(connectable, tell) as respondent:
        target = with_own_cutoff(target_for(connectable.text, respondent.hello, stated, inferred), respondent)
        is_open = is_quick and stated is inferred is None and ANY_MEASURE in target.hello.functions
        values = [*_name_values(target, respondent)] if ANY_MEASURE in target.hello.functions else []
        by_value = {} if measure_told(respondent.hello.name) else measures_returned(respondent.hello)
        first = next(iter(by_value.values()), None)
        plain = (first or _plain_measure(Interview(target, respondent))) if is_open else None
        plain = None if plain is None or plain in (target.measure, *target.measures) else plain
        if plain is not None:
            inferred = plain
            target = with_own_cutoff(target_for(connectable.text, respondent.hello, None, plain), respondent)
        interview = Interview(target, respondent)
        interview.is_measure_assumed = (
            not (stated or inferred or target.named) and ANY_MEASURE in target.hello.functions
        )
        interview.note(*_assumption(target, inferred), *values)
        found = _found(interview)
        if inferred is not None:
            _require_metric(interview, found)
        is_outside = found.status is Status.OUTSIDE and interview.inferred is None
        own = interview.cutoff_instead
        if own is None and is_outside and target.measure.k is None:
            own = own_cutoff(interview)
        cuts = is_outside and not found.explained and own is None
        if interview.inferred is None and interview.answers:
            found = replace(found, findings=(*found.findings, *weights_findings(interview)))
        may_have = next(filter(None, interview.own_cutoffs), None) if cuts else None
    if plain is not None and found.status not in (Status.IDENTIFIED, Status.AMBIGUOUS):
        return identify_connected(connectable, None, tell, is_quick=False)
    if interview.inferred is not None:
        found = identify_connected(connectable, None, tell, interview.inferred)
    if may_have is not None:
        with suppress(SpecificationError):  # one that says itself that it takes no cutoff can't be asked for one
            again = identify_connected(connectable, replace(target.measure, k=may_have), tell)
            found = _with_cutoff(again, may_have) if again.explained else found
    if own is not None:
        cut = replace(target.measure, k=own)
        again = identify_connected(connectable, cut, tell)
        if again.status is not Status.FAILED:  # it may refuse to be asked for any cutoff
            taken = f"its own cutoff is {own}, so it is identified as {cut}"
            found = replace(again, findings=(Finding(taken), *again.findings))
    typed = connectable.implementation.typed if isinstance(connectable, Workers) else ()
    # A cutoff that was stated is the one to speak of.
    by_default = found.by_default if stated is None or found.is_uncut_without else None
    return replace(found, by_default=by_default, typed=typed, seconds=time.perf_counter() - start)


def _assumption(target: Target, inferred: Measure | None) -> Iterator[str]:
    """Say what an implementation is taken for, where nobody stated it."""
    if inferred is not None:
        named = measure_by_name(target.hello)
        though = f", though its name says {named.name}" if named is not None else ""
        yield f"Taken for {inferred.name}, inferred from its answers{though}. To override: --measure"
    if target.named:
        yield taken_by_name(target.measure.name, target.hello)


def _with_cutoff(found: Identification, own: int) -> Identification:
    """Report what is explained once it is asked for the cutoff that it has by itself."""
    cutoff = f"the cutoff: {own} by default, so it is identified as {found.measure}"
    return replace(found, deviations=(cutoff, *found.deviations), findings=(Finding(cutoff), *found.findings))


def _found(interview: Interview) -> Identification:
    interview.gather()
    if interview.answered.is_short:
        return failed(interview, Evidence({}))
    if interview.respondent.changes:
        interview.respondent.tell("searching for what changes the answers", 0)
        return unstable(interview, _settled)
    interview.respondent.tell("comparing with conventions", 0)
    return _settled(interview)


def _settled(interview: Interview) -> Identification:
    small = interview.small
    if not small.numbers:
        return failed(interview, small)
    reading = _read(interview, small)
    fits_some = _fits_some(interview, reading)
    if not fits_some and (found := unordered_ties(interview)) is not None:
        return found
    if not fits_some and (apart := _reading_apart_from(interview, "negative_grades", NEGATIVE)) is not None:
        return _identified_apart(interview, "negative_grades", apart)
    hello = interview.target.hello
    is_named = measure_told(hello.name) is not None or not measures_returned(hello)  # a value is what its name says
    may_be_another = interview.is_measure_assumed or (interview.target.named and is_named)
    if not fits_some and may_be_another and (other := other_measure(interview)) is not None:
        interview.inferred = other
        return base(interview, Status.OUTSIDE)
    if not fits_some and interview.is_measure_assumed:
        if not interview.is_of_order():
            raise _no_metric(interview, "its value does not depend on the order of the list alone")
        if (other := _measure_of_programs(interview)) not in (None, interview.target.measure):
            interview.inferred = other
            return base(interview, Status.OUTSIDE)
    if not reading.contradictions:  # else nobody knows what it is that it fails on
        observe_errors(interview, reading)
    if not fits_some or reading.contradictions:
        return outside(interview, reading, interview.all)
    return identified(interview, reading)


def _require_metric(interview: Interview, found: Identification) -> None:
    """Refuse, of what nobody says to be a metric, what refuses most inputs, and the mean of a list of numbers."""
    if len(interview.all.refused) > len(interview.all.numbers):
        raise _no_metric(interview, _commonest_failure(interview.all))
    if found.labels and not interview.is_of_order():
        raise _no_metric(interview, "it is the mean of its numbers, in whatever order they are")


def _no_metric(interview: Interview, why: str) -> ImportFailure:
    text = f"{interview.target.name}: it is no ranking metric: {why}; if it is one, --measure says which"
    return ImportFailure(text, code="shape-unclear")


def _reading_apart_from(interview: Interview, axis: str, feature: str) -> Reading | None:
    """Return what all answers leave but those to inputs with a feature, of which an axis speaks; None if nothing."""
    # Grades below 0 are gains as they are in many programs; an id twice breaks a dict of ranks, or a join.
    space = interview.space
    if axis not in space.settings or (axis == "negative_grades" and not interview.target.measure.is_graded):
        return None
    one_value = replace(space, settings={**space.settings, axis: space.settings[axis][:1]})
    usual = interview.small.without(feature)
    try:
        with interview.predictor.effort.within(MOST_PREDICTIONS):
            reading = read(one_value, usual, interview.predictor)
    except OverBudgetError:
        return None
    broken = _broken(interview, reading.versions, singles=interview.small.singles) if reading.versions.members else ()
    is_left = reading.versions.members and not reading.contradictions
    return reading if is_left and all(feature in each.features for each in broken) else None


def _identified_apart(interview: Interview, axis: str, reading: Reading) -> Identification:
    """Report a convention that says nothing on an axis."""
    observe_errors(interview, reading)
    found = identified(interview, reading)
    return replace(found, axes={**found.axes, axis: ()})


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


def _fits_some(interview: Interview, reading: Reading) -> bool:
    versions, singles = reading.versions, interview.small.singles
    return bool(versions.members) and not _broken(interview, versions, singles=singles)


def _broken(interview: Interview, versions: Versions, *, singles: bool) -> list[ShapedProbe]:
    """Return the larger inputs on which no convention that is left gives the answer."""
    members = versions.members[:_MOST_TRIED]
    broken = []
    for each in interview.related:
        outcome = interview.answers[each]
        if is_error(outcome) or isinstance(outcome, NotCalled):
            continue
        feasible = [member for member in members if interview.is_feasible(each, member)]
        if feasible and not any(interview.fits(each, outcome, member, singles=singles) for member in feasible):
            broken.append(each)
    return broken
