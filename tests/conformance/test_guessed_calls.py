"""Calls as somebody guesses them who has read no page, written before they were tried; the values are by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import rankspec

QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
RUN = {"q1": {"x": 0.9, "a": 0.5}, "q2": {"c": 1.0}}
# AP: q1 has one hit at rank 2 of two relevant: (1/2)/2 = 1/4; q2: 1. The mean is 5/8.
AP = Fraction(5, 8)
# nDCG@10: q1 has 1/log2(3) of 1 + 1/log2(3), q2 all.
NDCG = (1 / math.log2(3) / (1 + 1 / math.log2(3)) + 1) / 2
# Labels 1, 0, 1 of R = 5 at 3: (1 + 2/3)/5 = 1/3 under the default, (1 + 2/3)/3 = 5/9 over min(R, k).
LABELS = [1, 0, 1]


def my_function(relevance, num_relevant):
    """AP as it is defined: the mean of the precisions at the relevant documents, over R."""
    hits = [rank for rank, relevant in enumerate(relevance, start=1) if relevant]
    return sum(hit / rank for hit, rank in enumerate(hits, start=1)) / num_relevant if num_relevant else 0.0


@pytest.fixture
def files(tmp_path, monkeypatch):
    """qrels.txt and run.txt hold the dictionaries; of a.run the AP is 5/8, of b.run, which finds c alone, 1/2."""
    monkeypatch.chdir(tmp_path)
    qrels = "".join(f"{q} 0 {d} {g}\n" for q, graded in QRELS.items() for d, g in graded.items())
    run = "".join(f"{q} Q0 {d} 1 {s} t\n" for q, scored in RUN.items() for d, s in scored.items())
    (tmp_path / "qrels.txt").write_text(qrels)
    (tmp_path / "run.txt").write_text(run)
    (tmp_path / "a.run").write_text(run)
    (tmp_path / "b.run").write_text("q1 Q0 x 1 1 t\nq2 Q0 c 1 1 t\n")


def test_evaluate_a_measure_of_dictionaries():
    assert rankspec.evaluate("AP", QRELS, RUN) == AP


def test_evaluate_several_measures():
    scores = rankspec.evaluate(["AP", "nDCG@10"], QRELS, RUN)
    assert list(scores) == ["AP", "nDCG@10"]
    assert scores["AP"] == AP
    assert math.isclose(scores["nDCG@10"], NDCG)


def test_evaluate_by_trec_eval_s_name():
    assert rankspec.evaluate("map", QRELS, RUN) == AP


def test_evaluate_labels():
    assert rankspec.evaluate("AP@3", LABELS, num_relevant=5) == Fraction(1, 3)


def test_evaluate_labels_by_name():
    assert rankspec.evaluate("AP@3", relevance=LABELS, num_relevant=5) == Fraction(1, 3)


def test_evaluate_as_scikit_learn_does():
    # Hits at ranks 1 and 3: (1 + 2/3)/2 = 5/6.
    assert rankspec.evaluate("AP", y_true=[1, 0, 1], y_score=[0.9, 0.8, 0.7]) == Fraction(5, 6)


def test_evaluate_as_kaggle_does():
    # a at rank 1, b at rank 3: (1 + 2/3)/2 = 5/6.
    assert rankspec.evaluate("AP@3", actual=["a", "b"], predicted=["a", "c", "b"]) == Fraction(5, 6)


@pytest.mark.parametrize(
    ("of_qrels", "of_run"),
    [
        (("query", "docno", "relevance"), ("query", "docno", "score")),
        (("user_id", "item_id", "rating"), ("user_id", "item_id", "rating")),
    ],
)
def test_evaluate_frames(of_qrels, of_run):
    pandas = pytest.importorskip("pandas")
    qrels = pandas.DataFrame([(q, d, g) for q, graded in QRELS.items() for d, g in graded.items()], columns=of_qrels)
    run = pandas.DataFrame([(q, d, s) for q, scored in RUN.items() for d, s in scored.items()], columns=of_run)
    assert math.isclose(rankspec.evaluate("nDCG@10", qrels, run), NDCG)


def test_evaluate_under_a_convention():
    assert rankspec.evaluate("AP", QRELS, RUN, under="trec_eval-9.0.8") == AP


def test_evaluate_per_query():
    assert rankspec.evaluate("AP", QRELS, RUN).per_query == {"q1": Fraction(1, 4), "q2": 1}
    printed = str(rankspec.evaluate("AP", QRELS, RUN, per_query=True))
    assert [line.split() for line in printed.splitlines()[2:]] == [["q1", "1/4", "0.25"], ["q2", "1", "1.0"]]


@pytest.mark.usefixtures("files")
def test_evaluate_files():
    assert rankspec.evaluate("AP", "qrels.txt", "run.txt") == AP


def test_a_score_is_a_number():
    score = rankspec.evaluate("AP", QRELS, RUN)
    assert float(score) == 0.625
    assert f"{score:.3f}" == "0.625"
    assert round(score, 3) == 0.625
    assert score > 0.5


def test_explain_labels():
    # (1 + 2/3)/2 = 5/6
    assert str(rankspec.explain("AP", relevance=LABELS)).startswith("AP under default = 5/6")


def test_explain_under_two_conventions():
    both = rankspec.explain("AP@3", LABELS, num_relevant=5, under=["default", "kaggle"])
    assert [str(each.value) for each in both] == ["1/3", "5/9"]


def test_resolve_a_float():
    # (1 + 2/3 + 3/4 + 4/7)/5 = 251/420 = 0.5976...
    found = rankspec.resolve(0.598, relevance=[1, 0, 1, 1, 0, 0, 1, 0, 0, 0], num_relevant=5)
    assert found.explanations[0].exact_text == "251/420"


def test_resolve_several_numbers():
    found = rankspec.resolve([0.333, 0.556], relevance=LABELS, num_relevant=5, measure="AP@3")
    assert found.status == "explained"
    assert [each.explanations[0].exact_text for each in found] == ["1/3", "5/9"]


@pytest.mark.usefixtures("files")
def test_score_files():
    assert rankspec.score("qrels.txt", "run.txt")["AP"] == AP


@pytest.mark.usefixtures("files")
def test_score_files_by_several_measures():
    scores = rankspec.score("qrels.txt", "run.txt", ["AP", "nDCG@10"])
    assert scores["AP"] == AP
    assert math.isclose(scores["nDCG@10"], NDCG)


@pytest.mark.usefixtures("files")
def test_compare_files():
    # The runs differ in q1 alone, 1/4 against 0: either sign is as extreme, so that p is 1.
    compared = rankspec.compare("qrels.txt", ["a.run", "b.run"], "AP")
    assert {run: Fraction(value["exact"]) for run, value in compared.to_dict()["measures"]["AP"]["values"].items()} == {
        "a.run": AP,
        "b.run": Fraction(1, 2),
    }
    assert compared.to_dict()["measures"]["AP"]["pairs"][0]["p"]["exact"] == "1"


@pytest.mark.campaign
def test_check_a_function():
    assert rankspec.check(my_function).conforms


@pytest.mark.campaign
def test_check_a_library():
    pytest.importorskip("sklearn")
    # It refuses empty lists and infinite scores, which are cases; it never gives another value.
    assert {each.verdict.value for each in rankspec.check("sklearn").nonconforming} == {"error"}


def test_identify_a_function():
    assert rankspec.identify(my_function).texts[0] == "AP under default"


def test_witness_of_two_conventions():
    # One document, a hit, of R = 4: 1/4 over R, 1/3 over min(R, 3); with a smaller R the two are the same.
    assert rankspec.witness("default", "kaggle", "AP@3").texts == ("1/4", "1/3")


def test_measures_and_conventions():
    assert "AP" in rankspec.measures()
    assert rankspec.measures()["MAP"]["name"] == "AP"
    assert rankspec.conventions()["kaggle"]["differences"]["denominator=min-relevant-cutoff"]
    assert "kaggle" in str(rankspec.conventions())


def test_why_of_a_function():
    found = rankspec.why(my_function).to_dict()["found"]
    assert (found["status"], found["conventions"][0]) == ("identified", "AP under default")


def test_why_of_a_number():
    found = rankspec.why(0.8333, relevance=LABELS).to_dict()["found"]
    assert found["explanations"][0]["exact"] == "5/6"
