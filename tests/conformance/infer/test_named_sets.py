"""What does not keep queries apart, or counts too much in R, is named; the functions stand in no other set."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from campaign import in_campaign
from golden_words import SAID
from identified_in_process import identified, precisions_over
from rankspec.conformance.infer.deviations.sets import MIXED, TWO_SETS, of_sets
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.interview.prediction import Predictor
from rankspec.conformance.infer.interview.probe import Probe, shaped
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
    (ranks_go_on, SAID["ranks-ranks-continue-from"]),
    (sorted_and_zipped, SAID["queries-judgments-lists-paired-sorted"]),
    (relevant_of_all, SAID["r-relevant-documents-all"]),
]


@pytest.mark.parametrize(("function", "words"), in_campaign(NAMED))
def test_what_mixes_queries_is_named(function, words):
    found = identified(function, "AP")
    assert found.status is Status.OUTSIDE
    assert words in found.deviations


def _asked():
    qrels = Qrels.of({"q2": {"a": 1, "b": 0}, "q1": {"b": 1, "c": 1}, "q3": {"c": 0}})
    run = Run.of({"q1": {"a": 3, "b": 2}, "q2": {"a": 1, "d": 5, "b": 0}})
    made = Probe(SAID["three-queries-2"], parse_measure("AP@2"), qrels, run)
    found = shaped(made, Signature(Shape.QRELS_RUN, ("qrels", "run"), Need.ABSENT, Need.OPTIONAL))
    assert found is not None
    return found


def _listed(asked):
    return {query: [docno for docno, _ in asked.run.documents(query)] for query in asked.run}


LISTS = {
    SAID["judgments-lists-paired-position"]: {"q2": ["a", "b"], "q1": ["a", "d", "b"]},
    SAID["documents-earlier-queries-left"]: {"q2": ["a", "d", "b"], "q1": []},
    SAID["takes-first-k-documents"]: {
        "q1": ["a", "b"],
        "q2": ["a", "d"],
    },
    SAID["documents-all-queries-ranked"]: {
        "q2": ["a", "d", "b", "\x00q1 a", "\x00q1 b"],
        "q1": ["\x00q2 a", "\x00q2 d", "\x00q2 b", "a", "b"],
    },
    SAID["ranks-continue-from-query"]: {"q2": ["a", "d", "b"], "q1": ["\x00q2 a", "\x00q2 d", "\x00q2 b", "a", "b"]},
}


@pytest.mark.parametrize("words", LISTS)
def test_lists_of_two_queries(words):
    change = {said: each for _, said, each in MIXED}[words]
    assert _listed(change(_asked())) == LISTS[words]


COUNTED = {
    SAID["all-judged-documents-query"]: [1, 1],
    SAID["relevant-documents-all-queries"]: [1, 0, 1, 1, 0],
}


@pytest.mark.parametrize("words", COUNTED)
def test_what_is_counted(words):
    counted = {said: each for _, said, _, each in TWO_SETS}[words]
    assert list(counted(_asked(), "q2")) == COUNTED[words]


# AP@2 of q2 is 1/2, of q1 (1/2)/2 and of q3, which has nothing relevant, 0.
MEANS = {
    SAID["last-query-qrels-left"]: Fraction(3, 8),
    SAID["first-query-qrels-left"]: Fraction(1, 8),
    SAID["mean-leaves-out-queries"]: Fraction(3, 8),
    SAID["queries-weighted-r-their"]: Fraction(1, 3),
    SAID["queries-weighted-number-their"]: Fraction(3, 10),
    SAID["returns-sum-values"]: Fraction(3, 4),
}


@pytest.mark.parametrize("words", MEANS)
def test_means_of_three_queries(words):
    deviation = next(each for each in of_sets() if each.words == words)
    assert deviation.made(Predictor()).predicted(_asked(), DEFAULT).value == MEANS[words]


SECOND = {
    "sorts_by_an_integer_difference": SAID["truncates-differences-scores"],
    "sorts_scores_as_text": SAID["compared-text-2"],
    "takes_ranks_for_an_order": SAID["uses-ranks-documents-their"],
    "cut_at_one_half": SAID["document-score-below-0"],
    "pairs_queries_by_position": SAID["paired-position-2"],
    "relevant_for_any_query": SAID["relevant-any-query"],
    "numbers_rows_across_queries": SAID["documents-all-queries-ranked"],
    "passes_over_what_it_has_seen": SAID["documents-earlier-queries-left"],
    "running_mean_halved": SAID["averages-each-value-mean"],
}
"""Those of the second blind set that are named by their order or their sets, and words of their names."""


@pytest.mark.campaign
@pytest.mark.parametrize("each", [each for each in blind_second() if each.name in SECOND], ids=lambda each: each.name)
def test_a_blind_deviation_of_the_second_set_is_named(each):
    found = identified(each.function, each.measure)
    assert found.explained
    assert any(SECOND[each.name] in line for line in found.deviations)
