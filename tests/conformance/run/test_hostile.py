"""Whatever an implementation does is an outcome; the other calls are answered; nothing is left behind."""

from __future__ import annotations

import uuid
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import psutil
import pytest
from campaign import in_campaign
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.run import processes
from rankspec.conformance.run.limits import Limits
from rankspec.conformance.run.outcomes import (
    Crashed,
    Malformed,
    Number,
    Outcome,
    OutOfMemory,
    PerQuery,
    Raised,
    Report,
    TimedOut,
)
from rankspec.conformance.run.processes import how_it_ended
from rankspec.conformance.run.session import ask
from rankspec.conformance.worker.arguments import RankedLabels
from rankspec.conformance.worker.messages import Call
from rankspec.conformance.worker.values import Special

HOSTILE = Path(__file__).with_name("hostile.py")
HALF = Number(Fraction(1, 2), "float")
ANSWERED = Number(Fraction(3, 4), "float")
CLOSED = Crashed(processes.CLOSED)
INTERFERED = Crashed(processes.INTERFERED)
PATIENT = Limits(case_seconds=20, memory_bytes=200 * 1024**2)
"""For what comes to an end by itself, however busy the machine is."""
HURRIED = Limits(case_seconds=2, memory_bytes=200 * 1024**2)
"""For what never does: the limit is waited for."""
TIMED_OUT = TimedOut(2)

EOF = "EOF when reading a line"
"""Python's own words."""

EXACT: dict[str, Outcome] = {
    "loops": TIMED_OUT,
    "sleeps": TIMED_OUT,
    "loops_in_c": TIMED_OUT,
    "answers_too_late": TIMED_OUT,
    "ignores_signals_and_sleeps": TIMED_OUT,
    "stops_itself": TIMED_OUT,
    "swallows_everything_and_loops": TIMED_OUT,
    "prints_for_ever": Crashed(processes.FLOODED),
    "returns_an_object_whose_repr_hangs": TIMED_OUT,
    "puts_half_a_line_on_every_descriptor_and_sleeps": TIMED_OUT,
    "waits_for_a_thread_that_never_ends": TIMED_OUT,
    "exits_at_once": Crashed(how_it_ended(3)),
    "exits_at_once_without_fault": Crashed(how_it_ended(0)),
    "reads_address_zero": Crashed("SIGSEGV"),
    "aborts": Crashed("SIGABRT"),
    "kills_itself": Crashed("SIGKILL"),
    "kills_its_group": Crashed("SIGKILL"),
    "becomes_another_program_that_stays": CLOSED,
    "becomes_another_program": Crashed(how_it_ended(5)),
    "overflows_the_stack_of_c": Crashed("SIGSEGV"),
    "forks_and_the_parent_exits": Crashed(how_it_ended(4)),
    "exits": Raised("SystemExit", "enough"),
    "interrupts": Raised("KeyboardInterrupt", ""),
    "interrupts_by_signal": Raised("KeyboardInterrupt", ""),
    "interrupts_from_a_thread": Raised("KeyboardInterrupt", ""),
    "recurses": Raised("RecursionError", "maximum recursion depth exceeded"),
    "asks_for_too_much": Raised("MemoryError", ""),
    "reads_standard_input": Raised("EOFError", EOF),
    "raises_a_generator_exit": Raised("GeneratorExit", ""),
    "changes_its_input_and_raises": Raised("ValueError", "cleared"),
    "closes_the_standard_descriptors": ANSWERED,
    "closes_the_standard_streams": ANSWERED,
    "prints_much": ANSWERED,
    "prints_messages": ANSWERED,
    "closes_every_descriptor": CLOSED,
    "closes_every_descriptor_and_sleeps": CLOSED,
    "replaces_every_descriptor": CLOSED,
    "writes_garbage_to_every_descriptor": INTERFERED,
    "writes_binary_to_every_descriptor": INTERFERED,
    "writes_without_end_to_every_descriptor": INTERFERED,
    "reads_every_descriptor": ANSWERED,
    "forks_and_both_answer": ANSWERED,
    "forks_children_that_stay": ANSWERED,
    "forks_a_daemon": ANSWERED,
    "starts_a_program_in_another_session": ANSWERED,
    "starts_threads_that_never_end": ANSWERED,
    "exits_a_little_later": ANSWERED,
    "sets_an_alarm": ANSWERED,
    "hangs_at_exit": ANSWERED,
    "deletes_its_folder": ANSWERED,
    "forbids_itself_descriptors": ANSWERED,
    "changes_its_input": ANSWERED,
    "replaces_the_clock": ANSWERED,
    "changes_its_folder": ANSWERED,
    "changes_how_numbers_are_reckoned": ANSWERED,
    "leaves_garbage_that_raises": ANSWERED,
    "prints_through_a_broken_stream": ANSWERED,
    "starts_many_children": ANSWERED,
    "a_child_forgets_where_it_comes_from": ANSWERED,
    "blocks_every_signal_and_loops": TIMED_OUT,
    "returns_an_endless_mapping": TIMED_OUT,
    "replaces_what_writes": TIMED_OUT,
    "breaks_the_garbage_collector": ANSWERED,
    "forgets_the_modules": ANSWERED,
    "traces_and_raises": Raised("RuntimeError", "traced"),
    "warns_as_an_error": Raised("UserWarning", "no more"),
    "returns_nan": Number(Special.NAN, "float"),
    "returns_infinity": Number(Special.NEGATIVE_INFINITY, "float"),
    "returns_a_single": Number(Fraction(13421773, 134217728), "numpy.float32"),
    "returns_a_fraction": Number(Fraction(37, 48), "fractions.Fraction"),
    "returns_numbers_by_query": PerQuery({"q2": Number(Fraction(1), "int"), "q1": ANSWERED}),
}
MALFORMED = {
    "returns_nothing": "NoneType, None",
    "returns_a_text": "str, '0.75'",
    "returns_a_list": "list, [0.75]",
    "returns_a_bool": "bool, True",
    "returns_a_complex_number": "complex, (0.75+0j)",
    "returns_an_array": "numpy.ndarray, array(0.75)",
    "returns_a_huge_number": "332193",
    "returns_a_query_without_a_number": "'q2'",
    "returns_keys_that_are_no_texts": "1",
}
KIND: dict[str, type] = {
    "allocates": OutOfMemory,
    "its_child_allocates": OutOfMemory,
    "raises_without_words": Raised,
    "raises_a_long_text": Raised,
    "returns_a_generator": Malformed,
    "returns_itself": Malformed,
    "returns_an_object_without_repr": Malformed,
    "returns_a_huge_exponent": Malformed,
    "returns_surrogates": Malformed,
    "returns_a_lying_float": Number,
    "breaks_json": Crashed,
    "breaks_the_builtins": Crashed,
    "allows_no_recursion": Crashed,
}

EACH_TIME = {
    *("reads_address_zero", "allocates", "returns_a_fraction", "returns_nothing"),
    *("writes_garbage_to_every_descriptor", "prints_messages", "changes_its_input", "hangs_at_exit"),
}
"""One of each kind of outcome, and of what it does to pipes, processes and its arguments."""
LATER = {
    "exits_a_little_later",
    "sets_an_alarm",
    "breaks_the_garbage_collector",
    "replaces_what_writes",
    "breaks_json",
    "breaks_the_builtins",
    "forgets_the_modules",
    "allows_no_recursion",
    "traces_and_raises",
}
"""Those that may do harm to the next call, which is then asked again in a new process."""


def calls() -> list[Call]:
    """Give five calls, the third of which triggers."""
    return [Call("AP", RankedLabels((1, 0, 1), 13 if index == 2 else 2)) for index in range(5)]


def left(mark: str) -> list[str]:
    """List the processes that still run and carry the mark in their environment or their arguments."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            marked = process.environ().get("RANKSPEC_TEST") == mark or mark in process.cmdline()
            if marked and process.status() != psutil.STATUS_ZOMBIE:
                found.append(f"{process.pid} {process.cmdline()}")
    return found


def ask_hostile(name: str, tmp_path: Path) -> Report:
    """Ask one of them, and see that nothing is left of it: no process, no open descriptor."""
    mark = uuid.uuid4().hex
    environment = {"RANKSPEC_TEST": mark, "RANKSPEC_TEST_FILE": str(tmp_path / "own")}
    descriptors = psutil.Process().num_fds()
    limits = HURRIED if EXACT.get(name) == TIMED_OUT else PATIENT
    report = ask(parse(f"{HOSTILE}:{name}"), calls(), limits, environment)
    assert left(mark) == []
    assert psutil.Process().num_fds() == descriptors
    return report


@pytest.mark.parametrize("name", in_campaign(sorted([*EXACT, *MALFORMED, *KIND]), but=EACH_TIME, ids=str))
def test_it_is_an_outcome_and_the_other_calls_are_answered(name: str, tmp_path: Path) -> None:
    report = ask_hostile(name, tmp_path)
    *before, outcome, fourth, fifth = report.outcomes
    assert [*before, fourth, fifth] == [HALF] * 4
    if name in EXACT:
        assert outcome == EXACT[name]
    elif name in MALFORMED:
        assert isinstance(outcome, Malformed)
        assert MALFORMED[name] in outcome.reason
    else:
        assert isinstance(outcome, KIND[name])
    if name not in LATER:
        assert {incident.index for incident in report.incidents} <= {2}
    assert report.mutated == ({2} if name.startswith("changes_its_input") else frozenset())


def test_nothing_is_written_into_a_file_that_took_the_place_of_the_channel(tmp_path: Path) -> None:
    ask_hostile("replaces_every_descriptor", tmp_path)
    assert (tmp_path / "own").read_bytes() == b""


def test_a_crash_says_what_was_printed_last(tmp_path: Path) -> None:
    crashed = ask_hostile("reads_address_zero", tmp_path).outcomes[2]
    assert isinstance(crashed, Crashed)
    assert "Segmentation" in crashed.output
    assert "in reads_address_zero" in crashed.output


def test_texts_are_short_single_printable_lines(tmp_path: Path) -> None:
    raised = ask_hostile("raises_a_long_text", tmp_path).outcomes[2]
    malformed = ask_hostile("returns_surrogates", tmp_path).outcomes[2]
    assert isinstance(raised, Raised)
    assert isinstance(malformed, Malformed)
    for text in (raised.message, malformed.reason):
        assert len(text) <= 500
        assert "\n" not in text
        text.encode()


def test_a_float_is_read_as_it_is_whatever_its_class_says(tmp_path: Path) -> None:
    number = ask_hostile("returns_a_lying_float", tmp_path).outcomes[2]
    assert isinstance(number, Number)
    assert number.value == Fraction(3, 4)
