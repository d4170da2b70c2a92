"""Judgements of subtopics as they reach an implementation, and where there is no place for them."""

from pathlib import Path

import pytest
from rankspec.conformance.checks.recording import input_lines
from rankspec.conformance.checks.stability import neighbours_of
from rankspec.conformance.questions.question import Question
from rankspec.conformance.questions.rendering import Refused, Rendering, render
from rankspec.conformance.worker.arguments import Files, QrelsRun
from rankspec.conformance.worker.shapes import Shape, tell
from rankspec.oracle.conventions.profiles import DEFAULT
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.language.expression import parse_measure

QRELS = Qrels.of({"q": {"d1": {"a": 1, "b": 0}, "d2": 1}})
RUN = Run.of({"q": [("d1", 2), ("d3", 1)]})
SUBTOPICS = (("q", (("d1", (("a", 1), ("b", 0))), ("d2", 1))),)


def put(measure, shape="qrels-run", *, short_ids=False):
    def function(first, second, k=None):
        """Take two arguments of any shape."""

    signature = tell(function, Shape(shape))
    signature = type(signature)(**{**vars(signature), "short_ids": short_ids})
    return render(Question("by hand", parse_measure(measure), QRELS, RUN), DEFAULT, signature)


def test_dicts_have_them_in_place_of_a_grade(tmp_path):
    asked = put("P_IA@2")
    assert isinstance(asked, Rendering)
    assert asked.call.arguments == QrelsRun(SUBTOPICS, (("q", (("d1", 2.0), ("d3", 1.0))),))
    assert asked.call.arguments.natives(tmp_path)["qrels"] == {"q": {"d1": {"a": 1, "b": 0}, "d2": 1}}
    assert asked.qrels == QRELS


def test_documents_that_are_renamed_keep_them():
    asked = put("P_IA@2", short_ids=True)
    assert isinstance(asked, Rendering)
    assert isinstance(asked.call.arguments, QrelsRun)
    assert asked.call.arguments.qrels == (("q", (("a", (("a", 1), ("b", 0))), ("b", 1))),)
    assert [getattr(grade, "docno", "") for grade in asked.qrels.grades("q").values()] == ["a", ""]


def test_files_have_a_line_each(tmp_path):
    asked = put("P_IA@2", "files")
    assert isinstance(asked, Rendering)
    assert isinstance(asked.call.arguments, Files)
    written = Path(asked.call.arguments.natives(tmp_path)["qrels_path"]).read_text(encoding="utf-8")
    assert written == "q a d1 1\nq b d1 0\nq 0 d2 1\n"


@pytest.mark.parametrize(
    ("measure", "shape", "reason"),
    [("P_IA@2", "frames", "the shape frames"), ("P@2", "qrels-run", "a call for P"), ("P@2", "files", "a call for P")],
)
def test_elsewhere_they_have_no_place(measure, shape, reason):
    refusal = put(measure, shape)
    assert isinstance(refusal, Refused)
    assert refusal.verdict == "not-expressible"
    assert reason in refusal.reason


def test_a_subtopic_that_is_no_column_of_a_file_is_refused():
    with pytest.raises(ValueError, match="'a b'"):
        Files((("q", (("d", (("a b", 1),)),)),), ())


def test_odd_queries_beside_them_have_them_too():
    asked = put("P_IA@2")
    assert isinstance(asked, Rendering)
    judged = [each.call.arguments.qrels[0][1] for each in neighbours_of(asked.call)[1:]]
    assert judged == [(("d1", (("a", 0),)), ("d3", (("a", 0),))), (("d1", (("a", 1),)), ("d3", (("a", 1),)))]


def test_they_are_shown():
    asked = put("P_IA@2")
    assert isinstance(asked, Rendering)
    assert [line.split() for line in input_lines(asked.call)[2:]] == [
        ["d1", "2", "a:", "1,", "b:", "0"],
        ["d3", "1", "unjudged"],
        ["d2", "not", "retrieved", "1"],
        ["k", "=", "2"],
    ]
