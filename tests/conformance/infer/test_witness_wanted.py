"""Inputs that show one axis or each alone, and those on which both give a number; a function's own cutoff."""

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


def ap(grades, scores, *, over_length=False):
    hits, total = 0, 0.0
    for rank, docno in enumerate(sorted(scores, key=lambda docno: -scores[docno]), start=1):
        if grades.get(docno, 0) > 0:
            hits += 1
            total += hits / rank
    whole = len(scores) if over_length else sum(grade > 0 for grade in grades.values())
    return total / whole if hits else 0.0


def mean(values):
    listed = list(values)
    return sum(listed) / len(listed) if listed else float("nan")


def plain_by_names(qrels, run):
    return mean(ap(grades, run.get(query, {})) for query, grades in qrels.items())


def other(qrels, run):
    return mean(ap(grades, run[query], over_length=True) for query, grades in qrels.items() if query in run)


@pytest.fixture(scope="module")
def found():
    return rankspec.witness(plain_by_names, other, "AP")


@pytest.mark.campaign
def test_every_axis_has_its_input(found):
    by_axis = {each.axis: each for each in found.by_axis}
    assert {"denominator", "missing_query"} <= by_axis.keys()
    missing = by_axis["missing_query"]
    assert "zero" in missing.settings[0]
    assert "skip" in missing.settings[1]
    assert {*missing.given["qrels"]} > {*missing.given["run"]}
    assert missing.values[0] != missing.values[1]


def test_conventions_keep_their_rows():
    (row, *_) = rankspec.witness("sklearn-0.18", "kaggle", "AP@2").to_dict()["by_axis"]
    assert {*row} == {"axis", "input", "values"}
    assert {*row["values"]} == {"A", "changed"}


def hits_share(labels, *, least):
    if len(labels) < least:
        raise ValueError(labels)
    hits = [rank for rank, label in enumerate(labels, start=1) if label]
    if least == 0 and not hits:
        raise ValueError(labels)
    return sum(number / rank for number, rank in enumerate(hits, start=1)) / len(hits) if hits else 0.0


def refuses_one_document(labels):
    return hits_share(labels, least=2)


def refuses_no_relevant(labels):
    return hits_share(labels, least=0)


@pytest.mark.parametrize(
    ("function", "axes"),
    [(refuses_one_document, []), pytest.param(refuses_no_relevant, ["no_relevant"], marks=pytest.mark.campaign)],
)
def test_a_refusal_is_a_rule_where_larger_inputs_are_refused_too(function, axes):
    """Of one document without a relevant one both raise; of two, who refuses short lists returns 0."""
    found = rankspec.witness(function, "default", "AP")
    assert found.texts == ("ValueError", "0")
    assert [each.axis for each in found.axes] == axes


def first_three(labels):
    return hits_share(labels[:3], least=1)


@pytest.mark.campaign
def test_what_a_cutoff_explains_is_no_other_rule():
    """Of [1, 0, 1, 1] three documents make 5/6, which is also what an envelope over all four makes."""
    found = rankspec.witness(first_three, "default", "AP")
    assert ([each.axis for each in found.axes], [each.axis for each in found.by_axis]) == (["cutoff"], ["cutoff"])
    assert (found.texts, found.size.documents) == (("0.0", "1/4"), 4)
