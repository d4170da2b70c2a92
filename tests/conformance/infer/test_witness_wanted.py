"""Inputs that show one axis, those on which both give a number, and the cutoff that a function has by default."""

import pytest
import rankspec
from rankspec.conformance.infer.witness.separation import separate
from rankspec.conformance.infer.witness.sides import Filter
from rankspec.conformance.reports.witness import witness_data
from rankspec.oracle import ConventionError, parse_convention, parse_measure
from refusals import assert_names


def plain(relevance, num_relevant):
    precisions = (sum(relevance[:rank]) / rank for rank, label in enumerate(relevance, start=1) if label)
    return sum(precisions) / num_relevant if num_relevant else 0.0


def cut(relevance, num_relevant, k=10):
    return plain(relevance[:k], num_relevant)


def grouped(relevance, num_relevant):
    return plain(relevance, num_relevant or 0) if num_relevant else float("nan")


def swapped(query_ids, document_ids):
    # The names tell nothing: two lists of ids, the relevant ones first.
    hits, total = 0, 0.0
    for rank, docno in enumerate(document_ids, start=1):
        if docno in query_ids:
            hits += 1
            total += hits / rank
    return total / len(query_ids) if query_ids else 0.0


def found_on(axis, a, b, measure="AP"):
    return rankspec.witness(a, b, measure, axis=axis)


def test_a_cutoff_by_default_is_an_axis():
    found = found_on("cutoff", plain, cut)
    assert found.given == {"relevance": [0] * 10 + [1], "num_relevant": 1}
    assert [(fault.axis, fault.a, fault.b) for fault in found.axes] == [("cutoff", ("none",), ("10",))]
    assert witness_data(found)["wanted"] == {"axis": "cutoff", "only_values": False}


def test_who_cuts_none():
    assert found_on("cutoff", plain, "default").status == "equivalent"


def test_both_give_a_number():
    # Without relevant documents one gives no number, which is no matter of the denominator's either.
    found = rankspec.witness(
        grouped, "default[denominator=retrieved-relevant]", "AP", axis="denominator", only_values=True
    )
    assert found.given == {"relevance": [1], "num_relevant": 2}
    assert witness_data(found)["wanted"] == {"axis": "denominator", "only_values": True}


def test_conventions_on_one_axis():
    found = found_on("duplicates", "default", "kaggle", "AP@2")
    assert [(fault.axis, fault.suffices) for fault in found.axes] == [("duplicates", True)]
    assert found.given["predicted"] == ["a", "a"]
    assert found.by_axis == ()


def test_a_missing_query_is_no_input_for_values_alone():
    sides = parse_convention("default"), parse_convention("default[missing_query=skip]")
    any_input = separate(parse_measure("AP"), *sides, most_inputs=500)
    assert any_input.input is not None
    taken = separate(parse_measure("AP"), *sides, most_inputs=500, accept=Filter(only_values=True).takes_input)
    assert taken.input is None


def test_an_axis_on_which_conventions_agree():
    found = found_on("ties", "default", "default[denominator=length]")
    assert (found.status, found.same, found.bound) == ("equivalent", True, 0)


@pytest.mark.parametrize(("axis", "message"), [("tie", "did you mean ties"), ("cutoff", "the measure states it")])
def test_axes_that_there_are_none_of(axis, message):
    with pytest.raises(ConventionError, match=message):
        found_on(axis, "default", "kaggle", "AP@2")


def test_the_shape_found_by_asking_is_said():
    found = rankspec.witness(swapped, "default", "AP", axis="cutoff")
    assert_names(str(found), "Called", "--shape actual-predicted")
