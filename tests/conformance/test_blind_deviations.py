"""What nobody had in mind is caught too: each blind deviation by one small case, on which what is right conforms."""

from __future__ import annotations

import math
from functools import cache
from statistics import fmean

import pytest
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.judge.verdicts import judge
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.questions.rendering import put
from rankspec.conformance.run.in_process import InProcess
from rankspec.oracle.language.expression import parse_convention, parse_measure
from wrong.blind import blind, by_query, ndcg_of, over, precisions_at_hits

BLIND = blind()


def right_list(relevance, num_relevant, k=None):
    return over(sum(precisions_at_hits(relevance[:k])), num_relevant)


def right_scores(y_true, y_score):
    order = sorted(range(len(y_score)), key=lambda place: -y_score[place])
    return right_list([y_true[place] for place in order], sum(y_true))


def right_ids(actual, predicted, k=10):
    labels = [int(each in actual and each not in predicted[:place]) for place, each in enumerate(predicted[:k])]
    return over(sum(precisions_at_hits(labels)), min(len(actual), k))


RIGHT = {
    ("AP", "ranking"): right_list,
    ("AP", "labels-scores"): right_scores,
    ("AP", "actual-predicted"): right_ids,
    ("AP", "qrels-run"): lambda qrels, run: fmean(by_query(qrels, run)[0]),
    ("nDCG", "ranking"): lambda relevance, num_relevant: ndcg_of(relevance, num_relevant, lambda r: math.log2(r + 1)),
    ("RR", "ranking"): lambda relevance, num_relevant=None: next((1 / r for r, x in enumerate(relevance, 1) if x), 0.0),
    ("P@5", "ranking"): lambda relevance, k: sum(relevance[:k]) / k,
}


@cache
def questions(measure):
    stated = parse_measure(measure)
    named = {each.case for each in BLIND}
    cases = [case for case in shipped_cases() if case.id in named]
    return {each.id: each for each in questions_of(cases, None if stated.name == "AP" else stated)}


def conforms(function, each) -> bool:
    connectable = InProcess(function, each.shape)
    fixed = parse_measure(each.measure).name != "AP"
    convention = parse_convention(each.under)
    with connectable.connect() as connection:
        asked = put(questions(each.measure)[each.case], convention, connection.hello, fixed=fixed)
        (outcome,) = connection.ask([asked.call]).outcomes
    return judge(outcome, asked.expectation).verdict.conforms


def test_there_are_thirty_of_them() -> None:
    assert len({each.name for each in BLIND}) == len(BLIND) >= 30


@pytest.mark.parametrize("each", BLIND, ids=lambda each: each.name)
def test_a_small_case_catches_it_and_nothing_right(each) -> None:
    assert not conforms(each.function, each)
    assert conforms(RIGHT[each.measure, each.shape], each)
