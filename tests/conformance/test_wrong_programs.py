"""The suite fails whatever is wrong on purpose, says what is wrong with it, and passes what is right."""

import ast
import inspect
import math
import runpy
from functools import cache
from pathlib import Path

import pytest
from campaign import in_campaign
from identified_in_process import judged
from oracle_implementations import implementation_of
from rankspec.conformance.cases.catalogue import matching, shipped_cases
from rankspec.conformance.checks import check
from rankspec.conformance.checks.check import Listener, Plan, check_connected
from rankspec.conformance.checks.minimal_pair import outcome_text
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions import rendering
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.run.limits import Halt, Limits
from rankspec.oracle import DEFAULT
from rankspec.oracle.conventions.families import FAMILIES, UNSTATED
from rankspec.oracle.language.expression import family_in, parse_convention, parse_measure
from wrong.catalogue import CHANGES_ITS_ARGUMENTS, DIFFERS_BY_PROCESS, RIGHT, WRONG

FOLDER = Path(__file__).parents[1] / "wrong"
SHORT = 24
"""Documents of the lists that wrong implementations are asked: short ones tell their faults, and take half the time."""


@pytest.fixture(autouse=True)
def _names_of_faults(monkeypatch):
    """The catalogue's functions are named by what is wrong with them, which tells no measure."""
    for module in (check, rendering):
        monkeypatch.setattr(module, "measure_by_name", lambda _: None)


@cache
def questions(patterns, measure):
    stated = None if measure is None else parse_measure(measure)
    cases = [case for pattern in patterns for case in matching(shipped_cases(), pattern)]
    if stated is None:  # a function of one's own is asked about AP alone
        cases = [case for case in cases if family_in(case.measure) == UNSTATED]
    return tuple(questions_of(cases, stated))


def checked(entry, is_enough=lambda _: False, most=math.inf):
    """Check an implementation in this process, by the connection that a user's function object has.

    What is enough of an answer ends the check, as Ctrl-C does: the rest is left out. So are lists of more documents
    than `most`.
    """
    connectable = connectable_of(entry)
    asked = tuple(each for each in questions(entry.cases, entry.measure) if each.size[1] <= most)
    if not connectable.is_fresh:  # asked again backwards, and judged then: what is small comes first
        asked = tuple(sorted(asked, key=lambda question: question.size, reverse=True))
    plan = Plan(asked, parse_convention(entry.under), entry.measure is not None)

    def listen(answer):
        if is_enough(answer):
            connectable.halt.stop("enough")

    return check_connected(connectable, plan, Listener(on_answer=listen))


def connectable_of(entry):
    if entry.place in DIFFERS_BY_PROCESS:
        return Workers(parse(f"{FOLDER}/{entry.place}"), Limits(), Halt())
    path, _, function = entry.place.partition(":")
    # Some remember what they were asked: each check gets a module of its own.
    return InProcess(runpy.run_path(str(FOLDER / path), run_name="wrong")[function])


def name(entry):
    return " ".join(filter(None, (entry.place, entry.measure, entry.under)))


def answers_of(checked):
    answers = [
        f"{answer.question.id}: {answer.verdict.value} {outcome_text(answer.outcome)} {answer.judgement.detail}"
        for answer in checked.nonconforming
    ]
    return "\n".join(answers)


EACH_TIME = {
    *("over_relevant_plus_one", "singles_inside", "divides_by_zero", "cutoff_beyond_the_list", "noisy"),
    *("ties_by_quicksort", "duplicates_refused", "threshold_ignored"),
    *("one_query_too_many", "counts_in_the_qrels"),
    *("ranking_exactly", "labels_scores_blocks", "actual_predicted_once", "qrels_run_mean", "qrels_run_rbp"),
}
"""A program of each kind of fault, and a right one of each shape. What differs by process is asked in several of them:
checks/test_stability.py has one of each kind every time."""


def rows(entries):
    """Return those of which one is tried every time, and in the campaign the others."""
    every_time = [name(entry) for entry in entries if entry.place.partition(":")[2] in EACH_TIME]
    return in_campaign(entries, but=every_time, ids=name)


@pytest.mark.parametrize("entry", rows(WRONG))
def test_a_wrong_implementation_fails_and_its_fault_is_named(entry):
    def fits(answer):
        return answer.verdict is Verdict(entry.verdict) and entry.names in answer.judgement.detail

    # The hand-derived cases are enough by themselves, and so a mistake in a document's case can't help.
    result = checked(entry, fits, SHORT)
    assert any(map(fits, result.nonconforming)), answers_of(result)


@pytest.mark.parametrize("entry", rows(RIGHT))
def test_a_right_implementation_passes_whatever_it_can_be_asked(entry):
    result = checked(entry)
    assert not result.nonconforming, answers_of(result)
    assert not result.mutated
    assert result.asked


def test_whoever_changes_its_arguments_is_reported_though_its_answers_are_right():
    result = checked(CHANGES_ITS_ARGUMENTS)
    assert result.mutated
    assert not result.nonconforming, answers_of(result)


def worst_lost(qrels, run):
    """Lose the last document of each list."""
    return qrels, {query: dict(sorted(scores.items(), key=lambda pair: -pair[1])[:-1]) for query, scores in run.items()}


def others_relevant(qrels, run):
    """Take the nonrelevant documents for the relevant ones."""
    return {query: {docno: int(grade == 0) for docno, grade in grades.items()} for query, grades in qrels.items()}, run


CHANGES = {
    "lost": (worst_lost, 1),
    "turned round": (others_relevant, 1),
    "a billionth off": (lambda qrels, run: (qrels, run), 1 + 1e-9),
}
UNMOVED = {
    "lost": {"NumQ", "NumRel", "prefs_num_prefs_poss"},
    "turned round": {"NumQ", "NumRet", "RBPResidual"},
    "a billionth off": set(),
}
"""The measures that a change leaves what they are."""


@pytest.mark.parametrize("family", in_campaign(FAMILIES, but=["NumRet"], ids=str))
def test_no_measure_passes_that_reads_its_input_otherwise_or_is_a_little_off(family):
    """A few of hundreds of cases are enough."""
    example = FAMILIES[family].example
    asked = [each for each in questions(("edge.*",), example) if sum(each.size) <= SHORT][::5]
    right = implementation_of(parse_measure(example), DEFAULT, "qrels-run")
    assert all(judgement.verdict.conforms for judgement in judged(right, asked, DEFAULT).values())
    for change, (changed, factor) in CHANGES.items():

        def wrong(qrels, run, *cutoff, changed=changed, factor=factor):
            return factor * right(*changed(qrels, run), *cutoff)

        wrong.__signature__ = inspect.signature(right)
        passes = all(judgement.verdict.conforms for judgement in judged(wrong, asked, DEFAULT).values())
        assert passes == (family in UNMOVED[change]), change


def test_every_implementation_of_the_folder_is_in_the_catalogue():
    modules = ("ranking", "labels_scores", "actual_predicted", "qrels_run", "right")
    documented = {
        f"{module}.py:{node.name}"
        for module in modules
        for node in ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node)
    }
    listed = {entry.place for entry in (*WRONG, CHANGES_ITS_ARGUMENTS, *RIGHT)}
    assert documented == {place for place in listed if not place.startswith("unsteady")}
