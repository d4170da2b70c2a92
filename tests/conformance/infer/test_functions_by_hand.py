"""What identify says of functions by hand: at the boundaries of cutoffs, grades and lists, and with labels above 1."""

import math

import pytest
import rankspec
from campaign import in_campaign, one_in
from golden_words import SAID
from identified_in_process import identified, precisions_over
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.interview.relations import SEPARATORS, boundaries, relations
from rankspec.conformance.pytest_plugin.suite import Stated, Suite
from rankspec.oracle import parse_measure


def reciprocal_rank(labels, _, __):
    return next((1 / rank for rank, label in enumerate(labels, 1) if label), 0.0)


def precision(labels, _, k):
    return sum(labels) / k


def recall(labels, relevant, _):
    return sum(labels) / relevant


def average_precision(labels, relevant, _):
    hits = [rank for rank, label in enumerate(labels, 1) if label]
    return sum(number / rank for number, rank in enumerate(hits, 1)) / relevant


def ndcg(labels, relevant, k):
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(relevant, k) + 1))
    return sum(label / math.log2(rank + 1) for rank, label in enumerate(labels, 1)) / ideal


MEASURES = {"RR": reciprocal_rank, "P": precision, "R": recall, "AP": average_precision, "nDCG": ndcg}


def labels_and_relevant(probe):
    grades = probe.qrels.grades("q")
    listed = sorted(probe.run.documents("q"), key=lambda each: -each.score)
    return [int(grades[each.docno] > 0) for each in listed], sum(grade > 0 for grade in grades.values())


@pytest.mark.parametrize("k", [1, 3, 10, 100])
@pytest.mark.parametrize("more", [-1, 1])
@pytest.mark.parametrize("name", MEASURES)
def test_a_cut_that_is_one_off_shows(name, k, more):
    value = MEASURES[name]
    asked = [labels_and_relevant(each) for each in boundaries(parse_measure(f"{name}@{k}"))]
    parted = [
        (labels, relevant)
        for labels, relevant in asked
        if value(labels[:k], relevant, k) != value(labels[: k + more], relevant, k)
    ]
    assert parted
    assert all(relevant >= sum(labels) for labels, relevant in asked)


def test_sizes_lie_on_both_sides_of_the_cutoff():
    asked = [labels_and_relevant(each) for each in boundaries(parse_measure("AP@10"))]
    sizes = {(relevant, len(labels)) for labels, relevant in asked}
    assert sizes >= {(relevant, length) for relevant in (9, 10, 11) for length in (9, 10, 11)}


RELATIONS = tuple(relations([parse_measure("nDCG@10")]))


def asked_of(family):
    (found,) = [each.probe for each in RELATIONS if each.family == family]
    return found


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("part", [0, -1])
def test_names_that_are_cut_at_a_separator_are_one(separator, part):
    probe = asked_of(f"documents with {separator} in their names")
    grades = probe.qrels.grades("q")
    names = {docno: docno.split(separator)[part] for docno in grades}
    assert len(set(grades)) == len(grades) > len(set(names.values()))
    assert any(
        names[one] == names[other] and grades[one] != grades[other]
        for one in grades
        for other in grades
        if {one, other} <= {each.docno for each in probe.run.documents("q")}
    )


def test_an_ideal_that_sorts_grades_as_text_shows():
    grades = asked_of(SAID["grades-two-digits"]).qrels.grades("q").values()
    assert sorted(grades, reverse=True) == [11, 10, 9, 2, 0]
    assert [int(text) for text in sorted(map(str, grades), reverse=True)] == [9, 2, 11, 10, 0]


def cascade(relevance, top):
    value, left = 0.0, 1.0
    for rank, grade in enumerate(relevance, 1):
        stop = (2**grade - 1) / 2**top
        value, left = value + left * stop / rank, left * (1 - stop)
    return value


@pytest.mark.campaign
def test_a_scale_that_ends_at_the_highest_grade_is_no_number():
    found = identified(lambda relevance: cascade(relevance, max([0, *relevance])), "ERR")
    assert found.status is Status.IDENTIFIED
    assert not found.axes["err_max_grade"]
    assert identified(lambda relevance: cascade(relevance, 4), "ERR").axes["err_max_grade"] == ("4",)


def test_what_is_beyond_the_scale_is_not_asked_where_no_convention_is_stated():
    longest = []

    def plain(relevance):
        longest.append(max([0, *relevance]))
        return cascade(relevance, 4)

    assert rankspec.check(plain, "ERR", cases="edge.stress.grade.*").conforms
    assert max(longest) < 2**32


def test_the_gate_of_pytest_holds_nothing_beyond_the_scale_against_a_function_unless_a_convention_is_stated():
    for under, is_held in ((None, False), ("default", True)):
        suite = Suite(Stated(lambda relevance: cascade(relevance, 4), under, "ERR", cases="edge.stress.grade.ap.1*"))
        answers = [suite.answer(each.id) for each in suite.tests]
        assert bool(suite.failing) is is_held
        assert all(each.verdict.conforms for each in answers) is False


def reciprocal_rank_of(relevance, adds=bool):
    return next((adds(label) / rank for rank, label in enumerate(relevance, 1) if adds(label)), 0.0)


def precision_of(relevance, k, adds=bool):
    return sum(map(adds, relevance[:k])) / k


def average_precision_of(y_true, y_score, adds=bool):
    order = sorted(range(len(y_true)), key=lambda place: -y_score[place])
    hits = [adds(y_true[place]) for place in order]
    total = sum(hit * sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1))
    return total / sum(hits) if sum(hits) else 0.0


def recall_of_rows(y_true, y_score, adds=bool):
    best = [
        [adds(row[place]) for place in (-scores).argsort(kind="stable")]
        for row, scores in zip(y_true, y_score, strict=True)
    ]
    return sum(sum(row[:3]) / sum(row) if sum(row) else 0.0 for row in best) / len(best)


GRADED = {"the label": lambda label: label, "1 where it is 1": lambda label: label == 1}
NAMES = {adds: name for name, adds in GRADED.items()}


@pytest.mark.parametrize(
    "adds", in_campaign(((each,) for each in GRADED.values()), but=["the label"], ids=lambda row: NAMES[row[0]])
)
@pytest.mark.parametrize(
    "wrong",
    in_campaign(
        [(each,) for each in (reciprocal_rank_of, precision_of, average_precision_of, recall_of_rows)],
        but=["precision_of"],
    ),
)
def test_a_label_of_two_is_asked_and_its_value_said(wrong, adds):
    if wrong is reciprocal_rank_of:
        found = rankspec.identify(lambda relevance: reciprocal_rank_of(relevance, adds), measure="RR")
    elif wrong is precision_of:
        found = rankspec.identify(lambda relevance, k: precision_of(relevance, k, adds), measure="P@3")
    elif wrong is recall_of_rows:
        found = rankspec.identify(
            lambda y_true, y_score: recall_of_rows(y_true, y_score, adds), shape="matrices", measure="R@3"
        )
    else:
        found = rankspec.identify(lambda y_true, y_score: average_precision_of(y_true, y_score, adds), measure="AP")
    assert found.status.value == "identified"
    assert found.labels
    assert found.labels == found.observations[0]
    # A quotient of sums of labels is no sum of labels.
    assert ("adds" in found.labels.split()) is (adds is GRADED["the label"] and wrong is not recall_of_rows)


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("depth", "measure", "of_axis"), [(20, "AP", ("20",)), (988, "AP", ("988",)), (4999, "AP", ("4999",))]
)
def test_a_depth_is_found_exactly(depth, measure, of_axis):
    def function(relevance, num_relevant):
        return precisions_over(relevance[:depth], num_relevant)

    found = identified(function, "AP")
    assert found.status is Status.IDENTIFIED
    assert (str(found.measure), found.axes.get("depth")) == (measure, of_axis)


@one_in(3)
@pytest.mark.parametrize("default", [3, 10, None])
def test_what_is_returned_without_a_cutoff_is_said(default):
    def function(relevance, num_relevant, k=default):
        return precisions_over(relevance[:k], num_relevant)

    found = identified(function, "AP@10")
    assert found.status is Status.IDENTIFIED
    assert [each for each in found.observations if "AP@" in each] == (
        [] if default is None else [f"without a cutoff it returns AP@{default}"]
    )
