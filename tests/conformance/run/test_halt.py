"""Stopping a session: nothing more is asked, what is being asked is given up, and it is said why."""

import threading
import time

import pytest
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.run.limits import Halt, Halted
from rankspec.conformance.run.outcomes import NotCalled, Number
from rankspec.conformance.run.session import Session, ask
from rankspec.conformance.worker.arguments import RankedLabels
from rankspec.conformance.worker.messages import Call
from refusals import assert_names

CALLS = [Call("AP", RankedLabels((1,) * length, length)) for length in range(1, 6)]


def written(folder, source):
    path = folder / "own.py"
    path.write_text(f"import time\n{source}\n", encoding="utf-8")
    return parse(f"{path}:f")


def hanging(folder):
    return written(
        folder, "def f(relevance):\n    while len(relevance) == 3:\n        time.sleep(1)\n    return len(relevance)"
    )


def test_the_first_reason_stays():
    halt = Halt()
    assert halt.reason == ""
    halt.stop("one")
    halt.stop("two")
    assert halt.reason == "one"
    assert halt.interrupted


def test_time_is_a_reason_and_no_interruption():
    halt = Halt(0.0001)
    time.sleep(0.01)
    halt.stop("too late")
    assert_names(halt.reason, "0.0001 s")
    assert not halt.interrupted


def test_what_was_answered_stays_and_the_rest_is_not_asked(tmp_path):
    halt = Halt()
    told = []

    def hear(index, _):
        told.append(index)
        if index == 1:
            threading.Timer(0.2, halt.stop, ["enough"]).start()

    report = ask(hanging(tmp_path), CALLS, on_outcome=hear, halt=halt)
    assert [isinstance(outcome, Number) for outcome in report.outcomes] == [True, True, False, False, False]
    assert set(report.outcomes[2:]) == {NotCalled("enough")}
    assert (report.known, report.ended) == (2, "enough")
    assert told == [0, 1]


def test_a_session_that_was_stopped_stays_so(tmp_path):
    halt = Halt()
    with Session(written(tmp_path, "def f(relevance): return 1"), halt=halt) as session:
        assert session.ask(CALLS).known == 5
        halt.stop("enough")
        assert session.ask(CALLS).known == 0
        assert session.ask(CALLS).outcomes == (NotCalled("enough"),) * 5


def test_an_import_is_given_up(tmp_path):
    halt = Halt(0.5)
    with pytest.raises(Halted, match=r"0\.5 s"):
        ask(written(tmp_path, "time.sleep(1000)"), CALLS, halt=halt)
