"""What identify asks at the boundaries of a cutoff, of grades, of names and of lists; with functions by hand."""

import math

import pytest
from golden_words import SAID
from rankspec.conformance.infer.interview.relations import SEPARATORS, boundaries, relations
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
