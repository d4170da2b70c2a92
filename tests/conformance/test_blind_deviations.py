"""What nobody had in mind is caught too: each blind deviation by one small case, on which what is right conforms."""

from __future__ import annotations

import math
from functools import cache
from statistics import fmean

import pytest
from identified_in_process import identified
from rankspec.conformance.cases.catalogue import matching, shipped_cases
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.judge.verdicts import judge
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.questions.rendering import Asked, put
from rankspec.conformance.run.in_process import InProcess
from rankspec.oracle.language.expression import parse_convention, parse_measure
from wrong.blind import blind, by_query, ndcg_of, over, precisions_at_hits
from wrong.blind_second import ap_of, blind_second, mean, ranked, relevant_of, unusual

SETS = {"first": blind(), "second": blind_second()}
BLIND = [each for those in SETS.values() for each in those]
UNUSUAL = unusual()


def right_list(relevance, num_relevant, k=None):
    return over(sum(precisions_at_hits(relevance[:k])), num_relevant)


def right_scores(y_true, y_score):
    order = sorted(range(len(y_score)), key=lambda place: -y_score[place])
    return right_list([y_true[place] for place in order], sum(y_true))


def right_ids(actual, predicted, k=10):
    labels = [int(each in actual and each not in predicted[:place]) for place, each in enumerate(predicted[:k])]
    return over(sum(precisions_at_hits(labels)), min(len(actual), k))


def right_eleven_points(relevance, num_relevant):
    points = [(sum(relevance[:rank]), sum(relevance[:rank]) / rank) for rank in range(1, len(relevance) + 1)]
    best = [max((p for hits, p in points if 10 * hits >= i * num_relevant), default=0) for i in range(11)]
    return fmean(best) if any(relevance) else 0.0


def right_ndcg_of_scores(y_true, y_score):
    order = sorted(range(len(y_score)), key=lambda place: -y_score[place])
    return ndcg_of([y_true[place] for place in order], 0, lambda rank: math.log2(rank + 1))


def of_each_query(value):
    """Return the mean over the queries of what is worked out from grades and a ranking."""
    return lambda qrels, run: mean([value(grades, ranked(run.get(query, {}))) for query, grades in qrels.items()])


def right_rr(grades, documents):
    return next((1 / r for r, each in enumerate(documents, 1) if each in relevant_of(grades)), 0.0)


def right_f(grades, documents):
    relevant = relevant_of(grades)
    return 2 * len(relevant.intersection(documents[:5])) / (5 + len(relevant))


def right_ndcg(grades, documents):
    ideal, listed = sorted(grades.values(), reverse=True), [grades.get(each, 0) for each in documents]
    found, best = (sum(max(g, 0) / math.log2(r + 1) for r, g in enumerate(of, 1)) for of in (listed, ideal))
    return over(found, best)


def right_bpref(grades, documents):
    relevant, misses = relevant_of(grades), {each for each, grade in grades.items() if grade <= 0}
    bound, total = min(len(relevant), len(misses)), 0.0
    for place, each in enumerate(documents):
        if each in relevant:
            total += 1 - over(min(len(misses.intersection(documents[:place])), bound), bound)
    return over(total, len(relevant))


def right_err(grades, documents):
    stops = [(2 ** max(grades.get(each, 0), 0) - 1) / 16 for each in documents]
    return sum(math.prod(1 - each for each in stops[:place]) * p / (place + 1) for place, p in enumerate(stops))


RIGHT = {
    ("AP", "ranking"): right_list,
    ("AP", "labels-scores"): right_scores,
    ("AP", "actual-predicted"): right_ids,
    ("AP", "qrels-run"): lambda qrels, run: fmean(by_query(qrels, run)[0]),
    ("nDCG", "ranking"): lambda relevance, num_relevant: ndcg_of(relevance, num_relevant, lambda r: math.log2(r + 1)),
    ("RR", "ranking"): lambda relevance, num_relevant=None: next((1 / r for r, x in enumerate(relevance, 1) if x), 0.0),
    ("P@5", "ranking"): lambda relevance, k: sum(relevance[:k]) / k,
    ("AP11", "ranking"): right_eleven_points,
    ("R@5", "ranking"): lambda relevance, num_relevant, k: over(sum(relevance[:k]), num_relevant),
    ("RBP(p=0.8)", "ranking"): lambda relevance: 0.2 * sum(0.8**place * x for place, x in enumerate(relevance)),
    ("nDCG", "labels-scores"): right_ndcg_of_scores,
    ("AP@3", "qrels-run"): lambda qrels, run, k=None: of_each_query(lambda g, d: ap_of(g, d[:k]))(qrels, run),
    ("RR", "qrels-run"): of_each_query(right_rr),
    ("F@5", "qrels-run"): of_each_query(right_f),
    ("nDCG", "qrels-run"): of_each_query(right_ndcg),
    ("Bpref", "qrels-run"): of_each_query(right_bpref),
    ("ERR", "qrels-run"): of_each_query(right_err),
    ("P@5", "qrels-run"): of_each_query(lambda g, d: len(relevant_of(g).intersection(d[:5])) / 5),
}


@cache
def questions(measure):
    stated = parse_measure(measure)
    named = {each.case for each in BLIND}
    cases = [case for case in shipped_cases() if case.id in named]
    return {each.id: each for each in questions_of(cases, None if stated.name == "AP" else stated)}


@cache
def basic_questions():
    return questions_of(matching(shipped_cases(), "edge.basics.*"))


def judged(each, asked_of, function=None):
    """Return the verdicts on what can be asked, of ``function`` or else of the implementation itself."""
    fixed = parse_measure(each.measure).name != "AP"
    convention = parse_convention(each.under)
    with InProcess(function or each.function, each.shape).connect() as connection:
        puts = [put(question, convention, connection.hello, fixed=fixed) for question in asked_of]
        asked = [each for each in puts if isinstance(each, Asked)]
        outcomes = connection.ask([each.call for each in asked]).outcomes
    pairs = zip(outcomes, asked, strict=True)
    return [judge(outcome, each.expectation).verdict for outcome, each in pairs]


def conforms(function, each) -> bool:
    (verdict,) = judged(each, [questions(each.measure)[each.case]], function)
    return verdict.conforms


@pytest.mark.parametrize("each", BLIND, ids=lambda each: each.name)
def test_a_small_case_catches_it_and_nothing_right(each) -> None:
    assert not conforms(each.function, each)
    assert conforms(RIGHT[each.measure, each.shape], each)


@pytest.mark.parametrize("each", UNUSUAL, ids=lambda each: each.name)
def test_a_right_one_of_an_unusual_way_conforms_in_whatever_it_can_be_asked(each) -> None:
    verdicts = judged(each, basic_questions())
    assert all(verdict.conforms for verdict in verdicts)
    assert verdicts


@pytest.mark.campaign
@pytest.mark.parametrize("each", UNUSUAL, ids=lambda each: each.name)
def test_a_right_one_of_an_unusual_way_is_identified(each) -> None:
    told = identified(each.function, "AP")
    assert told.status is Status.IDENTIFIED
    assert told.texts[0] == "AP under default"
