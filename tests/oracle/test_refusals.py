"""What trec_eval would have refused, where its files are read well: by topic sets, repeated documents, grades."""

from __future__ import annotations

import pytest
from rankspec.oracle import Qrels, Run, parse_convention
from rankspec.oracle.refusals import refusals

NINE, TEN = "trec_eval-9.0.8", "trec_eval-10.0"
COMPLETE = "[missing_query=zero]"
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}


def refused(qrels, run, text):
    return [str(each) for each in refusals(Qrels.of(qrels), Run.of(run), parse_convention(text))]


@pytest.mark.parametrize("text", [NINE, TEN, NINE + COMPLETE, TEN + COMPLETE, "default"])
def test_nothing_is_refused(text):
    assert refused(QRELS, {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}, text) == []


def test_a_query_missing_from_the_run():
    run = {"q1": {"a": 1}}
    assert refused(QRELS, run, TEN) == [
        "query q2 of the qrels is not in the run; trec_eval 10 without -c (missing_query=zero) exits with 4"
    ]
    assert "query q1 of the qrels is not in the run, nor are 1 others" in refused(QRELS, {"q9": {"a": 1}}, TEN)[0]
    for text in (NINE, NINE + COMPLETE, TEN + COMPLETE, "trec_eval-10.0[missing_query=skip]", "default"):
        assert refused(QRELS, run, text) == []


def test_no_query_in_both():
    run = {"q9": {"a": 1}}
    for text in (NINE, NINE + COMPLETE):
        assert refused(QRELS, run, text) == ["no query is both in the qrels and in the run; trec_eval 9 exits with 7"]
    assert refused(QRELS, run, TEN + COMPLETE) == []


@pytest.mark.parametrize(("text", "number"), [(NINE, 9), (TEN, 10)])
def test_a_document_twice_among_those_looked_at(text, number):
    run = {"q1": [("a", 3), ("b", 2), ("a", 1)], "q2": {"a": 1}}
    assert refused(QRELS, run, text) == [
        f"query q1: document a appears twice in the run; trec_eval {number} exits with 4"
    ]
    assert refused(QRELS, run, f"{text}[depth=3]") != []
    assert refused(QRELS, run, f"{text}[depth=2]") == []
    assert refused(QRELS, run, f"{text}[duplicates=counted]") == []
    assert refused(QRELS, run, "default") == []
    assert refused(QRELS, {"q1": {"a": 1}, "q2": {"a": 1}, "q3": [("a", 1), ("a", 1)]}, text) == []


def test_queries_that_crash_the_program():
    qrels = {"q1": {"a": -2, "b": -3}, "q2": {"a": -1}}
    whole, part = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q2": {"a": 1}}
    assert refused(qrels, whole, NINE) == ["query q1: no grade is above -2; trec_eval 9 crashes (a negative length)"]
    assert refused(qrels, whole, TEN) == ["query q1: no grade is above -2; trec_eval 10 crashes (a negative length)"]
    assert refused(qrels, part, NINE + COMPLETE) == []  # version 9 never looks at a query that the run lacks
    assert len(refused(qrels, part, TEN + COMPLETE)) == 1
