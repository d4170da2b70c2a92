"""Two implementations that part on several axes: each axis has its own input; a name that is both is told apart."""

import pytest
import rankspec


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


def plain(qrels, run):
    return mean(ap(grades, run.get(query, {})) for query, grades in qrels.items())


def other(qrels, run):
    return mean(ap(grades, run[query], over_length=True) for query, grades in qrels.items() if query in run)


@pytest.fixture(scope="module")
def found():
    return rankspec.witness(plain, other, "AP")


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
