"""`rankspec score`: its JSON contract, its table, and what it refuses."""

import gzip
import io
import json
import math
import sys
from fractions import Fraction
from functools import partial

import pytest
from rankspec.conformance.reports.scores import decimal
from rankspec.conformance.verbs.score import Engine, Scoring
from rankspec.oracle import InputError, parse_convention, parse_measure
from rankspec.oracle.values import Undefined, to_text
from refusals import refused

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 a 1\nq3 0 x 0\n"
RUN = "q1 Q0 b 1 3 t\nq1 Q0 a 2 2 t\nq1 Q0 z 2 2 t\nq3 Q0 x 1 1 t\nq9 Q0 x 1 1 t\n"


@pytest.fixture
def score(tmp_path, rankspec):
    def run(*words, qrels=QRELS, results=RUN):
        for name, text in (("qrels", qrels), ("run", results)):
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return rankspec("score", "--qrels", tmp_path / "qrels", "--run", tmp_path / "run", *words)

    return run


def test_the_contract(score):
    found = score("-m", "AP", "-m", "AP(rel=2)@10", "-m", "nDCG", "-m", "NumRet", "--json").json
    assert found["schema"] == "rankspec/score/1"
    assert found["convention"] == "default"
    assert found["queries"] == 3
    assert list(found["values"]) == ["AP", "AP(rel=2)@10", "nDCG", "NumRet"]
    assert found["values"]["AP"]["exact"] == "1/12"
    assert found["values"]["AP"]["float"] == 1 / 12
    assert found["values"]["NumRet"]["exact"] == "4"
    assert found["values"]["nDCG"]["exact"] is None
    assert math.isclose(found["values"]["nDCG"]["float"], 2 / math.log2(3) / (2 + 1 / math.log2(3)) / 3)
    assert found["per_query"] == {}
    assert set(found["excluded"]) == {"q9"}


def test_every_query(score):
    found = json.loads(score("-m", "AP", "-m", "P(rel=1)@5", "-q", "--json", "--under", "trec_eval-9.0.8").out)
    assert found["per_query"] == {
        "q1": {"AP": {"exact": "1/6", "float": 1 / 6}, "P@5": {"exact": "1/5", "float": 0.2}},
        "q3": {"AP": {"exact": "0", "float": 0.0}, "P@5": {"exact": "0", "float": 0.0}},
    }
    assert set(found["excluded"]) == {"q2", "q9"}
    assert found["queries"] == 2


def test_undefined_values_are_no_numbers(score):
    found = json.loads(score("-m", "AP", "-q", "--under", "default[no_relevant=nan]", "--json").out)
    assert found["values"]["AP"] == {"exact": None, "float": None, "undefined": "nan", "queries": 3}
    assert found["per_query"]["q3"]["AP"] == {"exact": None, "float": None, "undefined": "nan"}
    assert "nan" in score("--under", "default[no_relevant=nan]")[1]


def test_a_query_that_counts_for_some_measures(score):
    found = json.loads(score("-m", "AP", "-m", "NumRet", "-q", "--under", "default[no_relevant=skip]", "--json").out)
    assert found["excluded"]["q3"].endswith("(AP)")
    assert (found["values"]["AP"]["queries"], found["values"]["NumRet"]["queries"], found["queries"]) == (2, 3, 3)
    assert list(found["per_query"]["q3"]) == ["NumRet"]


def test_ranges_over_ties(score):
    found = json.loads(score("-m", "AP", "-q", "--range", "ties", "--json").out)
    assert found["range_over"] == "ties"
    ends = {"low": {"exact": "1/6", "float": 1 / 6}, "high": {"exact": "1/4", "float": 0.25}}
    assert found["per_query"]["q1"]["AP"]["range"] == ends
    assert found["values"]["AP"]["range"]["high"]["exact"] == "1/12"
    assert "AP\tall\t0.0833\t0.0556\t0.0833\t1/12" in score("-m", "AP", "--range", "ties", "--exact")[1]


def test_the_profile_decides_how_files_are_read(score):
    results = "\nq1 Q0 a 1 2x t more\nq1 Q0 b 1 foo t\n"
    assert score("-m", "RR", "--under", "trec_eval-9.0.8", results=results)[1].splitlines()[0] == "RR\t1.0000"
    assert score("-m", "RR", results=results)[0] == 2
    commented = "# of today\n" + QRELS
    assert score("--under", "trec_eval-10.0[missing_query=zero]", qrels=commented)[0] == 0
    assert score("--under", "trec_eval-9.0.8", qrels=commented)[0] == 2
    # Judgments of a query that the run lacks are never looked at by version 9, and always by version 10.
    assert score("--under", "trec_eval-9.0.8", qrels=QRELS + "q2 0 a 1\n")[0] == 0
    assert score("--under", "trec_eval-10.0[missing_query=zero]", qrels=QRELS + "q2 0 a 1\n")[0] == 2


def test_gzip_and_standard_input(score, rankspec, monkeypatch, tmp_path):
    qrels, results = (gzip.compress(text.encode(), mtime=0) for text in (QRELS, RUN))
    assert score("--json", qrels=qrels, results=results).status == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    ended = rankspec("score", "--qrels", tmp_path / "qrels", "--run", "-")
    assert ended.status == 0
    assert "0.0833" in ended.out


def test_fractions_of_any_length():
    long = Fraction(10**5000 + 1, 10**5000)
    assert to_text(long) == f"1{'0' * 4999}1/1{'0' * 5000}"
    assert to_text(Fraction(-3, 4)) == "-3/4"
    assert decimal(long, 3) == "1.000"
    assert decimal(Fraction(-1, 3), 30) == "-0.333333333333333333333333333333"
    assert decimal(Fraction(1, 3), 0) == "0"
    assert decimal(Undefined.NAN, 2) == "nan"


def test_explain_and_compare_read_files_as_score_does(tmp_path, rankspec):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text("\nq1 Q0 a 1 2x t\nq1 Q0 b 1 foo t\n")
    (tmp_path / "other").write_text("q1 Q0 b 1 2 t\nq1 Q0 a 1 1 t\n")
    files = ["--qrels", str(tmp_path / "qrels")]
    explained = ["explain", *files, "--run", str(tmp_path / "run"), "--query", "q1", "--measure", "RR"]
    compared = ["compare", *files, str(tmp_path / "run"), str(tmp_path / "other"), "-m", "RR"]
    for words in (explained, compared):
        for under, status in (("trec_eval-9.0.8", 0), ("default", 2)):
            ended = rankspec(*words, "--under", under)
            assert ended.status == status
            assert "score '2x'" in ended.err or status == 0


def test_a_range_is_of_one_run_and_read_document_by_document():
    ranged = partial(Scoring, [parse_measure("AP")], "qrels", convention=parse_convention("trec_eval-9.0.8"))
    with refused("options-conflict", by=InputError):
        ranged(["a", "b"], range_over="ties").require_sense()
    ranged(["a", "b"]).require_sense()
    readers = [ranged(["a"], range_over=each, engine=Engine.STREAM).reader("a").engine for each in ("ties", None)]
    assert readers == [Engine.ORACLE, Engine.STREAM]
