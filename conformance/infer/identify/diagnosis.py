"""What an identification says to a check: what your own function is held to, and what a check's failures come from.

Where you state nothing it is held to the measure that it computes, as textbooks have it. Textbooks leave ties, repeated
documents and queries without relevant documents open. A function that follows them is right, whatever it chooses there,
so its own choices are taken from its answers.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from rankspec.conformance.cases.case import Case
from rankspec.conformance.checks.check import Answer, Checked, CheckPlan
from rankspec.conformance.checks.known_failures import KnownFailures, reason_for
from rankspec.conformance.checks.records import Diagnosis
from rankspec.conformance.implementations.naming import measures_returned
from rankspec.conformance.implementations.specs import OF_ONE_FUNCTION, ImportFailure
from rankspec.conformance.infer.identify.identification import Identification, Status
from rankspec.conformance.infer.identify.identify import identify_connected
from rankspec.conformance.infer.interview.interview import FindingKind
from rankspec.conformance.judge.verdicts import Verdict, judge
from rankspec.conformance.questions.expectation import Conventions, store
from rankspec.conformance.questions.question import Rendering, questions_of
from rankspec.conformance.run.connection import Connectable, Workers
from rankspec.conformance.run.progress_bars import OnProgress, silent
from rankspec.conformance.worker.messages import ANY_MEASURE, FileSource, ModuleSource
from rankspec.conformance.worker.shapes import CUTOFF, Need
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.conventions.textbook import textbook
from rankspec.oracle.language.expression import convention_text, parse_expression
from rankspec.oracle.language.sentence import sentence
from rankspec.oracle.measures.gain import is_beyond_limits

_OWN = (FileSource, ModuleSource)
_OF_ODD_INPUTS = frozenset({"duplicates", "empty_mean", "missing_query", "no_relevant", "ties", "unknown_query"})
"""The choices of one that follows no rule that nobody can know: others, as a gain, show in nearly all that is asked."""
_MOST_HELD = 5  # Conventions that a check's answers are held to: each takes as long as judging the check did
_FEWEST_ANSWERS = 20  # Of some forty conventions near by, one or another conforms to a few answers by chance


class OwnPlan(NamedTuple):
    """What to check a function with, and the identification that it rests on, if it rests on one."""

    plan: CheckPlan
    identification: Identification | None = None


def own_plan(  # noqa: PLR0913 - two that are stated by name
    connectable: Connectable,
    cases: Sequence[Case],  # what it may be asked
    measure: Measure | None = None,  # what it computes; by default what it is identified as
    under: Convention | None = None,  # by default what it declares, and of a function the textbook
    progress: OnProgress = silent,
    *,
    choices: Convention | None = None,  # what it does where textbooks leave the choice; by default what answers show
    search: bool | None = None,  # whether it is identified; by default a user's function is
) -> OwnPlan:
    """Return what to check an implementation with; the user's words come first."""
    held_to, is_textbook = choices or under, choices is not None
    stated = OwnPlan(CheckPlan(questions_of(cases, measure), held_to, measure is not None, is_textbook))
    is_program = isinstance(connectable, Workers) and not isinstance(connectable.implementation.source, _OWN)
    if search is False or is_program or (measure is not None and held_to is not None):
        return stated
    try:
        identification = identify_connected(connectable, measure, progress)
    except ImportFailure as refusal:
        if measure is None and refusal.code in OF_ONE_FUNCTION:  # it computes no ranking metric, and nobody says that
            raise
        return stated
    except Exception:  # noqa: BLE001 - whatever becomes of a search, the check asks its cases and says what it can't ask
        return stated
    signature = None if identification.hello is None else identification.hello.functions.get(ANY_MEASURE)
    if signature is None or identification.status is Status.FAILED:
        return stated
    follows = bool(identification.texts)
    named, convention = parse_expression(identification.texts[0]) if follows else (identification.measure, DEFAULT)
    takes_any = measure is None and signature.need(CUTOFF) is not Need.ABSENT

    uncut = replace(named, k=None) if identification.is_uncut_without else None

    def keeps(own: Measure) -> bool:
        if not takes_any or own.family is not named.family:
            return False
        return replace(named, k=own.k) == own if own.k is not None else own == uncut

    # A cutoff of its own is found where none was stated: `AP` of a function that takes ten documents is AP@10.
    has_own = measure is not None and measure.k is None and replace(named, k=None) == measure
    questions = questions_of(cases, named if measure is None or has_own else measure, keeps)
    is_own = held_to is None
    values = measures_returned(identification.hello) if measure is None and identification.hello is not None else ()
    plan = CheckPlan(
        questions,
        held_to or textbook(convention),
        fixed_measure=True,
        is_textbook=under is None,
        unordered=convention if is_own and identification.has_unordered_ties else None,
        unknown_choices=_OF_ODD_INPUTS if is_own and not follows else frozenset(),
        remark=f"Of the values that it returns ({', '.join(values)}) {named} alone is checked" * (len(values) > 1),
    )
    return OwnPlan(plan, identification)


def diagnosed(  # noqa: PLR0913 - the last two are for those who watch it, or know better
    checked: Checked,
    connectable: Connectable,
    measure: Measure | None = None,
    known: KnownFailures | None = None,
    *,
    search: bool | None = None,
    progress: OnProgress = silent,
    identification: Identification | None = None,
) -> Checked:
    """Return a check with what its failures come from, where that is found; else the check as it is."""

    # Deserving are answers with a number that fail and are not known to: an exception or a timeout says itself what it
    # is. Where one convention demands all of them and conforms to all other answers, that is it, and nothing is asked.
    # Else the implementation, which nothing else is asked at the time, is identified if it was not: its answers to the
    # cases are of no use for that, since seven of eight of the questions of an identification are others. By default
    # users' functions are, since they are cheap to ask.
    def is_known(answer: Answer) -> bool:
        ids = (answer.question.id, *answer.question.cases)
        return reason_for(known or {}, checked.name, ids, answer.judgement.conventions) is not None

    failing = [answer for answer in checked.nonconforming if answer.is_number and not is_known(answer)]
    if search is False or not checked.complete or not failing:
        return checked
    diagnosis = _by_near_conventions(checked, failing) if len(checked.applicable) >= _FEWEST_ANSWERS else None
    if diagnosis is None and identification is not None:
        diagnosis = _of_identification(checked, identification)
    elif diagnosis is None and (search or ANY_MEASURE in checked.hello.functions) and not connectable.halt.reason:
        diagnosis = _by_identification(checked, failing, connectable, measure, progress)
    return checked if diagnosis is None else replace(checked, diagnosis=diagnosis)


def _by_near_conventions(checked: Checked, failing: Sequence[Answer]) -> Diagnosis | None:
    """Hold every answer to the conventions that demand what all failing ones answer."""
    # Those come first that a paper or a competition gave a name; a library's profile is no name for another program.
    near = [each for each in failing[0].judgement.near if all(each in other.judgement.near for other in failing)]
    libraries = {profile.name for profile in PROFILES.values() if profile.is_library}
    near.sort(key=lambda each: 2 if each.name in libraries else each.name not in PROFILES)
    return _conforming(checked, (each.convention for each in near))


def _conforming(checked: Checked, conventions: Iterable[Convention]) -> Diagnosis | None:
    for convention in list(dict.fromkeys(conventions))[:_MOST_HELD]:
        conforming, compared = _held_to(checked, convention)
        if conforming == compared > 0:
            text = convention_text(convention)
            is_all = compared == len(checked.applicable)
            every = "every answer" if is_all else f"every answer that is compared ({compared})"
            words = f"{every} conforms with --under {shlex.quote(text)}"
            return Diagnosis(Status.IDENTIFIED.value, words, _expression(checked, text), text)
    return None


def _held_to(checked: Checked, convention: Convention) -> tuple[int, int]:
    """Return how many answers are what another convention demands of the questions as put, and of how many."""
    conforming, compared, to = 0, 0, Conventions((convention,))
    for answer in checked.applicable:
        question, rendering = answer.question, answer.rendering
        is_meant = meaningless(question.measure, convention) is None
        if is_meant and is_beyond_limits(question.measure, convention, question.qrels):
            continue  # its value is not computed
        compared += 1
        is_settled = is_meant and answer.verdict is not Verdict.UNSTABLE
        if is_settled and answer.outcome is not None and isinstance(rendering, Rendering):
            (expectation,) = store().expected(question.measure, rendering.qrels, rendering.run, to)
            conforming += judge(answer.outcome, expectation).verdict.conforms
    return conforming, compared


def _expression(checked: Checked, convention: str) -> str:
    """Write a convention with the measure, or the family, that every question was about."""
    for names in ({str(answer.question.measure) for answer in checked.applicable}, _families(checked)):
        if len(names) == 1:
            return f"{names.pop()} under {convention}"
    return convention


def _families(checked: Checked) -> set[str]:
    return {answer.question.measure.name for answer in checked.applicable}


def _by_identification(
    checked: Checked, failing: Sequence[Answer], connectable: Connectable, measure: Measure | None, progress: OnProgress
) -> Diagnosis | None:
    """Ask what `identify` would; None where it comes to no end: the check stands without it."""
    if measure is None and ANY_MEASURE not in checked.hello.functions:
        ((measure, _),) = Counter(answer.question.measure for answer in failing).most_common(1)
    try:
        identification = identify_connected(connectable, measure, progress)
    except Exception:  # noqa: BLE001 - whatever becomes of a search, the answers to the cases are what was asked for
        return None
    return None if connectable.halt.reason else _of_identification(checked, identification)


def _of_identification(checked: Checked, identification: Identification) -> Diagnosis:
    status, texts = identification.status, identification.texts
    first = texts[0] if texts else identification.nearest
    unclaimed = Diagnosis(status.value, None, None, None)
    if identification.has_unordered_ties and not identification.beyond_choices:
        return unclaimed  # no convention that `--under` takes leaves ties open
    if identification.beyond_choices:
        words = identification.exception or "; ".join(identification.beyond_choices)
        if first is None:
            return replace(unclaimed, words=words)
        own, convention = parse_expression(first)
        # What it is held to need not be said.
        differing = convention.differences(checked.convention)
        lead = f"it computes {sentence(own, convention, differing)}, except that " if differing else ""
        return replace(unclaimed, words=f"{lead}{words}", convention=first)
    exceptions = [each.words for each in identification.findings if each.kind is FindingKind.EXCEPTION]
    if status is Status.UNSTABLE and exceptions:
        return replace(unclaimed, words=exceptions[0], convention=first)
    if status not in {Status.IDENTIFIED, Status.AMBIGUOUS} or first is None:
        return unclaimed
    if _families(checked).isdisjoint({identification.measure.name}):
        stated = shlex.quote(str(identification.measure))
        return replace(unclaimed, words=f"its answers match {first}: --measure {stated}", convention=first)
    held = _conforming(checked, [parse_expression(text)[1] for text in texts])
    if held is not None:
        return replace(held, status=status.value)
    conforming, compared = _held_to(checked, parse_expression(first)[1])
    if conforming <= len(checked.applicable) - len(checked.nonconforming):
        return unclaimed
    return replace(unclaimed, words=f"{conforming} of {compared} answers conform to {first}", convention=first)
