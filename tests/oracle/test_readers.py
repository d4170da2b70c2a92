"""Files as they are found in the wild, and as trec_eval reads them: what is accepted, what is refused with a place."""

import ctypes
import ctypes.util
import gzip
import io
import json
import math
import sys
from fractions import Fraction

import pytest
from rankspec.conformance.data.runs import refusals
from rankspec.oracle import InputError, Qrels, Run, evaluate, parse_convention, parse_measure
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.data.qrels import DecimalGrade
from rankspec.oracle.readers.detections import ONE_CLASS, detections_from
from rankspec.oracle.readers.lines import read_lines, text_of
from rankspec.oracle.readers.trec import Repeated, read_qrels, read_run
from rankspec.oracle.readers.trec_eval import atof, atol
from rankspec.oracle.readers.verdicts import contexts_from, statements_from, verdicts_of
from refusals import assert_names, refused

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a -1\n"
RUN = "q1 Q0 b 1 0.5 tag\nq1 Q0 a 2 0.25 tag\nq2 Q0 a 1 1 tag\n"


@pytest.mark.parametrize(
    "content",
    [
        QRELS,
        QRELS.replace("\n", "\r\n"),
        QRELS.replace(" ", "\t"),
        QRELS.replace(" ", " \t "),
        "\ufeff" + QRELS,
        QRELS.removesuffix("\n"),
        "\n" + QRELS.replace("\n", "\n\n"),
        QRELS + QRELS,
        gzip.compress(QRELS.encode(), mtime=0),
        QRELS.replace(" 1\n", " +1\n"),
    ],
)
def test_qrels_in_any_dress(file, content):
    qrels = read_qrels(file(content))
    assert {query: dict(qrels.grades(query)) for query in qrels} == {"q1": {"a": 1, "b": 0}, "q2": {"a": -1}}


def test_a_run_keeps_the_order_of_the_file(file):
    run = read_run(file("q2 Q0 z 1 2 t\nq1 Q0 a 1 0.1 t\nq2 Q0 y 2 1e1 t\n"))
    assert list(run) == ["q2", "q1"]
    assert run.documents("q2") == (("z", 2), ("y", 10))
    assert run.documents("q1") == (("a", Fraction(1, 10)),)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        *(("inf", math.inf), ("-Infinity", -math.inf), ("+INF", math.inf), ("1e999", math.inf)),
        *(("-1e400", -math.inf), ("0e999999999", 0), ("1e-400", Fraction(1, 10**400)), (".5", Fraction(1, 2))),
        *(("5.", 5), ("-0.0", 0), ("0.10000000000000000001", Fraction(10000000000000000001, 10**20))),
    ],
)
def test_scores(file, text, score):
    assert read_run(file(f"q Q0 d 1 {text} t")).documents("q")[0].score == score


@pytest.mark.parametrize(
    "text",
    ["nan", "NaN", "-nan", "high", "1_0", "\uff11", "0x10", "1/2", "1,5", "--1", "1e", "1e-99999999", "9" * 5000],
)
def test_scores_that_are_none(file, text):
    with pytest.raises(InputError, match=r"file, line 2: score"):
        read_run(file(f"q Q0 c 1 1 t\nq Q0 d 1 {text} t"))


@pytest.mark.parametrize("text", ["1.0.0", "1_0", "\uff11", "yes", "1e2", "nan", "0x1", "9" * 30])
def test_grades_that_are_none(file, text):
    with refused("grade-not-whole", "line 2"):
        read_qrels(file(f"q 0 c 1\nq 0 d {text}"))


def test_a_file_that_is_not_there(tmp_path):
    with refused("file-missing"):
        read_run(tmp_path / "nowhere")
    with refused("file-unreadable"):
        read_run(tmp_path)


def test_a_document_twice_in_a_query(file):
    path = file(RUN + "q1 Q0 b 3 0.1 tag\n")
    with refused("document-repeated", "line 4", "query", "q1", "document b", "1", "4"):
        read_run(path)
    assert [docno for docno, _ in read_run(path, Repeated.KEPT).documents("q1")] == ["b", "a", "b"]


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(RUN.encode(), mtime=0))))
    assert list(read_run("-")) == ["q1", "q2"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"q 0 d one\n")))
    with refused("grade-not-whole", "line 1", "grade 'one'"):
        read_qrels("-")


def test_blanks_of_other_alphabets_are_part_of_names(file):
    assert [line.columns for line in read_lines(text_of(file("a\u00a0b c\u3000d")))] == [("a\u00a0b", "c\u3000d")]


def test_the_smallest_exponent_is_read_and_the_one_below_is_taken_for_a_mistake(file):
    (retrieved,) = read_run(file("q Q0 a 1 25e-5000 t\n")).documents("q")
    assert retrieved.score == Fraction(25, 10**5000)
    with refused("exponent-too-low", "line 1", "score '25e-5001'", "-5000"):
        read_run(file("q Q0 a 1 25e-5001 t\n"))


def test_judgments_given_as_a_run(file):
    with refused("columns-miscounted"):
        read_run(file("q 0 d 1\n"))
    with refused("columns-miscounted", "line 2", "6", "Q0", "4"):
        read_run(file("q Q0 d 1 1 t\nq Q0 e 1\n"))


def test_decimals_are_read_exactly_and_cut_where_the_program_cuts_them(file):
    path = file("q1 0 a 1.9\nq1 0 b 0.5\nq1 0 c 2\nq1 0 d 1x\nq1 0 e 3.0\n")
    with refused("grade-not-whole", "line 4", "'1x'"):
        read_qrels(path)
    judged = read_qrels(path, Reading.TREC_EVAL_9)
    assert dict(judged.grades("q1")) == {"a": 1, "b": 0, "c": 2, "d": 1, "e": 3}
    assert judged.cut == ("1.9", "0.5")
    strict = read_qrels(file("q1 0 a 1.9\nq1 0 e 3.0\n")).grades("q1")
    assert (strict["a"], type(strict["e"]), strict["e"]) == (DecimalGrade.of(Fraction(19, 10)), int, 3)


LISTS = {"1": (True, False, True), "2": (False,), "3": ()}


@pytest.mark.parametrize(
    "text",
    [
        '{"1": [1, 0, 1], "2": [0], "3": []}',
        '\ufeff[[true, false, true], ["No"], []]',
        '[{"verdicts": ["yes", "no", "YES"]}, {"id": 2, "verdicts": ["idk"]}, {"query": "3", "verdicts": []}]',
        '{"id": "1", "verdicts": [1, 0, 1]}\r\n\n{"id": "2", "verdicts": [0]}\n{"id": "3", "verdicts": []}\n',
        '{"1": [{"verdict": 1, "reason": "r"}, {"attributed": 0}, {"verdict": "yes"}], "2": [0], "3": []}',
    ],
)
def test_verdicts_are_read_in_every_form(tmp_path, text):
    file = tmp_path / "verdicts.json"
    file.write_text(text, encoding="utf-8", newline="")
    assert verdicts_of(file) == LISTS
    file.write_bytes(gzip.compress(text.encode(), mtime=0))
    assert verdicts_of(file) == LISTS


def test_one_list_is_one_query():
    assert verdicts_of([1, 0]) == {"1": (True, False)}
    assert verdicts_of({"verdicts": [1, 0]}) == {"1": (True, False)}


def test_verdicts_that_are_nested_too_deeply(tmp_path):
    """Other faults of verdicts, of detections and of qrels stand on the page of mistakes of `score`."""
    file = tmp_path / "v.json"
    file.write_text("[" * 100_000, encoding="utf-8")
    with refused("beyond-limit"):
        verdicts_of(file)


def value(measure, data, convention="default"):
    return evaluate(parse_measure(measure), *data, parse_convention(convention)).value


def test_contexts_and_statements_of_the_same_verdicts():
    contexts, statements = contexts_from(LISTS), statements_from(LISTS)
    assert value("ContextPrecision", contexts) == Fraction(5, 18)  # (5/6 + 0 + 0) / 3
    assert value("SetP", contexts) == Fraction(2, 9)  # (2/3 + 0 + 0) / 3
    assert value("ContextRecall", statements) == Fraction(2, 9)
    # ragas has no number for a reference without statements, nor then for the mean; left out, two queries remain.
    assert value("ContextRecall", statements, "default[no_relevant=skip]") == Fraction(1, 3)


TABLE = "class,score,matched,ground_truths\ncat,0.9,TP,3\ncat,0.8,FP,\ndog,0.7,yes,1\nbird,,,2\n"
PLAIN = {
    "cat": {"ground_truths": 3, "detections": [("0.9", True), {"score": "0.8", "matched": "no"}]},
    "dog": {"ground_truths": 1, "detections": [["0.7", 1]]},
    "bird": {"ground_truths": 2, "detections": []},
}


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        "\ufeff" + TABLE.replace(",", "\t").replace("\n", "\r\n"),
        "score,outcome,label\n0.9,TP,cat\n,FN,cat\n0.8,FP,cat\n,fn,cat\n0.7,TP,dog\n,FN,bird\n,FN,bird\n0.5,ignored,dog\n",
        json.dumps(PLAIN),
    ],
)
def test_detections_are_read_in_every_form(tmp_path, text):
    file = tmp_path / "found"
    file.write_text(text, encoding="utf-8", newline="")
    assert detections_from(file) == detections_from(PLAIN) == detections_from(str(file))


def test_a_file_of_one_class():
    one = detections_from({"ground_truths": 2, "detections": [("0.9", True)]})
    assert one == detections_from({ONE_CLASS: {"detections": [("0.9", True)]}}, {ONE_CLASS: 2})
    assert value("AP", one) == Fraction(1, 2)


def test_scores_are_decimals_as_they_stand(tmp_path):
    file = tmp_path / "found.json"
    file.write_text('{"ground_truths": 1, "detections": [[0.10000000000000001, false], [0.1, true]]}')
    assert value("AP", detections_from(file)) == Fraction(1, 2)
    assert value("AP", detections_from(file), "default[score_precision=float64, ties=optimistic]") == 1


NINE, TEN = Reading.TREC_EVAL_9, Reading.TREC_EVAL_10
BOTH = pytest.mark.parametrize("reading", [NINE, TEN], ids=str)

NUMBERS = [
    *(
        *("1", "-2.5", "+.5", "5.", "1e3", "1E-3", "foo", "", "-", "+", ".", "..5", "1.5abc", "1,5", "1_0", "1e"),
        *("1e+", "1ex"),
    ),
    *("0x10", "0X1p-2", "-0x.8", "0x", "0xg", "0x1p", "0x1.8p1z", "0x1p99999", "-0x1p99999", "0x1p-99999"),
    *("inf", "-INF", "+Infinity", "infinite", "in", "1e999", "-1e999", "1e-999", "1e-320", "--1", "+-1", "e5", " 1"),
    *("0.1", "16777217", "1.0000000001", "123456789012345678901234567890", "2.2250738585072011e-308", "9" * 400),
    *("0x1p999999999999", "-0x0p999999999999", "0x1p-999999999999", "-0x.0p+999999999999", "\u0661", "1\u0661"),
]
GRADES = [
    *(
        *("1", "-1", "+3", "0.9", "2x", "x2", "", "-", "1e2", "007", "0x10", "99999999999999999999"),
        "-99999999999999999999",
    ),
    *(
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "1_0",
        "\u0661",
        "9" * 5000,
        "-" + "0" * 5000 + "7",
    ),
]


def _library():
    name = ctypes.util.find_library("c")
    return ctypes.CDLL(name) if name and sys.platform == "linux" else None


@pytest.mark.skipif(_library() is None, reason="no C library to ask")
def test_numbers_are_read_as_the_c_library_reads_them():
    library = _library()
    library.atof.restype, library.atol.restype = ctypes.c_double, ctypes.c_long
    for text in NUMBERS:
        given, own = library.atof(text.encode()), atof(text.lstrip())
        assert (given, math.copysign(1, given)) == (own, math.copysign(1, own)), text
    for text in GRADES:
        assert library.atol(text.encode()) == atol(text), text
    for text in ("nan", "-NaN", "nan(1)", "nanx"):
        assert math.isnan(library.atof(text.encode()))
        assert math.isnan(atof(text))


def scores(path, reading):
    run = read_run(path, reading=reading)
    return {query: list(run.documents(query)) for query in run}


def grades(path, reading, **more):
    qrels = read_qrels(path, reading, **more)
    return {query: dict(qrels.grades(query)) for query in qrels}


@BOTH
def test_scores_are_what_they_start_with(file, reading):
    lines = {"foo": 0.0, "1.5abc": 1.5, "0x1p-2": 0.25, "1e999": math.inf, "-inf": -math.inf, "0.1": 0.1}
    content = "".join(f"q Q0 d{place} 1 {text} t\n" for place, text in enumerate(lines))
    read = scores(file(content), reading)
    assert read == {"q": [(f"d{place}", score) for place, score in enumerate(lines.values())]}
    assert all(isinstance(score, float) for _, score in read["q"])


@BOTH
def test_grades_are_what_they_start_with(file, reading):
    read = grades(file("q 0 a 0.9\nq 0 b 2x\nq 0 c yes\nq 0 d -1.5\nq 0 e +3\n"), reading)
    assert read == {"q": {"a": 0, "b": 2, "c": 0, "d": -1, "e": 3}}


@BOTH
@pytest.mark.parametrize(
    "content",
    [
        "q Q0 a 1 2 t\nr Q0 a 1 1 t\nq Q0 b 1 1 t\n",
        "q\tQ0 a 1\v2 t\r\nr Q0 a 1 1 t\r\nq Q0 b 1 1 t\r\n",
        "\n  q Q0 a 1 2 t and more, to the end\n\n \t\nr Q0 a 1 1 t t\nq Q0 b 1 1 t",
        gzip.compress(b"q Q0 a 1 2 t\nr Q0 a 1 1 t\nq Q0 b 1 1 t\n", mtime=0),
    ],
    ids=["plain", "carriage-returns", "blank-lines", "gzip"],
)
def test_a_run_in_any_dress(file, reading, content):
    assert scores(file(content), reading) == {"q": [("a", 2), ("b", 1)], "r": [("a", 1)]}


@BOTH
@pytest.mark.parametrize("line", ["q", "q Q0", "q Q0 a", "q Q0 a 1", "q Q0 a 1 0.5", "q Q0 a 1 0.5 "])
@pytest.mark.parametrize("end", ["", "\n", "\r\n"], ids=["none", "lf", "crlf"])
def test_short_lines_of_a_run_are_malformed(file, reading, line, end):
    with refused("columns-miscounted", "line 3", "6", "trec_eval", "2"):
        read_run(file("q Q0 b 1 1 t\n\n" + line + end), reading=reading)


@BOTH
def test_blanks_at_line_ends_of_qrels_are_not(file, reading):
    assert grades(file("  q 0 a 1 \t\r\nq\t0\tb\t2"), reading) == {"q": {"a": 1, "b": 2}}


def test_comments_belong_to_version_10(file):
    qrels, run = (
        "# a comment of six words here\nq 0 d#1 1\n",
        "q Q0 d#1 1 1 t\n  # indented # twice\n#\nq Q0 b 1 0 t # tag\n",
    )
    assert grades(file(qrels), TEN) == {"q": {"d#1": 1}}
    assert scores(file(run), TEN) == {"q": [("d#1", 1), ("b", 0)]}
    with refused("columns-miscounted", "line 1", "expected 4 columns", "found 7"):
        read_qrels(file(qrels), NINE)
    with refused("columns-miscounted", "line 2", "expected 6 columns", "found 4"):
        read_run(file(run), reading=NINE)
    assert grades(file("# 0 d 1\n"), NINE) == {"#": {"d": 1}}


def test_a_comment_in_qrels_is_not_indented(file):
    with refused("columns-miscounted", "line 2", "4", "2"):
        read_qrels(file("q 0 d 1\n # indented\n"), TEN)


@BOTH
def test_a_byte_order_mark_is_part_of_the_first_query(file, reading):
    assert list(grades(file("\ufeffq 0 a 1\nq 0 a 1\n"), reading)) == ["\ufeffq", "q"]


@BOTH
def test_bytes_that_are_no_text_are_names_all_the_same(file, reading):
    qrels = read_qrels(file(b"q 0 \xe9 1\nq 0 \xe8 0\n"), reading)
    run = read_run(file(b"q Q0 \xe9 1 1 t\nq Q0 \xe8 1 1 t\n"), reading=reading)
    convention = parse_convention(f"trec_eval-{'9.0.8' if reading is NINE else '10.0'}")
    assert evaluate(parse_measure("RR"), qrels, run, convention).value == 1  # the greater byte comes first
    beside = "q Q0 \ufb00 1 1 t\n".encode() + b"q Q0 \xf5 1 1 t\n"  # EF AC 80 and F5
    run = read_run(file(beside), reading=reading)
    assert evaluate(parse_measure("RR"), Qrels.of({"q": {"\ufb00": 1}}), run, convention).value == Fraction(1, 2)


@BOTH
def test_judgments_may_not_be_repeated_where_they_are_looked_at(file, reading):
    path = file("q 0 a 1\nr 0 a 1\nq 0 a 1\n")
    with refused("document-repeated", "line 3", "query", "q", "trec_eval", "4"):
        read_qrels(path, reading)
    with refused("document-repeated", "line 3"):
        read_qrels(path, reading, evaluated={"q"})
    assert grades(path, reading, evaluated={"r"}) == {"q": {"a": 1}, "r": {"a": 1}}
    # Of two that contradict each other in such a query the first is kept.
    path.write_text("q 0 a 1\nr 0 a 1\nq 0 a 2\n")
    assert grades(path, reading, evaluated={"r"}) == {"q": {"a": 1}, "r": {"a": 1}}


@BOTH
def test_a_grade_without_end_is_refused_where_it_is_looked_at(file, reading):
    path = file("q 0 a 99999999999999999999\nr 0 a 1\n")
    with refused("grade-too-high", "line 1"):
        read_qrels(path, reading)
    assert "r" in read_qrels(path, reading, evaluated={"r"})


@BOTH
def test_repeated_documents_of_a_run_are_left_to_the_evaluation(file, reading):
    path = file("q Q0 a 1 1 t\nq Q0 b 1 1 t\nq Q0 a 1 2 t\n")
    assert scores(path, reading) == {"q": [("a", 1), ("b", 1), ("a", 2)]}
    with refused("document-repeated", "line 3", "query", "q", "1", "3"):
        read_run(path, Repeated.REFUSED, reading)


def test_a_dash_is_standard_input(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for reading, name in ((NINE, "-"), (TEN, "-"), (TEN, "-stdin"), (Reading.STRICT, "-")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"q Q0 a 1 1 t\n")))
        assert list(read_run(name, reading=reading)) == ["q"]
    with refused("file-missing", "-stdin"):
        read_run("-stdin", reading=NINE)


OF_NINE, OF_TEN = "trec_eval-9.0.8", "trec_eval-10.0"
COMPLETE = "[missing_query=zero]"
JUDGED = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}


def refusals_of(qrels, run, text):
    return [(each.code, str(each)) for each in refusals(Qrels.of(qrels), Run.of(run), parse_convention(text))]


def assert_one(found, code, *tokens):
    ((own, text),) = found
    assert own == code
    assert_names(text, *tokens)


@pytest.mark.parametrize("text", [OF_NINE, OF_TEN, OF_NINE + COMPLETE, OF_TEN + COMPLETE, "default"])
def test_nothing_is_refused(text):
    assert refusals_of(JUDGED, {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}, text) == []


def test_a_query_missing_from_the_run():
    run = {"q1": {"a": 1}}
    assert_one(
        refusals_of(JUDGED, run, OF_TEN), "query-not-in-run", "q2", "trec_eval 10", "-c", "missing_query=zero", "4"
    )
    assert_one(refusals_of(JUDGED, {"q9": {"a": 1}}, OF_TEN), "query-not-in-run", "q1", "1 others")
    for text in (OF_NINE, OF_NINE + COMPLETE, OF_TEN + COMPLETE, "trec_eval-10.0[missing_query=skip]", "default"):
        assert refusals_of(JUDGED, run, text) == []


def test_no_query_in_both():
    run = {"q9": {"a": 1}}
    for text in (OF_NINE, OF_NINE + COMPLETE):
        assert_one(refusals_of(JUDGED, run, text), "no-query-in-common", "trec_eval 9", "7")
    assert refusals_of(JUDGED, run, OF_TEN + COMPLETE) == []


@pytest.mark.parametrize(("text", "number"), [(OF_NINE, 9), (OF_TEN, 10)])
def test_a_document_twice_among_those_looked_at(text, number):
    run = {"q1": [("a", 3), ("b", 2), ("a", 1)], "q2": {"a": 1}}
    assert_one(refusals_of(JUDGED, run, text), "document-repeated", "q1", "document a", f"trec_eval {number}", "4")
    assert refusals_of(JUDGED, run, f"{text}[depth=3]") != []
    assert refusals_of(JUDGED, run, f"{text}[depth=2]") == []
    assert refusals_of(JUDGED, run, f"{text}[duplicates=counted]") == []
    assert refusals_of(JUDGED, run, "default") == []
    assert refusals_of(JUDGED, {"q1": {"a": 1}, "q2": {"a": 1}, "q3": [("a", 1), ("a", 1)]}, text) == []


def test_queries_that_crash_the_program():
    qrels = {"q0": {"a": 0}, "q1": {"a": -2, "b": -3}, "q2": {"a": -1}}
    whole, part = {query: {"a": 1} for query in qrels}, {"q0": {"a": 1}, "q2": {"a": 1}}
    assert_one(refusals_of(qrels, whole, OF_NINE), "no-grade-counted", "q1", "-2", "trec_eval 9", "crashes")
    assert_one(refusals_of(qrels, whole, OF_TEN), "no-grade-counted", "q1", "-2", "trec_eval 10", "crashes")
    assert refusals_of(qrels, part, OF_NINE + COMPLETE) == []  # version 9 never looks at a query that the run lacks
    assert len(refusals_of(qrels, part, OF_TEN + COMPLETE)) == 1


@pytest.mark.parametrize("text", [OF_NINE, OF_TEN, OF_NINE + COMPLETE, OF_TEN + COMPLETE])
@pytest.mark.parametrize("grade", [-3, -2, -1, 0])
def test_the_first_query_by_name_needs_a_grade_that_is_counted(text, grade):
    """Measured of both programs, in files of any order: 10 is before 9."""
    qrels = {"9": {"a": 1}, "10": {"a": grade, "b": grade - 1}}
    run = {"9": {"a": 1}, "10": {"a": 1}}
    if grade == 0:
        assert refusals_of(qrels, run, text) == []
    else:
        assert_one(refusals_of(qrels, run, text), "no-grade-counted", "10", str(grade), "exits with 4")
    assert refusals_of({"9": {"a": -1}, "10": {"a": 1}}, run, text) == []  # it has memory by then
    assert refusals_of({"9": {"a": {"s": grade}}}, {"9": {"a": 1}}, text) == []  # by subtopic it counts from 0 on
    # Version 9 begins with the run, and 10 with the qrels.
    only_nine = refusals_of(qrels, {"9": {"a": 1}}, text)
    assert ("no-grade-counted" in dict(only_nine)) == (text == OF_TEN + COMPLETE and grade < 0)
