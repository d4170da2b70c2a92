"""Files as they are found in the wild: what is accepted, and what is refused with file, line and reason."""

import gzip
import io
import math
import sys
from fractions import Fraction

import pytest
from rankspec.oracle import InputError
from rankspec.oracle.conventions.axes import Reading
from rankspec.oracle.data.qrels import DecimalGrade
from rankspec.oracle.readers.lines import read_lines
from rankspec.oracle.readers.trec import Repeated, read_qrels, read_run
from refusals import refused

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


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", ("file-empty",)),
        (" \n\t\n", ("file-empty",)),
        (b"\xef\xbb\xbf", ("file-empty",)),
        (gzip.compress(b"", mtime=0), ("file-empty",)),
        ("q 0 d\n", ("columns-miscounted", "line 1", "4", "3")),
        ("q 0 d 1 1\n", ("columns-miscounted", "line 1", "4", "5")),
        ("q Q0 d 1 0.5 t\n", ("columns-miscounted", "6")),
        ("q 0 d 1\nq 0 d 2\n", ("grade-contradicts", "line 2", "query", "q", "document d", "grade 2", "1", "line 1")),
        (b"q 0 d\0 1\n", ("file-binary", "line 1", "NUL")),
        ("q 0 d 1\n".encode("utf-16"), ("file-binary", "line 1", "NUL")),
        (b"q 0 \xff\xfe 1\n", ("file-not-utf-8", "line 1", "UTF-8")),
        (b"q 0 a 1\nq 0 \xe9 1\n", ("file-not-utf-8", "line 2", "UTF-8")),
        (gzip.compress(QRELS.encode(), mtime=0)[:-9], ("file-damaged",)),
        (b"\x1f\x8bnothing", ("file-damaged",)),
    ],
)
def test_files_that_are_refused(file, content, reason):
    with refused(*reason):
        read_qrels(file(content))


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
    assert [line.columns for line in read_lines(file("a\u00a0b c\u3000d"))] == [("a\u00a0b", "c\u3000d")]


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
