"""Programs that print trec_eval's columns: what they are asked, which rows are read, what their digits are worth."""

import shlex
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from campaign import one_in
from rankspec.conformance.checks.check import Plan, check
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions.question import Question
from rankspec.conformance.run.outcomes import Crashed, Malformed, Number, PerQuery, Raised
from rankspec.conformance.run.session import Session, ask
from rankspec.conformance.worker.arguments import Files, queries_of
from rankspec.conformance.worker.commands import read_rows
from rankspec.conformance.worker.messages import ANY_MEASURE, Call, Unusable, Value, Values, WireNumber
from rankspec.conformance.worker.shapes import Need, Shape
from rankspec.conformance.worker.values import PRINTED
from rankspec.oracle import Qrels, Run, parse_convention, parse_measure

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
    return check(command(options), Plan([question(measure)], parse_convention(under), fixed))


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
        [answer] = check(command(options), Plan([lacking], under, fixed_measure=True)).answers
        assert answer.verdict is verdict, (options, missing, answer.judgement)


def test_from_the_command_line(rankspec):
    checked = ("check", command("-q -m map").text, "--under", TREC, "--cases", "edge.basics.m*", "--json")
    [found] = rankspec(*checked).json["implementations"]
    assert set(found["verdicts"]) <= {"printed", "exact", "unsupported", "not-expressible"}
    assert found["verdicts"]["printed"] > 1
    assert all(isinstance(case["value"], float) for case in found["cases"] if case["verdict"] == "printed")
