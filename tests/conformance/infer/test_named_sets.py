"""What deviations that do not keep queries apart, or count too much in R, make of three queries."""

from fractions import Fraction

import pytest
from golden_words import SAID
from rankspec.conformance.infer.interview.prediction import Predictor
from rankspec.conformance.infer.interview.probe import Probe, shaped
from rankspec.conformance.infer.mistakes.sets import MIXED, TWO_SETS, of_sets
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.oracle import parse_measure
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run


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
    SAID["takes-first-k-documents"]: {"q1": ["a", "b"], "q2": ["a", "d"]},
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


COUNTED = {SAID["all-judged-documents-query"]: [1, 1], SAID["relevant-documents-all-queries"]: [1, 0, 1, 1, 0]}


@pytest.mark.parametrize("words", COUNTED)
def test_what_is_counted(words):
    counted = {said: each for _, said, _, each in TWO_SETS}[words]
    assert list(counted(_asked(), "q2")) == COUNTED[words]


# AP@2 of q2 is 1/2, of q1 (1/2)/2 and of q3, which has nothing relevant, 0.
MEANS = {
    SAID["last-query-qrels-left"]: Fraction(3, 8),
    SAID["first-query-qrels-left"]: Fraction(1, 8),
    SAID["mean-leaves-out-queries"]: Fraction(3, 8),
    SAID["queries-weighted-number-their"]: Fraction(3, 10),
    SAID["returns-sum-values"]: Fraction(3, 4),
}


@pytest.mark.parametrize("words", MEANS)
def test_means_of_three_queries(words):
    deviation = next(each for each in of_sets() if each.words == words)
    assert deviation.predictor(Predictor()).predicted(_asked(), DEFAULT).value == MEANS[words]
