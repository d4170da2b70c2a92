"""What trec_eval would have refused, where its files are read well: by topic sets, repeated documents, grades."""

import pytest
from rankspec.conformance.data.runs import refusals
from rankspec.oracle import Qrels, Run, parse_convention
from refusals import assert_names

NINE, TEN = "trec_eval-9.0.8", "trec_eval-10.0"
COMPLETE = "[missing_query=zero]"
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}


def refused(qrels, run, text):
    return [(each.code, str(each)) for each in refusals(Qrels.of(qrels), Run.of(run), parse_convention(text))]


def assert_one(found, code, *tokens):
    ((own, text),) = found
    assert own == code
    assert_names(text, *tokens)


@pytest.mark.parametrize("text", [NINE, TEN, NINE + COMPLETE, TEN + COMPLETE, "default"])
def test_nothing_is_refused(text):
    assert refused(QRELS, {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}, text) == []


def test_a_query_missing_from_the_run():
    run = {"q1": {"a": 1}}
    assert_one(refused(QRELS, run, TEN), "query-not-in-run", "q2", "trec_eval 10", "-c", "missing_query=zero", "4")
    assert_one(refused(QRELS, {"q9": {"a": 1}}, TEN), "query-not-in-run", "q1", "1 others")
    for text in (NINE, NINE + COMPLETE, TEN + COMPLETE, "trec_eval-10.0[missing_query=skip]", "default"):
        assert refused(QRELS, run, text) == []


def test_no_query_in_both():
    run = {"q9": {"a": 1}}
    for text in (NINE, NINE + COMPLETE):
        assert_one(refused(QRELS, run, text), "no-query-in-common", "trec_eval 9", "7")
    assert refused(QRELS, run, TEN + COMPLETE) == []


@pytest.mark.parametrize(("text", "number"), [(NINE, 9), (TEN, 10)])
def test_a_document_twice_among_those_looked_at(text, number):
    run = {"q1": [("a", 3), ("b", 2), ("a", 1)], "q2": {"a": 1}}
    assert_one(refused(QRELS, run, text), "document-repeated", "q1", "document a", f"trec_eval {number}", "4")
    assert refused(QRELS, run, f"{text}[depth=3]") != []
    assert refused(QRELS, run, f"{text}[depth=2]") == []
    assert refused(QRELS, run, f"{text}[duplicates=counted]") == []
    assert refused(QRELS, run, "default") == []
    assert refused(QRELS, {"q1": {"a": 1}, "q2": {"a": 1}, "q3": [("a", 1), ("a", 1)]}, text) == []


def test_queries_that_crash_the_program():
    qrels = {"q0": {"a": 0}, "q1": {"a": -2, "b": -3}, "q2": {"a": -1}}
    whole, part = {query: {"a": 1} for query in qrels}, {"q0": {"a": 1}, "q2": {"a": 1}}
    assert_one(refused(qrels, whole, NINE), "no-grade-counted", "q1", "-2", "trec_eval 9", "crashes")
    assert_one(refused(qrels, whole, TEN), "no-grade-counted", "q1", "-2", "trec_eval 10", "crashes")
    assert refused(qrels, part, NINE + COMPLETE) == []  # version 9 never looks at a query that the run lacks
    assert len(refused(qrels, part, TEN + COMPLETE)) == 1


@pytest.mark.parametrize("text", [NINE, TEN, NINE + COMPLETE, TEN + COMPLETE])
@pytest.mark.parametrize("grade", [-3, -2, -1, 0])
def test_the_first_query_by_name_needs_a_grade_that_is_counted(text, grade):
    """Measured of both programs, in files of any order: 10 is before 9."""
    qrels = {"9": {"a": 1}, "10": {"a": grade, "b": grade - 1}}
    run = {"9": {"a": 1}, "10": {"a": 1}}
    if grade == 0:
        assert refused(qrels, run, text) == []
    else:
        assert_one(refused(qrels, run, text), "no-grade-counted", "10", str(grade), "exits with 4")
    assert refused({"9": {"a": -1}, "10": {"a": 1}}, run, text) == []  # it has memory by then
    assert refused({"9": {"a": {"s": grade}}}, {"9": {"a": 1}}, text) == []  # by subtopic it counts from 0 on
    # Version 9 begins with the run, and 10 with the qrels.
    only_nine = refused(qrels, {"9": {"a": 1}}, text)
    assert ("no-grade-counted" in dict(only_nine)) == (text == TEN + COMPLETE and grade < 0)
