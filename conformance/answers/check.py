"""What a check found, in sentences: passed or failed, a paragraph a cause, what to do next."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from dataclasses import dataclass

from rankspec.conformance.answers.example import apart
from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.checks.causes import Cause, causes_of, convention_read, rule_phrase, rules_accepted
from rankspec.conformance.checks.records import CaseRecord, CheckRecord, ImplementationRecord
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention
from rankspec.oracle.conventions.textbook import BEYOND_RANGE, FIXED
from rankspec.oracle.language.expression import family_in, short_text

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True)
class CauseAnswer:
    """A cause in a sentence, with the smallest case that shows it."""

    sentence: str  # what the implementation does, and what the convention does
    count: int  # how many cases fail for it
    case: CaseRecord  # the smallest of them
    input: tuple[str, ...]  # its input, a line each; empty where the record has none
    values: str  # `yours 0.1, expected 1`


@dataclass(frozen=True)
class CheckAnswer:
    """The answer about one implementation."""

    headline: str  # whether it follows its convention, in how many cases not, for how many causes
    passed: bool  # whether nothing fails that was not known to
    choices: tuple[str, ...]  # a verb phrase each, what it is held to where the textbook leaves the choice
    causes: tuple[CauseAnswer, ...]  # the largest first
    known: tuple[str, ...]  # a sentence a reason for which cases are known to fail
    following: tuple[tuple[str, str], ...]  # what to do next, a label and what can be pasted each
    closing: str  # how many cases there are of each kind


def check_answer(record: CheckRecord, implementation: ImplementationRecord, *, commands: bool = True) -> CheckAnswer:
    """Return the answer about one implementation of a check, with `commands` of what to type next, if it has a name."""
    causes = causes_of(implementation)
    known = Counter(case.known for case in implementation.failing if case.known is not None)
    return CheckAnswer(
        _headline(record, implementation, causes),
        not implementation.unexpected,
        tuple(_choices(implementation, causes)),
        tuple(_cause_answer(implementation, cause) for cause in causes),
        tuple(f"{count} known: {in_one_line(reason)}" for reason, count in known.most_common()),
        tuple(_following(record, implementation, causes, commands=commands)),
        _closing(implementation),
    )


def cause_sentence(implementation: ImplementationRecord, cause: Cause) -> str:
    """Say what an implementation does, and what its convention does: `It divides by k; kaggle divides by min(R, k)`."""
    if cause.rule:
        phrase = rule_phrase(cause.rule)
        if not phrase:
            return f"It gives the values of {cause.rule}."
        expected = _expected_phrase(implementation, cause.rule)
        return f"It {phrase}{f'; {_called(implementation.convention, cause.rule)} {expected}' if expected else ''}."
    if not cause.detail:
        return "No rule that is known accounts for these answers."
    leads = {Verdict.ERROR: "It raises ", Verdict.CRASH: "It crashes: "}
    lead = "" if cause.detail.startswith("it ") else leads.get(cause.cases[0].verdict, "")
    sentence = in_one_line(f"{lead}{cause.detail}")
    return f"{sentence[:1].upper()}{sentence[1:]}{'' if sentence.endswith('.') else '.'}"


def held_to_text(record: CheckRecord, implementation: ImplementationRecord, *, names_choices: bool = False) -> str:
    """Return what an implementation is held to: `AP@10 under kaggle`; of several measures the convention alone."""
    measures = {case.measure for case in implementation.applicable}
    if len(measures) > 1:
        measures = {str(family_in(measure)) for measure in measures}
    measure = record.measure or (measures.pop() if len(measures) == 1 else None)
    convention = in_one_line(implementation.convention)
    if _is_textbook(convention) and not names_choices:
        return f"the textbook's {measure}" if measure else "the textbook"
    return f"{measure} under {_short(convention)}" if measure else _short(convention)


def _short(text: str) -> str:
    convention = convention_read(text)
    return text if convention is None else short_text(convention)


def _headline(record: CheckRecord, implementation: ImplementationRecord, causes: tuple[Cause, ...]) -> str:
    label, applicable = in_one_line(typed(implementation.label)[0]), len(implementation.applicable)
    held_to, failing = held_to_text(record, implementation), len(implementation.unexpected)
    if failing:
        if all(cause.rule and cause.rule.partition("=")[0] not in FIXED for cause in causes):  # no textbook forbids it
            held_to = held_to_text(record, implementation, names_choices=True)
        cases = "its only case" if failing == applicable == 1 else f"{failing} of {applicable} cases"
        number = _NUMBERS[len(causes)] if len(causes) < len(_NUMBERS) else len(causes)
        return f"FAIL  {label} does not follow {held_to}: {cases}, {number} cause{'' if len(causes) == 1 else 's'}."
    cases = f"{implementation.conforming} of {applicable} cases"
    known = len(implementation.failing)
    if implementation.diagnosis_text and not known:  # what no case asks of labels 0 and 1
        return f"PASS for labels 0 and 1: {cases}; {label} does not follow {held_to} for labels above 1."
    return f"PASS  {label} follows {held_to}: {cases}{f'; {known} known to fail' if known else ''}."


def _choices(implementation: ImplementationRecord, causes: tuple[Cause, ...]) -> list[str]:
    convention = convention_read(implementation.convention)
    if convention is None or not _is_textbook(implementation.convention):
        return []
    failing = {cause.rule.partition("=")[0] for cause in causes}
    return [AXES[axis].phrase(setting) for axis, setting in convention.differences().items() if axis not in failing]


def _cause_answer(implementation: ImplementationRecord, cause: Cause) -> CauseAnswer:
    case = cause.cases[0]
    values = apart({"yours": case.got, "expected": case.exact or "nothing"})
    return CauseAnswer(
        cause_sentence(implementation, cause),
        len(cause.cases),
        case,
        case.input or (),
        in_one_line(", ".join(f"{name} {text}" for name, text in values.items())),
    )


def _following(
    record: CheckRecord, implementation: ImplementationRecord, causes: tuple[Cause, ...], *, commands: bool
) -> list[tuple[str, str]]:
    if not causes:
        return []
    measure = [] if record.measure is None else ["--measure", record.measure]
    following = []
    if accepted := rules_accepted(implementation):
        right = [_expected_phrase(implementation, rule) for rule in accepted]
        option = option_of(implementation, implementation.followed or "")
        if (
            not commands
            and _is_textbook(implementation.convention)
            and (implementation.followed or "").startswith("default")
        ):
            option = "choices"  # as a test states them, so that no more is counted
        under = _short(implementation.followed or "")
        command = shlex.join(["rankspec", "check", *typed(implementation.name), *measure, f"--{option}", under])
        command = command if commands else f"{option}={under!r}"
        following = [("To fix it", "; ".join(map(imperative, right))), ("To accept it", command)]
    else:
        right = [_expected_phrase(implementation, cause.rule) for cause in causes if cause.rule]
        following = [("To fix it", "; ".join(map(imperative, filter(None, right))))] if any(right) else []
    is_open = any(not cause.rule and cause.cases[0].verdict is Verdict.WRONG for cause in causes)
    if not accepted and commands and (is_open or not causes[0].detail):
        label, verb = ("To fix it", "why") if causes[0].detail else ("What it follows", "identify")
        following += [(label, shlex.join(["rankspec", verb, *typed(implementation.name), *measure]))]
    return following


def typed(name: str) -> list[str]:
    """Return the words that name an implementation on a command line, of a value of a function its measure, too."""
    function, of_value, measure = name.rpartition(OF_VALUE)
    return [function, OF_VALUE.strip(), measure] if of_value else [name]


OF_VALUE = " --measure "  # Between a function and which of the values that it returns is meant


def _closing(implementation: ImplementationRecord) -> str:
    failing, known = len(implementation.unexpected), len(implementation.failing) - len(implementation.unexpected)
    aside = len(implementation.cases) - len(implementation.applicable)
    counts = [
        f"{implementation.conforming} pass",
        f"{failing} fail" if failing else "",
        f"{known} known to fail" if known else "",
        f"{aside} do not apply" if aside else "",
    ]
    return f"{', '.join(filter(None, counts))}."


def _expected_phrase(implementation: ImplementationRecord, rule: str) -> str:
    """Say what the convention does where a rule is followed instead; empty of one that is a whole convention."""
    convention, axis = convention_read(implementation.convention), rule.partition("=")[0]
    return "" if convention is None or axis not in AXES else AXES[axis].phrase(getattr(convention, axis))


def option_of(implementation: ImplementationRecord, convention: str) -> str:
    """Return which option of `check` states a convention so that what textbooks don't define is not counted again."""
    beyond = (case.detail.startswith(BEYOND_RANGE) for case in implementation.cases if not case.verdict.is_applicable)
    return "choices" if convention.startswith("default") and any(beyond) else "under"


def _called(convention: str, rule: str) -> str:
    """Return what a convention is called in a sentence about a rule; what textbooks leave open, they don't demand."""
    axis, read = rule.partition("=")[0], convention_read(convention)
    if _is_textbook(convention) and (read is None or axis not in read.differences()):
        return "the textbook" if axis in FIXED else "rankspec's default"
    return "the convention" if "[" in convention else in_one_line(convention)


def _is_textbook(text: str) -> bool:
    """Whether a convention is the default, or the default with choices that textbooks leave open."""
    convention = convention_read(text)
    return text.startswith("default") and convention is not None and FIXED.isdisjoint(convention.differences())


def differing_phrase(axis: str, convention: Convention) -> str:
    """Say what a convention does on an axis, and what textbooks do: `divides by k instead of R`."""
    own, right = (AXES[axis].phrase(getattr(each, axis)) for each in (convention, DEFAULT))
    words = right.split(" ")
    shared = next((at for at, (a, b) in enumerate(zip(own.split(" "), words, strict=False)) if a != b), 0)
    return own + (f" instead of {' '.join(words[shared:])}" if shared and not own.startswith(right) else "")


def imperative(phrase: str) -> str:
    """Turn a verb phrase into what to do: `divides by R` into `divide by R`.

    >>> imperative("does not interpolate"), imperative("scores a query without hits 0")
    ('do not interpolate', 'score a query without hits 0')
    """
    verb, _, rest = phrase.partition(" ")
    return f"{'do' if verb == 'does' else re.sub('s$', '', verb)} {rest}"
