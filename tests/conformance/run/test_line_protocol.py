"""Programs that break the line protocol, and those that print trec_eval's columns: each break is a verdict."""

import shlex
import sys
import time
from fractions import Fraction
from pathlib import Path

import psutil
import pytest
from campaign import one_in
from rankspec.conformance.checks.check import CheckPlan, check
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions.question import Question
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.run.limits import Halt, Limits
from rankspec.conformance.run.outcomes import (
    Crashed,
    Malformed,
    NotCalled,
    Number,
    OutOfMemory,
    PerQuery,
    Raised,
    TimedOut,
)
from rankspec.conformance.run.processes import BROKE, CLOSED_OUTPUT, how_it_ended
from rankspec.conformance.run.session import Session, ask
from rankspec.conformance.run.worker_process import WorkerProcess
from rankspec.conformance.worker.arguments import Files, RankedLabels, queries_of
from rankspec.conformance.worker.commands import read_rows
from rankspec.conformance.worker.messages import ANY_MEASURE, Call, Preparing, Unusable, Value, Values, WireNumber
from rankspec.conformance.worker.shapes import Need, Shape
from rankspec.conformance.worker.values import PRINTED
from rankspec.oracle import Qrels, Run, parse_convention, parse_measure
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


PROGRAM = Path(__file__).parent / "little_trec_eval.py"
TREC = "default[ties=docno-descending, missing_query=skip]"
QRELS = {"q1": {"a": 1, "b": 0, "c": 2, "x": 1}, "q2": {"a": 0, "b": 1}}
RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
FILES = Files(queries_of(QRELS), tuple((q, tuple((d, str(s)) for d, s in docs.items())) for q, docs in RUN.items()))


def command(options):
    return parse(f"cmd:{shlex.join([sys.executable, '-S', '-E', str(PROGRAM)])} {options} {{qrels}} {{run}}")


def outcome(options, call=None, limits=None):
    [found] = ask(command(options), [call or Call("AP", FILES)], limits).outcomes
    return found


def printed(text, places=4):
    return Number(Fraction(text), PRINTED, Fraction(1, 10**places))


def test_rows_of_queries_and_of_all_are_read():
    both = outcome("-q -m map")
    # q1: (1/1 + 2/3) / 3 = 5/9, q2: 1/2
    assert both == PerQuery({"q1": printed("0.5556"), "q2": printed("0.5000")}, printed("0.5278"))
    assert outcome("-q -m map --only-rows") == PerQuery({"q1": printed("0.5556"), "q2": printed("0.5000")})
    assert outcome("-m map") == printed("0.5278")
    assert outcome("-m map --format %.1f") == printed("0.5", 1)


def test_the_places_are_filled_in():
    call = Call("AP", FILES, k=1, rel=2, expression="AP(rel=2)@1")
    assert outcome("-m map_cut.{k} -l {rel}", call) == printed("0.0000")
    assert outcome("-m {measure} -l {rel}", Call("AP", FILES, k=2, expression="AP@2")) == printed("0.4167")
    assert outcome("-m {measure}", Call("P", FILES, k=2, expression="P@2")) == printed("0.5000")


@one_in(3)
@pytest.mark.parametrize(
    ("options", "signatures"),
    [
        ("-m map", {ANY_MEASURE: (Need.ABSENT, Need.ABSENT)}),
        ("-m map_cut.{k} -l {rel}", {ANY_MEASURE: (Need.REQUIRED, Need.OPTIONAL)}),
        ("-m {measure}", {"AP": (Need.OPTIONAL, Need.ABSENT), "P": (Need.REQUIRED, Need.ABSENT),
                          "Bpref": (Need.ABSENT, Need.ABSENT), "IPrec": (Need.OPTIONAL, Need.ABSENT)}),
    ],
)  # fmt: skip
def test_the_places_say_what_can_be_asked(options, signatures):
    with Session(command(options)) as session:
        hello = session.hello
    assert (hello.name, hello.shape, hello.convention) == (Path(sys.executable).name, Shape.FILES, None)
    found = {name: (signature.k, signature.rel) for name, signature in hello.functions.items()}
    assert {name: found[name] for name in signatures} == signatures


@one_in(3)
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("status", Raised("exit status 1", "little_trec_eval: no such thing")),
        ("'silent status'", Raised("exit status 5", "")),
        ("signal", Crashed("SIGABRT")),
        ("nothing", Malformed("it printed no row of three columns (measure, query, value)")),
        ("prose", Malformed("it printed no row of three columns (measure, query, value)")),
        ("text", Malformed("it printed for map of all 'half', no number")),
        ("contradiction", Malformed("it printed for map of q both 0.5 and 0.6")),
        ("flood", Malformed("it printed more than 16 MiB")),
        ("daemon", printed("0.5278")),
    ],
)
def test_a_program_that_fails_is_an_outcome(fault, expected):
    assert outcome(f"-m map --fault {fault}") == expected


def row(text):
    return WireNumber(text, PRINTED)


@pytest.mark.parametrize(
    ("lines", "expression", "answer"),
    [
        ("map all 0.5", "AP", Value(row("0.5"))),
        ("map q1 0.5", "AP", Values((("q1", row("0.5")),))),
        ("map_cut_10 all 0.5\nmap all 0.7", "AP@10", Value(row("0.5"))),
        ("map_cut_10 all 0.5\nmap all 0.7", "AP(rel=2)@10", Value(row("0.5"))),
        ("P_5 all 0.5\nP_10 all 0.7", "P@10", Value(row("0.7"))),
        ("recall_10 all 0.5\nrecip_rank all 1", "RR", Value(row("1"))),
        ("ndcg_cut_10 all 0.5\nndcg all .7", "nDCG@10", Value(row("0.5"))),
        ("iprec_at_recall_0.10 all 0.5\nmap all 0.7", "IPrec@0.1", Value(row("0.5"))),
        ("AP@10 all 0.5\nAP all 0.7", "AP@10", Value(row("0.5"))),
        ("MeanAveragePrecision all 0.5", "AP", Value(row("0.5"))),
        ("runid all x\nwhatever all 5e-1", "AP", Value(row("5e-1"))),
        ("map all nan", "AP", Value(row("nan"))),
        ("two words\nmap all 0.5\nand four words here\n\n", "AP", Value(row("0.5"))),
        ("num_q all 3\nnum_ret all 5", "AP", Unusable("it printed no row of map, but num_q, num_ret")),
        ("", "AP", Unusable("it printed no row of three columns (measure, query, value)")),
    ],
)
def test_the_rows_of_the_measure_are_chosen(lines, expression, answer):
    assert read_rows(lines, expression) == answer


def question(measure="AP"):
    return Question(
        "case", parse_measure(measure), Qrels.of(QRELS), Run.of({q: list(d.items()) for q, d in RUN.items()})
    )


def checked(options, measure="AP", under=TREC, *, fixed=True):
    return check(Workers(command(options)), CheckPlan([question(measure)], parse_convention(under), fixed))


@pytest.mark.campaign
def test_a_query_without_a_row_is_counted_or_not_by_the_value_of_all():
    """trec_eval -c counts a query that the run lacks, and prints no row of it."""
    qrels = Qrels.of({**QRELS, "q3": {"a": 1}})
    lacking = Question("case", parse_measure("AP"), qrels, question().run)
    for options, missing, verdict in (
        ("-q -c -m map", "zero", Verdict.PRINTED),
        ("-q -m map", "skip", Verdict.PRINTED),
        ("-q -m map", "zero", Verdict.OTHER_CONVENTION),
        ("-q -c -m map", "skip", Verdict.OTHER_CONVENTION),
    ):
        under = parse_convention(f"default[ties=docno-descending, missing_query={missing}]")
        [answer] = check(Workers(command(options)), CheckPlan([lacking], under, fixed_measure=True)).answers
        assert answer.verdict is verdict, (options, missing, answer.judgement)


def test_from_the_command_line(rankspec):
    checked = ("check", command("-q -m map").text, "--under", TREC, "--cases", "edge.basics.m*", "--json")
    [found] = rankspec(*checked).json["implementations"]
    assert set(found["verdicts"]) <= {"printed", "exact", "unsupported", "not-expressible"}
    assert found["verdicts"]["printed"] > 1
    assert all(isinstance(case["value"], float) for case in found["cases"] if case["verdict"] == "printed")
