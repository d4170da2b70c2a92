"""Several implementations at once: what is found does not depend on how many at a time."""

import threading
import time
from types import SimpleNamespace

import pytest
from campaign import one_in
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.checks.check import Listener, Plan
from rankspec.conformance.checks.parallel import check_all
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions.question import Question
from rankspec.conformance.run import limits, session
from rankspec.conformance.run.limits import LONGER_STARTUP, Limits
from rankspec.conformance.run.worker_process import hear_greeting
from rankspec.oracle.conventions.measure import Measure
from refusals import assert_names, refused


def plan():
    read = case_input({"relevance": [0, 1], "num_relevant": 1})
    return Plan([Question(f"q{number}", Measure("AP"), read.qrels, read.run, ()) for number in range(5)])


def written(folder, name, body):
    path = folder / f"{name}.py"
    path.write_text(f"import os, time\n{body}\n", encoding="utf-8")
    return parse(f"{path}:f")


def half(folder, name, value="0.5"):
    return written(folder, name, f"def f(relevance, num_relevant):\n    return {value}")


# Each time with fewer jobs than implementations.
@one_in(2)
@pytest.mark.parametrize("jobs", [1, 3])
def test_the_first_that_can_not_be_loaded_is_reported(tmp_path, jobs):
    late = written(tmp_path, "late", "time.sleep(1)\nraise OSError('the first')")
    soon = written(tmp_path, "soon", "raise OSError('the second')")
    with refused("implementation-not-loaded", "first"):
        check_all([half(tmp_path, "fine"), late, soon], plan(), jobs=jobs)


def jumps(monkeypatch, module, begun):
    """Let the clock of a module go on by 1,000 s once a file is there; return the line that writes it."""
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + 1000 * begun.exists())
    monkeypatch.setattr(module, "time", clock)
    return f"open({str(begun)!r}, 'w').close()"


def test_the_answers_of_the_others_are_kept_where_one_is_not_ready_in_time(tmp_path, monkeypatch):
    """Its time is over once the other one is asked."""
    begun = tmp_path / "begun"
    slow = written(tmp_path, "slow", "time.sleep(1000)")
    fine = written(tmp_path, "fine", f"def f(relevance, num_relevant):\n    open({str(begun)!r}, 'w')\n    return 0.5")

    def heard(worker, start, how_it_ended):
        if start.implementation == slow:
            monkeypatch.setattr(worker, "clock", lambda: time.monotonic() + 1000 * begun.exists())
        return hear_greeting(worker, start, how_it_ended)

    monkeypatch.setattr(session, "hear_greeting", heard)
    found = check_all([slow, fine], plan(), Limits(startup_seconds=300), jobs=2)
    assert [checked.name for checked in found.checks] == [fine.text]
    assert {answer.verdict for answer in found.checks[0].answers} == {Verdict.EXACT}
    assert found.not_started == (slow.text,)
    assert found.not_ready == (found.reason,)
    assert_names(found.reason, slow.text, "300 s", LONGER_STARTUP)
    assert not found.complete


def test_none_that_is_ready_in_time_is_a_failure(tmp_path):
    slow = [written(tmp_path, name, "time.sleep(1000)") for name in ("one", "two")]
    with refused("not-ready", "one.py:f", "0.1 s", "two.py:f"):
        check_all(slow, plan(), Limits(startup_seconds=0.1), jobs=2)


def test_listeners_are_told_one_thing_at_a_time(tmp_path):
    busy = threading.Lock()
    told = []

    def listen(implementation):
        def hear(*_):
            assert busy.acquire(blocking=False)
            told.append(implementation.text)
            busy.release()

        return Listener(hear, hear, hear)

    names = [half(tmp_path, name) for name in ("one", "two", "three")]
    check_all(names, plan(), jobs=3, listen=listen)
    assert {told.count(each.text) for each in names} == {10 + 5 + 1}


def test_what_was_spent_before_counts(tmp_path):
    one = half(tmp_path, "one")
    found = check_all([one], plan(), run_seconds=300, spent=301)
    assert (found.not_started, found.complete) == ((one.text,), False)
    assert_names(found.reason, "300 s")


def test_what_there_was_no_time_for_is_not_started(tmp_path, monkeypatch):
    begin = jumps(monkeypatch, limits, tmp_path / "begun")
    slow = written(tmp_path, "slow", f"def f(relevance, num_relevant):\n    {begin}\n    time.sleep(1000)")
    found = check_all([slow, half(tmp_path, "other")], plan(), jobs=1, run_seconds=300)
    assert not found.complete
    assert found.not_started == (f"{tmp_path / 'other.py'}:f",)
    assert_names(found.reason, "300 s")
    assert all(answer.judgement.detail.endswith(found.reason) for answer in found.checks[0].answers)
