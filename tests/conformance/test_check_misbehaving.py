"""A function that misbehaves on one question gets a verdict there; every other question has its answer."""

import json
import re
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest
from campaign import in_campaign, one_in
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.checks.check import CheckPlan, check
from rankspec.conformance.checks.recording import record_of
from rankspec.conformance.implementations.specs import ImportFailure, parse
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions.question import Question
from rankspec.conformance.reports.blocks import text
from rankspec.conformance.reports.checks.check import check_data, check_report
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.limits import LONGER_CALL, Limits
from rankspec.oracle.conventions.measure import Measure

ACTING = """
def f(relevance, num_relevant):
    if num_relevant != 13:
        return 0.5
    {act}
    return 0.75
"""
LIMITS = Limits(case_seconds=0.8, memory_bytes=200 * 1024**2)


def question(identity, given):
    read = case_input(given)
    return Question(identity, Measure("AP"), read.qrels, read.run, (identity,))


PLAIN = {"relevance": [0, 1], "num_relevant": 1}
TRIGGER = {"relevance": [1, 0, 1], "num_relevant": 13}
QUESTIONS = [question(f"q{number}", TRIGGER if number == 3 else PLAIN) for number in range(1, 6)]
"""Worth one half each, as `ACTING` says, but for the third."""


def found_of(place, limits=LIMITS):
    """Check, see that everything but the third answer is exact and that it can be reported, and return the third."""
    checked = check(Workers(parse(place), limits), CheckPlan(QUESTIONS))
    *before, third, fourth, fifth = checked.answers
    assert [answer.verdict for answer in (*before, fourth, fifth)] == [Verdict.EXACT] * 4
    assert_reported(checked)
    return checked, third


def assert_reported(checked):
    found = record_of([checked])
    assert checked.name in text(check_report(found), 200)
    assert len(json.loads(json.dumps(check_data(found), allow_nan=False))["implementations"]) == 1


# What comes of each: `run/test_hostile.py`. What the verdict on it is: `judge/test_verdicts.py`.
@one_in(2)
@pytest.mark.parametrize(
    ("act", "verdict", "detail"),
    [
        ("sys.exit('enough')", Verdict.ERROR, "SystemExit: enough"),
        ("__import__('ctypes').string_at(0)", Verdict.CRASH, "SIGSEGV"),
        ("return float('nan')", Verdict.UNDEFINED, ""),
        ("return -10**400", Verdict.WRONG, ""),
    ],
)
def test_what_a_function_does_on_one_question_has_a_verdict_there(acting, act, verdict, detail):
    _, third = found_of(acting(ACTING.format(act=act)))
    assert third.verdict is verdict
    assert detail in third.judgement.detail


# Functions written for the purpose: what they do depends on more than the question.


@pytest.fixture
def acting(written):
    return lambda body: written("import os, sys, time\n" + dedent(body))


PATIENT = Limits(case_seconds=3)


@pytest.mark.parametrize("seed", in_campaign(["0", "1"], but=["1"], ids=str))
def test_what_one_process_was_too_slow_for_is_asked_in_another(acting, seed):
    place = acting(f"""
        slow = os.environ["PYTHONHASHSEED"] == "{seed}" and not os.path.exists(__file__ + ".slow")
        calls = []
        def f(relevance, num_relevant):
            calls.append(1)
            if slow and len(calls) > 1:
                open(__file__ + ".slow", "w").close()
                time.sleep(1000)
            return 0.5
        """)
    checked = check(Workers(parse(place), replace(PATIENT, timeouts_in_a_row=1)), CheckPlan(QUESTIONS))
    assert Path(f"{place.partition(':')[0]}.slow").exists()
    assert Verdict.TIMEOUT not in {answer.verdict for answer in checked.answers}
    assert len(checked.answers) == len(QUESTIONS)


def test_a_crash_in_one_process_alone_is_unstable(acting):
    place = acting("""
        def f(relevance, num_relevant):
            if num_relevant == 13 and os.environ["PYTHONHASHSEED"] == "1":
                os._exit(3)
            return 0.5
        """)
    _, third = found_of(place)
    assert third.verdict is Verdict.UNSTABLE
    assert re.findall(r"[\d.]*\d", third.judgement.detail) == ["0.5", "0", "3", "1"]


@pytest.mark.campaign
def test_a_timeout_in_one_process_alone_is_a_timeout(acting):
    place = acting("""
        def f(relevance, num_relevant):
            while num_relevant == 13 and os.environ["PYTHONHASHSEED"] == "1":
                pass
            return 0.5
        """)
    checked, third = found_of(place)
    assert third.verdict is Verdict.TIMEOUT
    assert "0.8 s" in third.judgement.detail
    (remark,) = checked.remarks
    assert (remark[0], remark.endswith(LONGER_CALL)) == ("1", True)


def test_what_cannot_be_imported_a_second_time_fails_as_it_would_the_first_time(acting):
    place = acting("""
        open(__file__ + ".once", "x").close()
        def f(relevance, num_relevant):
            return 0.5
        """)
    with pytest.raises(ImportFailure, match="FileExistsError"):
        check(Workers(parse(place), LIMITS), CheckPlan(QUESTIONS))
