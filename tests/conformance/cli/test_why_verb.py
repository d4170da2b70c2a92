"""`rankspec why`: what words are taken for, and the answers, whose values are derived by hand."""

from __future__ import annotations

import json

import pytest

QRELS = "q1 0 a 1\nq1 0 b 1\nq2 0 a 1\nq3 0 a 1\n"
RUN = "q1 Q0 a 1 3 r\nq1 Q0 x 2 2 r\nq1 Q0 b 3 1 r\nq2 Q0 x 1 2 r\nq2 Q0 a 2 1 r\n"
KAGGLE = """
def apk(actual, predicted, k=10):
    hits = total = 0
    for rank, docno in enumerate(predicted[:k], 1):
        if docno in actual and docno not in predicted[:rank - 1]:
            hits += 1
            total += hits / rank
    return total / min(len(actual), k) if actual else 0.0
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "q.txt").write_text(QRELS)
    (tmp_path / "r.txt").write_text(RUN)
    (tmp_path / "apk.py").write_text(KAGGLE)
    return tmp_path


def said(rankspec, *words):
    status, out, err = rankspec("why", *words)
    assert err == ""
    lines = out.splitlines()
    return status, lines[0], lines[2], lines[-1]


def test_a_number_with_its_ranking(rankspec):
    # (1 + 2/3 + 3/4 + 4/7) / 5 = 251/420
    status, taken, answer, more = said(rankspec, "0.598", "1,0,1,1,0,0,1,0,0,0", "--num-relevant", "5")
    assert (status, taken) == (0, "0.598: a number, 1,0,1,1,0,0,1,0,0,0: labels in rank order")
    assert answer == "0.598 is AP as it is defined: 251/420."
    assert more.startswith("more: rankspec resolve --value 0.598 --relevance 1,0,1,1,0,0,1,0,0,0 --num-relevant 5")


def test_a_comma_is_a_point(rankspec):
    assert said(rankspec, "0,598", "1,0,1,1,0,0,1,0,0,0", "--num-relevant", "5")[2].startswith("0.598 is AP")


@pytest.mark.parametrize("order", [("q.txt", "r.txt"), ("r.txt", "q.txt")])
def test_two_files_in_any_order(rankspec, files, order):
    # q1: (1 + 2/3) / 2 = 5/6, q2: 1/2, q3 is not in the run: (5/6 + 1/2 + 0) / 3 = 4/9
    status, _, answer, more = said(rankspec, *(str(files / name) for name in order))
    assert status == 0
    assert answer == "AP as it is defined: 3 queries count; 1 are in the qrels alone, 0 in the run alone."
    assert more == f"more: rankspec score --qrels {files / 'q.txt'} --run {files / 'r.txt'}"
    assert "0.4444" in rankspec("why", *(str(files / name) for name in order))[1]


def test_a_number_with_its_files(rankspec, files):
    status, _, answer, _ = said(rankspec, "0.4444", str(files / "q.txt"), str(files / "r.txt"))
    assert (status, answer) == (0, "0.4444 is AP as it is defined: 4/9.")


def test_two_conventions(rankspec):
    # One hit at rank 1, R = 4, k = 3: over R it is 1/4, over min(R, k) 1/3.
    status, _, answer, more = said(rankspec, "kaggle", "default[duplicates=first]", "-m", "AP@3")
    assert status == 0
    assert "kaggle returns 1/3 and default[duplicates=first] returns 1/4 on the smallest input." in answer
    assert "over min(R, k) against over R" in answer
    assert more.startswith("more: rankspec witness kaggle")


def test_a_library_by_what_is_recorded(rankspec):
    status, taken, answer, more = said(rankspec, "sklearn")
    assert (status, taken, more) == (0, "sklearn: a library", "more: rankspec atlas sklearn")
    assert "computes AP over R, ties as one operating point" in answer


@pytest.mark.campaign
def test_a_function(rankspec, files):
    status, out, _ = rankspec("why", str(files / "apk.py"), "-m", "AP@10", "--json")
    found = json.loads(out)
    assert (status, found["schema"], found["verb"][0]) == (0, "rankspec/why/1", "identify")
    assert found["said"].startswith("It computes AP@10 over min(R, k), later copies of a document not relevant")
    assert found["found"]["status"] == "identified"


def test_no_verb_is_needed(rankspec):
    assert rankspec("sklearn")[1] == rankspec("why", "sklearn")[1]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("0.5",), "a number alone is not enough"),
        (("nosuch",), "nosuch: not a file, function (FILE.py:NAME), library, convention, measure or number"),
        (("rnax",), "library, convention, measure or number (did you mean ranx"),
        (("nosuch.py:ap",), "nosuch.py: there is no such file"),
        (("folder/nosuch",), "folder/nosuch: there is no such file"),
        (("sklearn", "ranx", "kaggle"), "not a question that `rankspec why --help` lists"),
        (("P",), "P needs a cutoff; write P@10, for instance"),
        (("AP", "1,0,1", "0.5", "nDCG"), "AP and nDCG: one measure at a time"),
        (("AP", "1,0,1", "0.5", "-m", "nDCG"), "AP and nDCG: one measure at a time"),
        (("0,5", "1,0,1"), "a number has a decimal point, not a comma"),
        (("trec_eval==9.0.8", "kaggle", "-m", "AP@3"), "trec_eval==9.0.8: AP@3 of it was not measured"),
    ],
)
def test_what_fits_no_question(rankspec, words, says):
    rankspec("why", *words).assert_one_line(says)


@pytest.mark.parametrize("words", [("1/2", "0,1", "RR"), ("RR", "1/2", "0,1"), ("1/2", "0,1", "-m", "RR")])
def test_a_measure_may_stand_among_the_words(rankspec, words):
    status, taken, answer, more = said(rankspec, *words)
    assert (status, answer) == (0, "1/2 is RR as it is defined: 1/2.")
    assert ("RR: a measure" in taken) is ("-m" not in words)
    assert more.endswith("--measure RR")


def test_a_measure_or_a_convention_alone(rankspec):
    # The example of every measure: relevant documents at ranks 1 and 3 of five: (1 + 2/3) / 5 = 1/3
    assert said(rankspec, "map@10")[1:3] == (
        "map@10: a measure",
        "map@10 is defined as follows, as it is without a convention that says otherwise.",
    )
    assert "AP@3 under default = 1/3" in rankspec("why", "MAP")[1]
    assert rankspec("MAP") == rankspec("why", "MAP")
    assert said(rankspec, "kaggle")[2].startswith("kaggle is a named convention: Kaggle's MAP@k: divides by min(R, k)")
    assert json.loads(rankspec("why", "kaggle", "--json")[1])["found"]["name"] == "kaggle"


def test_a_library_is_asked_by_the_adapter_that_has_the_measure(rankspec):
    status, first, answer, _ = said(rankspec, "sklearn", "default", "nDCG")
    assert (status, first) == (0, "sklearn: a library, default: a convention, nDCG: a measure")
    # scikit-learn refuses any single document, so its ValueError says nothing of queries without relevant ones:
    # of two documents that are not relevant it returns 0.
    assert answer.startswith("sklearn returns ValueError and default returns 0 on the smallest input. No one rule")


def test_a_file_of_neither_kind(rankspec, files):
    (files / "t.txt").write_text("a b c\n")
    status, _, err = rankspec("why", str(files / "t.txt"), str(files / "q.txt"))
    assert status == 2
    assert "line 1: 3 columns; qrels have 4, a run has 6" in err


def test_a_library_that_no_adapter_asks_is_the_convention_recorded_of_it(rankspec):
    status, first, answer, _ = said(rankspec, "trec_eval", "trec_eval==9.0.8")
    assert (status, first) == (0, "trec_eval: a library, trec_eval==9.0.8: a library")
    # A run without a query of the qrels: 10.0 ends without a mean, 9.0.8 leaves the query out.
    assert answer.startswith("trec_eval returns error and trec_eval==9.0.8 returns ")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise ValueError('no')", "It returned no number that could be compared"),
        ("return random.random()", "It returned different values for the same input"),
    ],
)
def test_a_function_that_computes_nothing(rankspec, tmp_path, body, says):
    path = tmp_path / "metrics.py"
    path.write_text(f"import random\ndef ap(relevance, num_relevant):\n    {body}\n", encoding="utf-8")
    status, _, answer, _ = said(rankspec, str(path))
    assert status == 1
    assert answer.startswith(says)
