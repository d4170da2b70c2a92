"""The suite fails whatever is wrong on purpose, says what is wrong with it, and passes what is right."""

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
from rankspec.oracle.language.expression import parse_convention, parse_measure
from wrong.catalogue import CATALOGUE, CHANGES_ITS_ARGUMENTS, RIGHT, Entry

FOLDER = Path(__file__).parents[1] / "wrong"
MODULES = ("ranking.py", "labels_scores.py", "actual_predicted.py", "qrels_run.py", "right.py")


@cache
def questions(pattern: str, measure: str | None) -> tuple[Question, ...]:
    stated = None if measure is None else parse_measure(measure)
    return tuple(questions_of(matching(shipped_cases(), pattern), stated))


def checked(entry: Entry, pattern: str) -> Checked:
    plan = Plan(questions(pattern, entry.measure), parse_convention(entry.under), entry.measure is not None)
    return check(parse(f"{FOLDER}/{entry.place}"), plan)


def name(entry: Entry) -> str:
    return " ".join(filter(None, (entry.place, entry.measure, entry.under)))


def told(found: Checked) -> str:
    answers = [
        f"{answer.question.id}: {answer.verdict.value} {outcome_text(answer.outcome)} {answer.judgement.detail}"
        for answer in found.nonconforming
    ]
    return "\n".join(answers) or "every answer conforms"


@pytest.mark.parametrize("entry", every(8, CATALOGUE, name))
def test_a_wrong_implementation_fails_and_its_fault_is_named(entry: Entry) -> None:
    # The hand-derived cases are enough by themselves, and so a mistake in a document's case can't help.
    found = checked(entry, "edge.*")
    fitting = [
        answer
        for answer in found.nonconforming
        if answer.verdict is Verdict(entry.verdict) and entry.names in answer.judgement.detail
    ]
    assert fitting, told(found)


@pytest.mark.parametrize("entry", every(4, RIGHT, name))
def test_a_right_implementation_passes_whatever_it_can_be_asked(entry: Entry) -> None:
    found = checked(entry, "*")
    assert not found.nonconforming, told(found)
    assert not found.mutated
    assert len(found.asked) > 30


def test_whoever_changes_its_arguments_is_reported_though_its_answers_are_right() -> None:
    found = checked(CHANGES_ITS_ARGUMENTS, "edge.*")
    assert found.mutated
    assert not found.nonconforming, told(found)


def test_every_implementation_of_the_folder_is_in_the_catalogue() -> None:
    listed = {entry.place for entry in (*CATALOGUE, CHANGES_ITS_ARGUMENTS, *RIGHT)}
    documented = {
        f"{module}:{node.name}"
        for module in MODULES
        for node in ast.parse((FOLDER / module).read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node)
    }
    assert documented == listed


def test_the_catalogue_is_large_and_every_shape_has_two_right_ones() -> None:
    assert len({entry.place for entry in CATALOGUE}) >= 40
    for shape in ("ranking", "labels_scores", "actual_predicted", "qrels_run"):
        assert len({entry.place for entry in RIGHT if f":{shape}" in entry.place}) >= 2
