"""Programs that break the line protocol: each break is a verdict that names the case, and the others are answered."""

from __future__ import annotations

import shlex
import sys
import time
from fractions import Fraction
from pathlib import Path

import psutil
import pytest
from rankspec.conformance.implementations.specs import Implementation, ImportFailure, parse
from rankspec.conformance.run.limits import Halt, Limits
from rankspec.conformance.run.outcomes import (
    Crashed,
    Malformed,
    NotAsked,
    Number,
    Outcome,
    OutOfMemory,
    Report,
    TimedOut,
)
from rankspec.conformance.run.session import Session, ask
from rankspec.conformance.run.worker_process import NotReady, WorkerProcess
from rankspec.conformance.worker.arguments import RankedLabels
from rankspec.conformance.worker.messages import Call, Preparing
from rankspec.conformance.worker.values import Special

HARNESS = Path(__file__).parent / "broken_harness.py"
SHORT = Limits(case_seconds=0.4, startup_seconds=5)
ROOMY = Limits(memory_bytes=200 * 1024**2)
CALLS = [Call("AP", RankedLabels((1, 0, 1), 13 if index == 2 else 2)) for index in range(5)]
ANSWERED = Number(Fraction(3), "double")


def broken(mode: str) -> Implementation:
    return parse(f"jsonl:{shlex.join([sys.executable, '-S', '-E', str(HARNESS), mode])}")


def asked(mode: str, limits: Limits = SHORT) -> Report:
    return ask(broken(mode), CALLS, limits)


BREAKS: dict[str, type[Outcome] | str] = {
    "wrong_sequence": "it broke the protocol: seq 3 where 2 was expected",
    "earlier_sequence": "it broke the protocol: seq 1 where 2 was expected",
    "text_sequence": "it broke the protocol: result: seq is '2', not a whole number",
    "no_sequence": "it broke the protocol: result: seq is None, not a whole number",
    "twice": "it broke the protocol: a second result for call 2",
    "twice_later": "it broke the protocol: a second result for call 2",
    "half_a_line": 'exit code 0: {"type":"result","se',
    "exits": "exit code 3",
    "exits_well": "exit code 0",
    "raises": "exit code 1: ZeroDivisionError: division by zero",
    "segmentation_fault": "SIGSEGV",
    "unknown_type": 'it broke the protocol: not a message of type started or result: {"type":"progress","seq":2}',
    "log_line": 'it broke the protocol: not a message of type started or result: {"level":"info","message":"at work"}',
    "second_hello": "it broke the protocol: not a message of type started or result: {",
    "huge_line": "it broke the protocol: a line of more than 16 MiB",
    "huge_message": "it broke the protocol: a line of more than 16 MiB",
    "message_of_200_megabytes": "it broke the protocol: a line of more than 16 MiB",
    "many_values": "it broke the protocol: a line of more than 16 MiB",
    "started_twice": "it broke the protocol: call 2 has been started already",
    "endless_noise": "it broke the protocol: lines without end that are no messages",
    "endless_blank_lines": "it broke the protocol: lines without end that are no messages",
    "endless_errors": "it broke the protocol: lines without end that are no messages",
    "deep_json": "it broke the protocol: nested too deeply: [[[",
    "closes_output": "it closed its standard output",
    "forks_and_leaves": "exit code 0",
    "silence": "no answer",
    "half_a_line_and_stays": "no answer",
    "garbage_then_silence": "no answer",
    "closes_input_and_stays": "no answer",
    "takes_memory": "memory",
    "unknown_outcome": "its result is not an answer: there is no outcome 'splendid'",
    "no_number": "its result is not an answer: not a number: 'a half'",
    "null": "its result is not an answer: null is not a number",
    "list": "its result is not an answer: [0.5] is not a number",
    "pairs_broken": 'its result is not an answer: ["q", 1, 2] is not a pair of a query and its number',
}


def said(outcome: Outcome) -> str:
    match outcome:
        case Crashed(how, _):
            return how
        case Malformed(reason):
            return reason
        case TimedOut():
            return "no answer"
        case OutOfMemory():
            return "memory"
        case _:
            return repr(outcome)


@pytest.mark.campaign
@pytest.mark.parametrize("mode", BREAKS)
def test_a_break_is_the_outcome_of_the_call_at_which_it_happens(mode: str) -> None:
    report = asked(mode, SHORT if BREAKS[mode] == "no answer" else ROOMY)
    assert said(report.outcomes[2]).startswith(BREAKS[mode])
    assert [report.outcomes[index] for index in (0, 1, 3, 4)] == [ANSWERED] * 4


@pytest.mark.parametrize(
    "mode",
    [
        "noise",
        "noise_on_stderr",
        "noise_first",
        "starts",
        "byte_order_mark",
        "crlf",
        "spaces",
        "forks_a_child",
        "child_prints",
        "closes_input",
        "ignores_the_end",
    ],
)
def test_what_breaks_nothing_is_no_outcome(mode: str) -> None:
    report = asked(mode)
    assert report.outcomes == (ANSWERED,) * 5
    assert report.incidents == ()


@pytest.mark.parametrize(
    ("mode", "printed"),
    [("noise", "loading...\n"), ("noise_on_stderr", "warning\n"), ("child_prints", "from a child\n")],
)
def test_noise_is_kept_for_the_report(mode: str, printed: str) -> None:
    assert printed in asked(mode).output


def test_a_line_that_is_no_json_costs_the_call_its_answer() -> None:
    """The next result is one too early: it is at fault itself when it is asked first."""
    report = asked("garbage")
    assert said(report.outcomes[2]).startswith("it broke the protocol: seq 3 where 2 was expected")
    assert [report.outcomes[index] for index in (0, 1, 3, 4)] == [ANSWERED] * 4


@pytest.mark.campaign
def test_silence_after_a_line_that_is_no_json_says_so() -> None:
    only = CALLS[2:3]
    [outcome] = ask(broken("invalid_json"), only, SHORT).outcomes
    assert isinstance(outcome, TimedOut)
    assert outcome.remark.startswith('its last line is not JSON: {"type":"result","seq":0')
    [outcome] = ask(broken("silence"), only, SHORT).outcomes
    assert isinstance(outcome, TimedOut)
    assert "does it flush its output after each line?" in outcome.remark


def test_a_number_beyond_the_doubles_is_infinite() -> None:
    assert asked("huge_number").outcomes[2] == Number(Special.INFINITY, "double")


def test_results_out_of_order_are_held_against_each_call_but_the_last() -> None:
    report = asked("out_of_order")
    assert [said(outcome) for outcome in report.outcomes[:4]] == [
        f"it broke the protocol: seq 4 where {due} was expected" for due in range(4)
    ]
    assert report.outcomes[4] == ANSWERED


def test_who_always_answers_twice_does_not_pass_and_is_not_asked_for_ever() -> None:
    report = asked("always_twice")
    assert [said(outcome) for outcome in report.outcomes[:4]] == [
        f"it broke the protocol: a second result for call {seq}" for seq in range(4)
    ]  # nobody listens any more when the last one is answered again
    many = ask(broken("always_twice"), CALLS * 20, Limits(crashes_in_a_row=3))
    assert many.outcomes[-1] == NotAsked("ended after it broke the protocol 3 times")
    assert not any(isinstance(outcome, Number) for outcome in many.outcomes)


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        (
            "exits_before_hello",
            "the process ended (exit code 1: cannot find the model), before it greeted with a hello",
        ),
        ("wrong_version", "it broke the protocol: hello: protocol 2, this harness speaks 1, before"),
        ("no_version", "it broke the protocol: hello: protocol None, this harness speaks 1, before"),
        ("hello_without_measures", 'hello: measures names none; write {"AP": {}}, for instance'),
        ("hello_of_another_shape", "hello: shape is 'circle'; there are ranking, labels-scores"),
        ("result_first", "not a message of type hello or failed"),
        ("fails", "the licence has expired"),
        ("closes_output_at_once", "the process ended (it closed its standard output)"),
        ("no_hello", "it was not ready after 0.5 s (no answer at all so far; does it flush its output"),
        ("no_hello_but_noise", "it broke the protocol: lines without end that are no messages, before it greeted"),
        ("no_hello_but_blank_lines", "it broke the protocol: lines without end that are no messages, before it"),
        ("no_hello_but_errors", "it broke the protocol: lines without end that are no messages, before it greeted"),
        ("prepares_without_end", "it broke the protocol: preparing: seconds is True, no number above 0, before"),
    ],
)
def test_who_does_not_greet_is_not_asked(mode: str, reason: str) -> None:
    seconds = 0.5 if mode == "no_hello" else 60
    with pytest.raises(ImportFailure) as caught:
        asked(mode, Limits(startup_seconds=seconds))
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(broken(mode).text)


def test_a_program_says_that_it_takes_longer_and_what_it_is_doing() -> None:
    halt = Halt()
    heard: list[Preparing] = []
    halt.on_preparing = heard.append
    assert ask(broken("prepares"), CALLS, halt=halt).outcomes == (ANSWERED,) * 5
    assert heard == [Preparing("warming up", 400)]
    with pytest.raises(NotReady, match=r"not ready after 0\.1 s .*, while it was warming up; --startup-seconds"):
        ask(broken("prepares_for_ever"), CALLS)


def test_a_program_that_cannot_be_executed_says_so(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"\x00\x01\x02\x03")
    program.chmod(0o755)
    with pytest.raises(ImportFailure, match="can't be started"):
        ask(parse(f"jsonl:{program}"), [])


def test_a_session_goes_on_with_the_same_program() -> None:
    with Session(broken("right"), SHORT) as session:
        assert session.hello.name == "broken"
        for _ in range(3):
            assert session.ask(CALLS).outcomes == (ANSWERED,) * 5


@pytest.mark.parametrize("mode", ["ignores_the_end", "forks_a_child", "forks_and_leaves", "silence"])
def test_nothing_is_left_behind(mode: str) -> None:
    started = time.time()
    asked(mode)
    left = [
        process
        for process in psutil.process_iter(["cmdline", "create_time"])
        if str(HARNESS) in (process.info["cmdline"] or [])
        and mode in process.info["cmdline"]
        and process.info["create_time"] >= started - 1
        and process.status() != psutil.STATUS_ZOMBIE
    ]
    assert left == []


@pytest.mark.parametrize("mode", ["endless_noise", "endless_blank_lines", "endless_errors", "huge_line", "deep_json"])
def test_who_prints_without_end_is_done_with_before_its_time_is_over(mode: str) -> None:
    report = asked(mode, Limits(case_seconds=60))
    assert said(report.outcomes[2]).startswith(BREAKS[mode])
    assert [report.outcomes[index] for index in (0, 1, 3, 4)] == [ANSWERED] * 4


def test_breaches_are_counted_over_all_processes_and_lists_of_calls() -> None:
    halt = Halt()
    reports = []
    for _ in range(2):
        with Session(broken("huge_line"), Limits(crashes_in_a_row=3), halt=halt) as session:
            reports += [session.ask(CALLS) for _ in range(2)]
    assert halt.patience.breaches == 3
    assert reports[-1].outcomes == (NotAsked("ended after it broke the protocol 3 times"),) * len(CALLS)


def test_what_it_printed_that_was_read_is_bounded() -> None:
    worker = WorkerProcess({}, ["yes"], memory_bytes=1 << 30, is_program=True)
    try:
        while not (lines := worker.lines(60)):
            pass
        assert len(lines) < 2**17
    finally:
        worker.end()
