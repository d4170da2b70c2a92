"""Measures as people write them, each under some convention, five lines each; and some that are wrong."""

from __future__ import annotations

import math
from statistics import fmean, geometric_mean


def _by_score(y_true, y_score):
    order = sorted(range(len(y_true)), key=lambda place: -y_score[place])
    return [y_true[place] for place in order]


def _ranked(qrels, run, ties=1):
    """Yield query, grades and the retrieved grades (None: unjudged), of queries in both; ties by name, descending."""
    for query in qrels:
        if query in run:
            listed = sorted(run[query], reverse=ties > 0)
            listed.sort(key=lambda docno: -run[query][docno])
            yield query, qrels[query], [qrels[query].get(docno) for docno in listed]


def _dcg(gains, log=lambda rank: math.log2(rank + 1)):
    return sum(gain / log(rank) for rank, gain in enumerate(gains, start=1))


def _ratio(above, below):
    return above / below if below else 0.0


# ---- Labels in rank order


def precision(relevance, k):
    return sum(label > 0 for label in relevance[:k]) / k


def precision_of_what_there_is(relevance, k):
    return _ratio(sum(relevance[:k]), len(relevance[:k]))


def precision_relative(relevance, num_relevant, k):
    return _ratio(sum(relevance[:k]), min(num_relevant, k))


def recall(relevance, num_relevant, k):
    return _ratio(sum(relevance[:k]), num_relevant)


def recall_capped(relevance, num_relevant, k):
    return _ratio(sum(relevance[:k]), min(num_relevant, k))


def recall_without_relevant_nan(relevance, num_relevant, k):
    return sum(relevance[:k]) / num_relevant if num_relevant else math.nan


def recall_without_relevant_one(relevance, num_relevant, k):
    return sum(relevance[:k]) / num_relevant if num_relevant else 1.0


def recall_raises(relevance, num_relevant, k):
    return sum(relevance[:k]) / num_relevant


def f_two(relevance, num_relevant, k):
    p, r = sum(relevance[:k]) / k, _ratio(sum(relevance[:k]), num_relevant)
    return _ratio(5 * p * r, 4 * p + r)


def f_two_of_trec_eval(relevance, num_relevant):
    p, r = _ratio(sum(relevance), len(relevance)), _ratio(sum(relevance), num_relevant)
    return _ratio(3 * p * r, 2 * p + r)


def f_two_of_a_set(relevance, num_relevant):
    p, r = _ratio(sum(relevance), len(relevance)), _ratio(sum(relevance), num_relevant)
    return _ratio(5 * p * r, 4 * p + r)


def success(relevance, k):
    return float(any(relevance[:k]))


def reciprocal_rank(relevance):
    return next((1 / rank for rank, label in enumerate(relevance, start=1) if label), 0.0)


def reciprocal_rank_cut(relevance, num_relevant, k):
    return next((1 / rank for rank, label in enumerate(relevance[:k], start=1) if label), 0.0)


def r_precision(relevance, num_relevant):
    return _ratio(sum(relevance[:num_relevant]), num_relevant)


def set_precision(relevance, num_relevant):
    return _ratio(sum(relevance), len(relevance))


def set_precision_relative(relevance, num_relevant):
    return _ratio(sum(relevance), min(len(relevance), num_relevant))


def set_average_precision(relevance, num_relevant):
    return _ratio(sum(relevance) ** 2, len(relevance) * num_relevant)


def dcg(relevance, k):
    return _dcg(relevance[:k])


def dcg_exponential(relevance, k):
    return _dcg([2**label - 1 for label in relevance[:k]])


def dcg_of_2002(relevance):
    return _dcg(relevance, lambda rank: max(1.0, math.log2(rank)))


def ndcg_of_the_list(relevance, k):
    return _ratio(_dcg(relevance[:k]), _dcg(sorted(relevance, reverse=True)[:k]))


def ndcg_of_the_top(relevance, k):
    return _ratio(_dcg(relevance[:k]), _dcg(sorted(relevance[:k], reverse=True)))


def ndcg_uncut_ideal(relevance, k):
    return _ratio(_dcg(relevance[:k]), _dcg(sorted(relevance, reverse=True)))


def ndcg_binary(relevance):
    binary = [int(label > 0) for label in relevance]
    return _ratio(_dcg(binary), _dcg(sorted(binary, reverse=True)))


def rbp_eight(relevance):
    return sum(0.2 * 0.8**place for place, label in enumerate(relevance) if label)


def rbp_half(relevance):
    return sum(0.5 * 0.5**place for place, label in enumerate(relevance) if label)


def interpolated_at_three_tenths(relevance, num_relevant):
    best, hits, needed = 0.0, 0, -(-3 * num_relevant // 10)
    for rank, label in enumerate(relevance, start=1):
        hits += label
        best = max(best, hits / rank) if hits >= needed else best
    return best


def interpolated_as_trec_eval_nine(relevance, num_relevant):
    best, hits, needed = 0.0, 0, int(0.3 * num_relevant + 0.9)
    for rank, label in enumerate(relevance, start=1):
        hits += label
        best = max(best, hits / rank) if hits >= needed else best
    return best


def bpref_2004(relevance, num_relevant):
    total, above = 0.0, 0
    for label in relevance:
        total += 1 - min(above, num_relevant) / num_relevant if label else 0
        above += not label
    return _ratio(total, num_relevant)


def bpref_ten(relevance, num_relevant):
    total, above = 0.0, 0
    for label in relevance:
        total += 1 - min(above, 10 + num_relevant) / (10 + num_relevant) if label else 0
        above += not label
    return _ratio(total, num_relevant)


# ---- Labels with scores


def ndcg_of_scores(y_true, y_score, k):
    gains = [2**label - 1 for label in _by_score(y_true, y_score)]
    return _ratio(_dcg(gains[:k]), _dcg(sorted(gains, reverse=True)[:k]))


def ndcg_ties_expected(y_true, y_score):
    means = {}
    for label, score in zip(y_true, y_score, strict=True):
        means.setdefault(score, []).append(label)
    gains = [fmean(means[score]) for score in sorted(y_score, reverse=True)]
    return _ratio(_dcg(gains), _dcg(sorted(y_true, reverse=True)))


def rank_ties_pessimistic(y_true, y_score):
    pairs = sorted(zip(y_score, y_true, strict=True), key=lambda pair: (-pair[0], pair[1]))
    return next((1 / rank for rank, (_, label) in enumerate(pairs, start=1) if label), 0.0)


def rank_ties_optimistic(y_true, y_score):
    pairs = sorted(zip(y_score, y_true, strict=True), reverse=True)
    return next((1 / rank for rank, (_, label) in enumerate(pairs, start=1) if label), 0.0)


# ---- Ids


def recall_of_ids(actual, predicted, k):
    return _ratio(len({*actual} & {*predicted[:k]}), len({*actual}))


def hit_rate_of_ids(actual, predicted, k):
    return float(bool({*actual} & {*predicted[:k]}))


def ndcg_of_ids(actual, predicted, k):
    gains = [int(docno in actual and docno not in predicted[:place]) for place, docno in enumerate(predicted[:k])]
    return _ratio(_dcg(gains), _dcg([1] * min(len({*actual}), k)))


# ---- Qrels and runs


def ndcg_of_queries(qrels, run):
    found = {}
    for query, grades, listed in _ranked(qrels, run):
        gains = [max(grade or 0, 0) for grade in listed]
        ideal = sorted((max(grade, 0) for grade in grades.values()), reverse=True)
        found[query] = _ratio(_dcg(gains[:5]), _dcg(ideal[:5]))
    return found


def rank_of_queries(qrels, run):
    return {
        query: next((1 / rank for rank, grade in enumerate(listed, start=1) if (grade or 0) > 0), 0.0)
        for query, _, listed in _ranked(qrels, run)
    }


def rank_of_condensed_lists(qrels, run):
    found = {}
    for query, _, listed in _ranked(qrels, run):
        judged = [grade for grade in listed if grade is not None]
        found[query] = next((1 / rank for rank, grade in enumerate(judged, start=1) if grade > 0), 0.0)
    return found


def bpref_of_queries(qrels, run):
    found = {}
    for query, grades, listed in _ranked(qrels, run):
        relevant = sum(grade > 0 for grade in grades.values())
        least = min(relevant, len(grades) - relevant)
        total, above = 0.0, 0
        for grade in (grade for grade in listed if grade is not None):
            total += (1 - min(above, relevant) / least if above else 1) if grade > 0 else 0
            above += grade <= 0
        found[query] = _ratio(total, relevant)
    return found


def judged_of_queries(qrels, run):
    return {query: sum(grade is not None for grade in listed[:3]) / 3 for query, _, listed in _ranked(qrels, run)}


def mean_precision(qrels, run):
    each = {query: sum((g or 0) > 0 for g in listed[:2]) / 2 for query, _, listed in _ranked(qrels, run)}
    return sum(each.values()) / len(qrels) if qrels else math.nan


def geometric_recall(qrels, run):
    values = []
    for query, grades in qrels.items():
        relevant = {docno for docno, grade in grades.items() if grade > 0}
        values.append(_ratio(len(relevant & {*run.get(query, ())}), len(relevant)))
    return geometric_mean([max(value, 0.00001) for value in values]) if values else math.nan


IDENTIFIED = {
    precision: ("P@5", {}),
    precision_of_what_there_is: ("P@3", {"precision_denominator": "min-cutoff-length"}),
    precision_relative: ("P@3", {"precision_denominator": "min-relevant-cutoff"}),
    recall: ("R@3", {}),
    recall_capped: ("R@2", {"recall_denominator": "min-relevant-cutoff"}),
    recall_without_relevant_nan: ("R@5", {"no_relevant": "nan"}),
    recall_without_relevant_one: ("R@2", {"no_relevant": "one"}),
    recall_raises: ("R@2", {"no_relevant": "error"}),
    f_two: ("F(beta=2)@3", {}),
    f_two_of_trec_eval: ("SetF(beta=2)", {"f_weight": "beta"}),
    f_two_of_a_set: ("SetF(beta=2)", {}),
    success: ("Success@3", {}),
    reciprocal_rank: ("RR", {}),
    reciprocal_rank_cut: ("RR@10", {}),
    r_precision: ("Rprec", {}),
    set_precision: ("SetP", {}),
    set_precision_relative: ("SetP(relative=True)", {}),
    recall_of_ids: ("R@3", {"duplicates": "first"}),
    set_average_precision: ("SetAP", {}),
    dcg: ("DCG@4", {}),
    dcg_exponential: ("DCG@3", {"gain": "exponential"}),
    dcg_of_2002: ("DCG", {"discount": "log2-rank"}),
    ndcg_of_the_list: ("nDCG@3", {"ideal": "retrieved"}),
    ndcg_of_the_top: ("nDCG@3", {"ideal": "retrieved-top"}),
    ndcg_uncut_ideal: ("nDCG@2", {"ideal": "judged-uncut"}),
    ndcg_binary: ("nDCG", {"gain": "binary"}),
    rbp_eight: ("RBP", {}),
    rbp_half: ("RBP", {"rbp_persistence": "1/2"}),
    interpolated_at_three_tenths: ("IPrec@0.3", {"no_relevant": "zero"}),
    interpolated_as_trec_eval_nine: ("IPrec@0.3", {"recall_grid": "trec_eval-9"}),
    bpref_2004: ("Bpref", {"bpref_variant": "sigir-2004"}),
    bpref_ten: ("Bpref", {"bpref_variant": "bpref-10"}),
    ndcg_of_scores: ("nDCG@10", {"gain": "exponential"}),
    ndcg_ties_expected: ("nDCG", {"ties": "expected"}),
    rank_ties_pessimistic: ("RR", {"ties": "pessimistic"}),
    rank_ties_optimistic: ("RR", {"ties": "optimistic"}),
    hit_rate_of_ids: ("Success@2", {"duplicates": "counted"}),
    ndcg_of_ids: ("nDCG@3", {"duplicates": "first"}),
    ndcg_of_queries: ("nDCG@5", {"ties": "docno-descending", "missing_query": "skip"}),
    rank_of_queries: ("RR", {"ties": "docno-descending", "missing_query": "skip"}),
    rank_of_condensed_lists: ("RR", {"ties": "docno-descending", "missing_query": "skip", "unjudged": "removed"}),
    bpref_of_queries: ("Bpref", {"ties": "docno-descending", "missing_query": "skip"}),
    judged_of_queries: ("Judged@3", {"ties": "docno-descending", "missing_query": "skip"}),
    mean_precision: ("P@2", {"ties": "docno-descending"}),
    geometric_recall: ("SetR", {"aggregate": "geometric"}),
}
"""Function -> the measure that it is said to compute, and how its convention differs from the default."""


# ---- Wrong ones


def ndcg_natural(relevance, k):
    """Take the natural logarithm in the list and the binary one in the ideal."""
    return _ratio(_dcg(relevance[:k], lambda rank: math.log(rank + 1)), _dcg(sorted(relevance, reverse=True)[:k]))


def discount_from_two(relevance):
    """Discount the first document by log2(3)."""
    return _dcg([0, *relevance])


def rank_from_zero(relevance):
    return next((1 / (rank + 1) for rank, label in enumerate(relevance, start=1) if label), 0.0)


def precision_one_more(relevance, k):
    return sum(relevance[: k + 1]) / k


def recall_in_percent(relevance, num_relevant, k):
    return 100 * _ratio(sum(relevance[:k]), num_relevant)


def mean_rank(relevance):
    return fmean([1 / rank for rank, label in enumerate(relevance, start=1) if label] or [0.0])


def bpref_that_ranks(relevance, num_relevant):
    return _ratio(sum(1 - place / len(relevance) for place, label in enumerate(relevance) if label), num_relevant)


WRONG = {
    ndcg_natural: "nDCG@3",
    discount_from_two: "DCG",
    rank_from_zero: "RR",
    precision_one_more: "P@3",
    recall_in_percent: "R@3",
    mean_rank: "RR",
    bpref_that_ranks: "Bpref",
}
"""Function -> the measure that it is said to compute."""
