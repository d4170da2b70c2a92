"""Programs that break the line protocol: each break is a verdict that names the case, and the others are answered."""

import shlex
import sys
import time
from fractions import Fraction
from pathlib import Path

import psutil
import pytest
from campaign import one_in
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.run.limits import Halt, Limits
from rankspec.conformance.run.outcomes import Crashed, Malformed, NotCalled, Number, OutOfMemory, TimedOut
from rankspec.conformance.run.processes import BROKE, CLOSED_OUTPUT, how_it_ended
from rankspec.conformance.run.session import Session, ask
from rankspec.conformance.run.worker_process import WorkerProcess
from rankspec.conformance.worker.arguments import RankedLabels
from rankspec.conformance.worker.messages import Call, Preparing
from refusals import assert_names, refused

HARNESS = Path(__file__).parent / "broken_harness.py"
SHORT = Limits(case_seconds=0.4, startup_seconds=5)
ROOMY = Limits(memory_bytes=200 * 1024**2)
CALLS = [Call("AP", RankedLabels((1, 0, 1), 13 if index == 2 else 2)) for index in range(5)]
ANSWERED = Number(Fraction(3), "double")


def broken(mode):
    return parse(f"jsonl:{shlex.join([sys.executable, '-S', '-E', str(HARNESS), mode])}")


def asked(mode, limits=SHORT):
    return ask(broken(mode), CALLS, limits)


NO_ANSWER, MEMORY = "no answer", "memory"
BREAKS = {
    "wrong_sequence": (BROKE, "seq 3", 2),
    "earlier_sequence": (BROKE, "seq 1", 2),
    "text_sequence": (BROKE, "'2'"),
    "no_sequence": (BROKE, "None"),
    **dict.fromkeys(("twice", "twice_later"), (BROKE, "call 2")),
    "half_a_line": (how_it_ended(0), '{"type":"result","se'),
    "exits": (how_it_ended(3),),
    **dict.fromkeys(("exits_well", "forks_and_leaves"), (how_it_ended(0),)),
    "raises": (how_it_ended(1), "ZeroDivisionError: division by zero"),
    "segmentation_fault": ("SIGSEGV",),
    "unknown_type": (BROKE, '{"type":"progress","seq":2}'),
    "log_line": (BROKE, '{"level":"info","message":"at work"}'),
    "second_hello": (BROKE, "started", "result", "{"),
    **dict.fromkeys(("huge_line", "huge_message", "message_of_200_megabytes", "many_values"), (BROKE, "16 MiB")),
    "started_twice": (BROKE, "call 2"),
    **dict.fromkeys(("endless_noise", "endless_blank_lines", "endless_errors"), (BROKE,)),
    "deep_json": (BROKE, "[[["),
    "closes_output": (CLOSED_OUTPUT,),
    **dict.fromkeys(
        ("silence", "half_a_line_and_stays", "garbage_then_silence", "closes_input_and_stays"), (NO_ANSWER,)
    ),
    "takes_memory": (MEMORY,),
    "unknown_outcome": ("'splendid'",),
    "no_number": ("'a half'",),
    "null": ("null",),
    "list": ("[0.5]",),
    "pairs_broken": ('["q", 1, 2]',),
}


def said(outcome):
    match outcome:
        case Crashed(how, _):
            return how
        case Malformed(reason):
            return reason
        case TimedOut():
            return NO_ANSWER
        case OutOfMemory():
            return MEMORY
        case _:
            return repr(outcome)


@pytest.mark.campaign
@pytest.mark.parametrize("mode", BREAKS)
def test_a_break_is_the_outcome_of_the_call_at_which_it_happens(mode):
    report = asked(mode, SHORT if BREAKS[mode] == (NO_ANSWER,) else ROOMY)
    assert_names(said(report.outcomes[2]), *BREAKS[mode])
    assert [report.outcomes[index] for index in (0, 1, 3, 4)] == [ANSWERED] * 4


@one_in(3)
@pytest.mark.parametrize(
    "mode",
    [
        *("noise", "noise_on_stderr", "noise_first", "starts", "byte_order_mark", "crlf", "spaces", "forks_a_child"),
        *("child_prints", "closes_input", "ignores_the_end"),
    ],
)
def test_what_breaks_nothing_is_no_outcome(mode):
    report = asked(mode)
    assert report.outcomes == (ANSWERED,) * 5
    assert report.incidents == ()


@pytest.mark.parametrize(
    ("mode", "printed"),
    [("noise", "loading...\n"), ("noise_on_stderr", "warning\n"), ("child_prints", "from a child\n")],
)
def test_noise_is_kept_for_the_report(mode, printed):
    assert printed in asked(mode).output


def test_a_line_that_is_no_json_costs_the_call_its_answer():
    """The next result is one too early: it is at fault itself when it is asked first."""
    report = asked("garbage")
    assert said(report.outcomes[2]).startswith(f"{BROKE}: seq 3 ")
    assert [report.outcomes[index] for index in (0, 1, 3, 4)] == [ANSWERED] * 4


def test_results_out_of_order_are_held_against_each_call_but_the_last():
    report = asked("out_of_order")
    for due, outcome in enumerate(report.outcomes[:4]):
        assert_names(said(outcome), BROKE, "seq 4", due)
    assert report.outcomes[4] == ANSWERED


def test_who_always_answers_twice_does_not_pass_and_is_not_asked_for_ever():
    report = asked("always_twice")
    for seq, outcome in enumerate(report.outcomes[:4]):  # nobody listens when the last one is answered again
        assert_names(said(outcome), BROKE, seq)
    many = ask(broken("always_twice"), CALLS * 20, Limits(crashes_in_a_row=3))
    assert many.outcomes[-1] == NotCalled(many.ended)
    assert_names(many.ended, BROKE, 3)
    assert not any(isinstance(outcome, Number) for outcome in many.outcomes)


@one_in(2)
@pytest.mark.parametrize(
    ("mode", "tokens"),
    [
        ("exits_before_hello", (how_it_ended(1), "cannot find the model", "hello")),
        ("wrong_version", (BROKE, "protocol 2", "1")),
        ("no_version", (BROKE, "protocol None", "1")),
        ("hello_without_measures", (BROKE, "measures", '{"AP": {}}')),
        ("hello_of_another_shape", (BROKE, "'circle'", "labels-scores")),
        ("result_first", (BROKE, "hello", "failed")),
        ("fails", ("the licence has expired",)),
        ("closes_output_at_once", (CLOSED_OUTPUT,)),
        ("no_hello", ("0.5 s", "flush")),
        ("no_hello_but_noise", (BROKE, "hello")),
        ("no_hello_but_blank_lines", (BROKE, "hello")),
        ("no_hello_but_errors", (BROKE, "hello")),
        ("prepares_without_end", (BROKE, "seconds", "True")),
    ],
)
def test_who_does_not_greet_is_not_asked(mode, tokens):
    seconds = 0.5 if mode == "no_hello" else 60
    code = "not-ready" if mode == "no_hello" else "implementation-not-loaded"
    with refused(code, broken(mode).text, *tokens):
        asked(mode, Limits(startup_seconds=seconds))


def test_a_program_says_that_it_takes_longer_and_what_it_is_doing():
    halt = Halt()
    heard = []
    halt.on_preparing = heard.append
    assert ask(broken("prepares"), CALLS, halt=halt).outcomes == (ANSWERED,) * 5
    assert heard == [Preparing("warming up", 400)]
    with refused("not-ready", "0.1 s", "warming", "--startup-seconds"):
        ask(broken("prepares_for_ever"), CALLS)


def test_a_program_that_cannot_be_executed_says_so(tmp_path):
    program = tmp_path / "program"
    program.write_bytes(b"\x00\x01\x02\x03")
    program.chmod(0o755)
    with refused("implementation-not-loaded"):
        ask(parse(f"jsonl:{program}"), [])


@pytest.mark.parametrize("mode", ["ignores_the_end", "forks_a_child", "forks_and_leaves", "silence"])
def test_nothing_is_left_behind(mode):
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


@one_in(2)
@pytest.mark.parametrize("mode", ["endless_noise", "endless_blank_lines", "endless_errors", "huge_line", "deep_json"])
def test_who_prints_without_end_is_done_with_before_its_time_is_over(mode):
    report = asked(mode, Limits(case_seconds=60))
    assert_names(said(report.outcomes[2]), *BREAKS[mode])
    assert [report.outcomes[index] for index in (0, 1, 3, 4)] == [ANSWERED] * 4


def test_breaches_are_counted_over_all_processes_and_lists_of_calls():
    halt = Halt()
    reports = []
    for _ in range(2):
        with Session(broken("huge_line"), Limits(crashes_in_a_row=3), halt=halt) as session:
            reports += [session.ask(CALLS) for _ in range(2)]
    assert halt.patience.breaches == 3
    assert reports[-1].outcomes == (NotCalled(reports[-1].ended),) * len(CALLS)
    assert_names(reports[-1].ended, BROKE, 3)


def test_what_it_printed_that_was_read_is_bounded():
    worker = WorkerProcess({}, ["yes"], memory_bytes=1 << 30, is_program=True)
    try:
        while not (lines := worker.lines(60)):
            pass
        assert len(lines) < 2**17
    finally:
        worker.end()
