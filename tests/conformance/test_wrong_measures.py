"""The suite fails what is wrong on purpose beside AP too, and says what is wrong with it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest
from campaign import every
from rankspec.conformance.cases.catalogue import matching, shipped_cases
from rankspec.conformance.checks.answer import Checked
from rankspec.conformance.checks.check import Plan, check
from rankspec.conformance.checks.minimal_pair import outcome_text
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions.question import Question, questions_of
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.language.expression import parse_measure
from wrong.measures_catalogue import RIGHT, WRONG, Entry

FOLDER = Path(__file__).parents[1] / "wrong"


@cache
def questions(patterns: tuple[str, ...], measure: str) -> tuple[Question, ...]:
    """Ask some inputs under the measure that is stated."""
    cases = [case for pattern in patterns for case in matching(shipped_cases(), pattern)]
    return tuple(questions_of(cases, parse_measure(measure)))


def checked(entry: Entry) -> Checked:
    plan = Plan(questions(entry.cases, entry.measure), DEFAULT, fixed_measure=True)
    return check(parse(f"{FOLDER}/{entry.place}"), plan)


def told(found: Checked) -> str:
    answers = [
        f"{answer.question.id}: {answer.verdict.value} {outcome_text(answer.outcome)} {answer.judgement.detail}"
        for answer in found.nonconforming
    ]
    return "\n".join(answers) or "every answer conforms"


@pytest.mark.parametrize("entry", every(6, WRONG, lambda entry: entry.place))
def test_a_wrong_implementation_fails_and_its_fault_is_named(entry: Entry) -> None:
    found = checked(entry)
    fitting = [
        answer
        for answer in found.nonconforming
        if answer.verdict is Verdict(entry.verdict) and entry.names in answer.judgement.detail
    ]
    assert fitting, told(found)


@pytest.mark.parametrize("entry", every(3, RIGHT, lambda entry: f"{entry.place} {entry.measure}"))
def test_a_right_implementation_passes_whatever_it_can_be_asked(entry: Entry) -> None:
    found = checked(entry)
    assert not found.nonconforming, told(found)
    assert not found.mutated
    assert len(found.asked) > 10


@pytest.mark.parametrize(("module", "entries"), [("measures.py", WRONG), ("right_measures.py", RIGHT)])
def test_every_implementation_of_the_module_is_in_the_catalogue(module: str, entries: tuple[Entry, ...]) -> None:
    documented = {
        f"{module}:{node.name}"
        for node in ast.parse((FOLDER / module).read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node)
    }
    assert documented == {entry.place for entry in entries}


def test_the_catalogue_is_large() -> None:
    assert len({entry.place for entry in WRONG}) >= 40
