"""Files as trec_eval reads them, by rules taken from its sources: what it takes leniently, and what it refuses."""

import ctypes
import ctypes.util
import gzip
import io
import math
import sys
from fractions import Fraction

import pytest
from rankspec.oracle import Qrels, evaluate, parse_convention, parse_measure
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.readers.programs import atof, atol
from rankspec.oracle.readers.trec import Repeated, read_qrels, read_run
from refusals import refused

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


def run_of(path, reading):
    return read_run(path, reading=reading)


@BOTH
@pytest.mark.parametrize(
    ("read", "content", "reason"),
    [
        (
            *(run_of, "q Q0 a 1 1 t\nq Q0 b 1 nan t\n"),
            ("score-nan", "line 2", "score 'nan'", "trec_eval", "NaN"),
        ),
        (run_of, "", ("file-empty", "trec_eval", "2")),
        (run_of, "\n \n", ("file-empty",)),
        (run_of, "q Q0 a 1 1 t\n".encode("utf-16"), ("file-binary", "line 1", "NUL")),
        (read_qrels, "", ("file-empty", "trec_eval", "2")),
        *(
            (read_qrels, f"q 0 b 1\n{line}\n", ("columns-miscounted", "line 2", "4", "trec_eval", "2"))
            for line in ("q", "q 0", "q 0 a", "q 0 a 1 x", "q 0 a 1 # why")
        ),
        *(
            (read_qrels, blank, ("columns-miscounted", "trec_eval", "2"))
            for blank in ("q 0 a 1\n\nq 0 b 1\n", "q 0 a 1\n \t\r\n", "\n", "q 0 a 1\n\n")
        ),
    ],
)
def test_what_both_versions_refuse(file, reading, read, content, reason):
    with refused(*reason):
        read(file(content), reading)


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
