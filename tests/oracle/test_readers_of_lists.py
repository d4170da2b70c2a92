"""Verdicts and detections: every form of a file is the same data, and each fault is one line that says where."""

import gzip
import json
from fractions import Fraction

import pytest
from rankspec.oracle import evaluate, parse_convention, parse_measure
from rankspec.oracle.readers.detections import ONE_CLASS, detections_from, read_detections
from rankspec.oracle.readers.verdicts import contexts_from, read_verdicts, statements_from, verdicts_of
from refusals import refused

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
    assert read_verdicts(file) == LISTS
    file.write_bytes(gzip.compress(text.encode(), mtime=0))
    assert read_verdicts(file) == LISTS


def test_one_list_is_one_query():
    assert verdicts_of([1, 0]) == {"1": (True, False)}
    assert verdicts_of({"verdicts": [1, 0]}) == {"1": (True, False)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ("file-empty", "v.json")),
        ("[1, 0", ("not-json", "v.json", "line 1", "JSON")),
        ('{"verdicts": [1]}\n{"verdicts": [1}', ("not-json", "v.json", "line 2", "JSON")),
        ('{"q": [1, 2]}', ("verdict-unclear", "v.json", "query", "q", "2", "1", "0")),
        ('{"q": [1, null]}', ("verdict-unclear", "query", "q", "2", "None")),
        ('{"q": [0.5]}', ("verdict-unclear", "1", "'0.5'")),
        ('{"q": [{"reason": "x"}]}', ("verdict-unclear", "`verdict`")),
        ('{"q": [{"verdict": 1, "attributed": 1}]}', ("verdict-unclear",)),
        ('{"q": [1], "q": [0]}', ("key-repeated", "'q'")),
        ('[{"id": "q", "verdicts": []}, {"id": "q", "verdicts": []}]', ("query-repeated", "query", "q")),
        ('[{"verdicts": []}, {"id": "q"}]', ("verdicts-missing", "entry 2", "{'id'", "'q'}", "`verdicts`")),
        ('{"q": 1}', ("verdicts-malformed", "query", "q", "1")),
        ("{}", ("verdicts-missing",)),
        ("3", ("verdicts-malformed", "3")),
        ("[" * 100_000, ("beyond-limit",)),
        ("\x00", ("file-binary", "NUL")),
    ],
)
def test_faults_of_verdicts(tmp_path, text, told):
    file = tmp_path / "v.json"
    file.write_text(text, encoding="utf-8")
    with refused(*told):
        read_verdicts(file)


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
    assert read_detections(file) == detections_from(PLAIN) == detections_from(str(file))


def test_a_file_of_one_class():
    one = detections_from({"ground_truths": 2, "detections": [("0.9", True)]})
    assert one == detections_from({ONE_CLASS: {"detections": [("0.9", True)]}}, {ONE_CLASS: 2})
    assert value("AP", one) == Fraction(1, 2)


def test_scores_are_decimals_as_they_stand(tmp_path):
    file = tmp_path / "found.json"
    file.write_text('{"ground_truths": 1, "detections": [[0.10000000000000001, false], [0.1, true]]}')
    assert value("AP", read_detections(file)) == Fraction(1, 2)
    assert value("AP", read_detections(file), "default[score_precision=float64, ties=optimistic]") == 1


@pytest.mark.parametrize(
    ("text", "given", "told"),
    [
        ("class,score\ncat,1\n", None, ("column-missing", "line 1", "'matched'")),
        ("score,matched\n0.5,maybe\n", None, ("match-unclear", "line 2", "'maybe'")),
        ("score,matched\n0.5,TP,3\n", None, ("columns-miscounted", "line 2", "3", "2")),
        ("score,matched\nhigh,TP\n", None, ("score-not-a-number", "line 2", "'high'")),
        ("score,matched\n0.5,FN\n", None, ("score-of-missed", "line 2", "(FN)")),
        ("score,matched\n0.5,TP\n", None, ("ground-truths-missing", "--ground-truths")),
        ("score,matched\n0.5,TP\n0.4,TP\n", {"objects": 1}, ("detections-exceed-ground-truths", "2", "1")),
        ("score,matched\n0.5,TP\n", {"cat": 1}, ("unknown-class",)),
        ("score,matched,ground_truths\n0.5,TP,1\n0.4,FP,2\n", None, ("ground-truths-contradict", "line 3", "2", "1")),
        ("score,matched,ground_truths\n0.5,TP,1\n", {"objects": 2}, ("ground-truths-contradict",)),
        ("score,matched,ground_truths\n0.5,TP,-1\n", None, ("ground-truths-not-whole", "line 2", "'-1'")),
        ("score,matched,ground_truths\n0.5,TP,3\n,FN,3\n", None, ("ground-truths-contradict",)),
        ("", None, ("file-empty",)),
        ("[1]", None, ("detections-malformed",)),
        ('{"cat": [1]}', None, ("detections-malformed", "`ground_truths`", "`detections`")),
        ('{"cat": {"detections": [0.5]}}', None, ("detections-malformed", "detection 1")),
        (
            '{"cat": {"detections": [[NaN, 1]], "ground_truths": 1}}',
            None,
            ("score-not-a-number", "detection 1", "'NaN'"),
        ),
        ('{"cat": {"detections": [[[], 1]], "ground_truths": 1}}', None, ("score-not-a-number", "detection 1")),
    ],
)
def test_faults_of_detections(tmp_path, text, given, told):
    file = tmp_path / "found"
    file.write_text(text, encoding="utf-8")
    with refused(*told, file):
        read_detections(file, given)
