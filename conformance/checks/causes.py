"""Why answers do not conform: failures that one rule, or one exception, accounts for are one cause."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from rankspec.conformance.checks.records import CaseRecord, ImplementationRecord
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.oracle.conventions.convention import AXES, Convention, parse_setting, setting_text
from rankspec.oracle.errors import UserError
from rankspec.oracle.language.expression import parse_convention

# Of the forty conventions near by, one or another demands a wrong answer by chance: a rule that accounts for fewer than
# a quarter of what is left explains nothing.
_LEAST_SHARE = 4
_SAY_THEMSELVES = frozenset({Verdict.ERROR, Verdict.CRASH, Verdict.TIMEOUT, Verdict.UNSTABLE, Verdict.UNDEFINED})
"""Verdicts whose detail is the cause: an exception, a value where the convention has none."""
_NAMED = re.compile(r"'[^']*'|\"[^\"]*\"|\b\d+\b")


@dataclass(frozen=True)
class Cause:
    """One reason for which answers do not conform."""

    cases: tuple[CaseRecord, ...]  # the answers, those of the smallest inputs first
    rule: str = ""  # what is followed instead: `denominator=cutoff`, or a convention's name; empty where none is known
    detail: str = ""  # where no rule is known, what is: an exception, or what identifying it said; else empty


def causes_of(implementation: ImplementationRecord) -> tuple[Cause, ...]:
    """Return the causes of the failures that are not known, the largest first."""
    failing = sorted(implementation.unexpected, key=lambda case: case.size)  # stable: the order of the cases stays
    by_cause: dict[tuple[str, str], list[CaseRecord]] = {}
    details: dict[str, str] = {}
    if accepted := rules_accepted(implementation):  # a case that takes several of them goes with the commonest
        rules, rest = accepted, (accepted[0], "")
    else:
        rest = ("", implementation.diagnosis_text or "")
        # What accounts for all answers is the cause; how many answers follow a convention is said of the others alone.
        diagnosis = implementation.diagnosis
        is_partial = diagnosis is not None and diagnosis.status in {"identified", "ambiguous"}
        rules = [] if implementation.diagnosis_text and not is_partial else _commonest_rules(failing)
    for case in failing:
        rule = next((each for each in rules if each in case.conventions), "")
        says_itself = case.verdict in _SAY_THEMSELVES and not accepted
        # An exception that names a document, a query or a number is one cause, whichever it names.
        detail = case.detail or case.got
        if case.verdict is Verdict.ERROR:
            detail = details.setdefault(_NAMED.sub("_", detail), detail)
        cause = (rule, "") if rule else ("", detail) if says_itself else rest
        by_cause.setdefault(cause, []).append(case)
    causes = (Cause(tuple(cases), rule, detail) for (rule, detail), cases in by_cause.items())
    return tuple(sorted(causes, key=lambda cause: -len(cause.cases)))


def rules_accepted(implementation: ImplementationRecord) -> list[str]:
    """Return the settings with which every answer conforms, the commonest first; none where these are not known."""
    held_to, followed = convention_read(implementation.convention), convention_read(implementation.followed)
    if held_to is None or followed is None:
        return []
    # A program's convention has settings of measures that nobody asked about, and of what this one is never given.
    differing = [f"{axis}={setting_text(setting)}" for axis, setting in followed.differences(held_to).items()]
    counted = Counter(rule for case in implementation.unexpected for rule in case.conventions)
    blamed = sorted((rule for rule in differing if counted[rule]), key=lambda rule: -counted[rule])
    return blamed or differing


def convention_read(text: object) -> Convention | None:
    """Return the convention of a record; None of one that another version wrote and this one does not know."""
    try:
        return parse_convention(text) if isinstance(text, str) else None
    except UserError:
        return None


def rule_phrase(rule: str) -> str:
    """Say what an implementation does that follows a rule; empty for what is no setting of a known axis.

    >>> rule_phrase("denominator=cutoff"), rule_phrase("kaggle")
    ('divides by k', '')
    """
    axis, _, value = rule.partition("=")
    try:
        return AXES[axis].phrase(parse_setting(axis, value))
    except (KeyError, UserError):
        return ""


def _commonest_rules(failing: Iterable[CaseRecord]) -> list[str]:
    """Return rules that account for most failures, each for many of those that the ones before it leave."""
    # None where most failures have no rule: then those that a rule happens to demand have the cause of the others.
    values = [case for case in failing if case.verdict not in _SAY_THEMSELVES]
    left = [case for case in failing if case.conventions]
    if 2 * sum(bool(case.conventions) for case in values) < len(values):
        return []
    rules: list[str] = []
    while left:
        counted = Counter(rule for case in left for rule in case.conventions)
        # Of rules that account for as many, a setting says more than the name of a convention that has it.
        rule, count = max(counted.items(), key=lambda item: (item[1], "=" in item[0]))
        if count * _LEAST_SHARE < len(left):
            break
        rules.append(rule)
        left = [case for case in left if rule not in case.conventions]
    return rules
