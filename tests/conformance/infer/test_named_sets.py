"""What does not keep queries apart, or counts too much in R, is named; the functions stand in no other set."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from campaign import in_campaign
from identified_in_process import identified, precisions_over
from rankspec.conformance.infer.deviations.sets import MIXED, TWO_SETS, of_sets
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify_connected
from rankspec.conformance.infer.interview.prediction import Predictor
from rankspec.conformance.infer.interview.probe import Probe, shaped
from rankspec.conformance.run.in_process import InProcess
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import parse_measure
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from wrong.blind_second import blind_second


def _ranked(scores):
    return sorted(scores, key=lambda docno: -scores[docno])


def _relevant(grades):
    return {docno for docno, grade in grades.items() if grade >= 1}


def _mean(values):
    return sum(values) / len(values) if values else math.nan


def ranks_go_on(qrels, run):
    values, above = [], 0
    for query, grades in qrels.items():
        relevant, listed = _relevant(grades), _ranked(run.get(query, {}))
        values.append(precisions_over([docno in relevant for docno in listed], len(relevant), above))
        above += len(listed)
    return _mean(values)


def sorted_and_zipped(qrels, run):
    values = []
    for query, other in zip(sorted(qrels), sorted(run), strict=False):
        relevant = _relevant(qrels[query])
        values.append(precisions_over([docno in relevant for docno in _ranked(run[other])], len(relevant)))
    return _mean(values)


def relevant_of_all(qrels, run):
    count = sum(len(_relevant(grades)) for grades in qrels.values())
    lists = {query: _ranked(run.get(query, {})) for query in qrels}
    return _mean(
        [precisions_over([d in _relevant(qrels[query]) for d in listed], count) for query, listed in lists.items()]
    )


NAMED = [
    (ranks_go_on, "ranks: ranks continue from query to query"),
    (sorted_and_zipped, "queries: judgments and lists are paired in sorted order, and the rest is dropped"),
    (relevant_of_all, "R: the relevant documents of all queries count in R"),
]


@pytest.mark.parametrize(("function", "words"), in_campaign(NAMED))
def test_what_mixes_queries_is_named(function, words):
    found = identified(function, "AP")
    assert found.status is Status.OUTSIDE
    assert words in found.deviations


def _asked():
    qrels = Qrels.of({"q2": {"a": 1, "b": 0}, "q1": {"b": 1, "c": 1}, "q3": {"c": 0}})
    run = Run.of({"q1": {"a": 3, "b": 2}, "q2": {"a": 1, "d": 5, "b": 0}})
    made = Probe("three queries", parse_measure("AP@2"), qrels, run)
    found = shaped(made, Signature(Shape.QRELS_RUN, ("qrels", "run"), Need.ABSENT, Need.OPTIONAL))
    assert found is not None
    return found


def _listed(asked):
    return {query: [docno for docno, _ in asked.run.documents(query)] for query in asked.run}


LISTS = {
    "judgments and lists are paired by position": {"q2": ["a", "b"], "q1": ["a", "d", "b"]},
    "documents of earlier queries are left out": {"q2": ["a", "d", "b"], "q1": []},
    "it takes the first k documents of the input, before it sorts or removes copies": {
        "q1": ["a", "b"],
        "q2": ["a", "d"],
    },
    "the documents of all queries are ranked together": {
        "q2": ["a", "d", "b", "\x00q1 a", "\x00q1 b"],
        "q1": ["\x00q2 a", "\x00q2 d", "\x00q2 b", "a", "b"],
    },
    "ranks continue from query to query": {"q2": ["a", "d", "b"], "q1": ["\x00q2 a", "\x00q2 d", "\x00q2 b", "a", "b"]},
}


@pytest.mark.parametrize("words", LISTS)
def test_lists_of_two_queries(words):
    change = {said: each for _, said, each in MIXED}[words]
    assert _listed(change(_asked())) == LISTS[words]


COUNTED = {
    "all judged documents of a query count in R": [1, 1],
    "the relevant documents of all queries count in R": [1, 0, 1, 1, 0],
}


@pytest.mark.parametrize("words", COUNTED)
def test_what_is_counted(words):
    counted = {said: each for _, said, _, each in TWO_SETS}[words]
    assert list(counted(_asked(), "q2")) == COUNTED[words]


# AP@2 of q2 is 1/2, of q1 (1/2)/2 and of q3, which has nothing relevant, 0.
MEANS = {
    "the last query of the qrels is left out": Fraction(3, 8),
    "the first query of the qrels is left out": Fraction(1, 8),
    "the mean leaves out queries with the value 0": Fraction(3, 8),
    "queries are weighted by R, their relevant documents": Fraction(1, 3),
    "queries are weighted by the number of their judged documents": Fraction(3, 10),
    "it returns the sum of the values": Fraction(3, 4),
}


@pytest.mark.parametrize("words", MEANS)
def test_means_of_three_queries(words):
    deviation = next(each for each in of_sets() if each.words == words)
    assert deviation.made(Predictor()).predicted(_asked(), DEFAULT).value == MEANS[words]


SECOND = {
    "sorts_by_an_integer_difference": "truncates differences of scores",
    "sorts_scores_as_text": "compared as text",
    "takes_ranks_for_an_order": "it uses the ranks of the documents as their order",
    "cut_at_one_half": "a document with a score below 0.5 is dropped",
    "pairs_queries_by_position": "are paired by position",
    "relevant_for_any_query": "relevant to any query",
    "numbers_rows_across_queries": "the documents of all queries are ranked together",
    "passes_over_what_it_has_seen": "documents of earlier queries are left out",
    "running_mean_halved": "averages each value with the mean so far",
}
"""Those of the second blind set that are named by their order or their sets, and words of their names."""


@pytest.mark.campaign
@pytest.mark.parametrize("each", [each for each in blind_second() if each.name in SECOND], ids=lambda each: each.name)
def test_a_blind_deviation_of_the_second_set_is_named(each):
    found = identify_connected(InProcess(each.function, each.shape), parse_measure(each.measure))
    assert found.explained
    assert any(SECOND[each.name] in line for line in found.deviations)
