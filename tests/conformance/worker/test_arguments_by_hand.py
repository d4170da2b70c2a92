"""What is sent, given and read back, by hand: scores beyond the doubles, changed orders, rows that say too much."""

import pytest
from rankspec.conformance.worker.arguments import QrelsRun, QueryLists, highest
from rankspec.conformance.worker.commands import option_name, read_rows, row_names
from rankspec.conformance.worker.messages import Unusable, Value, Values


def test_a_dictionary_in_another_order_was_changed():
    given = QrelsRun((("q", (("a", 1), ("b", 0))),), (("q", (("a", 2.0), ("b", 1.0))),))
    natives = given.plain()
    assert given.unchanged(natives)
    natives["run"]["q"] = {"b": 1.0, "a": 2.0}
    assert not given.unchanged(natives)


@pytest.mark.parametrize(
    ("returned", "read"),
    [([0.5, 1.0], {"p": 0.5, "q": 1.0}), ((0.5, 1.0), {"p": 0.5, "q": 1.0}), ([0.5], [0.5]), ([1, 2, 3], [1, 2, 3])],
)
def test_a_number_a_query_is_one_for_each(returned, read):
    assert QueryLists(("p", "q"), (("a",), ("b",)), (("a",), ("b",))).by_query(returned) == read


def test_the_grade_of_a_document_is_its_highest_one():
    assert (highest((("a", 2), ("b", 1))), highest((("a", 0), ("b", 1))), highest(3)) == (2, 1, 3)


@pytest.mark.parametrize(
    ("printed", "mean", "queries"),
    [
        ("map all 0.5\n", "0.5", None),
        ("map q1 0.25\nmap q2 0.75\nmap all 0.5\nP_5 all 0.1\n", "0.5", {"q1": "0.25", "q2": "0.75"}),
        ("own q1 0.25\n", None, {"q1": "0.25"}),
        ("map all 0.5\nmap all 0.5\n", "0.5", None),
    ],
)
def test_rows_of_one_measure(printed, mean, queries):
    answer = read_rows(printed, "AP")
    if queries is None:
        assert isinstance(answer, Value)
        assert answer.value.number == mean
    else:
        assert isinstance(answer, Values)
        assert {query: each.number for query, each in answer.values} == queries
        assert (answer.overall and answer.overall.number) == mean


@pytest.mark.parametrize(
    "printed", ["map q1 0.5\nmap q1 0.6\n", "one q1 0.5\ntwo q1 0.5\n", "map q1 half\n", "map 0.5\n", ""]
)
def test_rows_that_are_none(printed):
    assert isinstance(read_rows(printed, "AP"), Unusable)


def test_names_of_trec_eval():
    assert [option_name(each) for each in ("IPrec@0.25", "AP(rel=2)@5", "AP(judged_only=True)")] == [
        *("iprec_at_recall.0.25", "map_cut.5", "AP(judged_only=True)")
    ]
    assert row_names("P@10") == ("P_10", "P.10", "P@10")
