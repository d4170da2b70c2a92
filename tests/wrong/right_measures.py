"""Right implementations of measures beside AP, none by calling rankspec. Loaded by workers alone."""

from __future__ import annotations

from math import exp, log, log2
from statistics import fmean

import numpy as np


def order(scores):
    return sorted(scores, key=lambda document: -scores[document])


def mean(qrels, run, value):
    values = [value(grades, order(run[query])) if query in run else 0.0 for query, grades in qrels.items()]
    return fmean(values) if values else float("nan")


def qrels_run_precision(qrels, run, k):
    """P: hits over k."""
    return mean(qrels, run, lambda grades, docs: sum(grades.get(each, 0) >= 1 for each in docs[:k]) / k)


def qrels_run_recall_at_a_threshold(qrels, run, k, rel=1):
    """R at any threshold."""

    def value(grades, docs):
        wanted = {document for document, grade in grades.items() if grade >= rel}
        return len(wanted & set(docs[:k])) / len(wanted) if wanted else 0.0

    return mean(qrels, run, value)


def ranking_precision(relevance, k=None):
    """P: hits over k."""
    return sum(relevance[:k]) / k


def ranking_reciprocal_rank(relevance):
    """RR."""
    return next((1 / rank for rank, label in enumerate(relevance, 1) if label), 0.0)


def actual_predicted_success(actual, predicted, k):
    """Success; refuses a document that appears twice."""
    if len(set(predicted)) < len(predicted):
        raise ValueError("a document appears twice")
    return float(bool(set(actual) & set(predicted[:k])))


def labels_scores_dcg(y_true, y_score, k=None):
    """DCG of grades, ties in input order; a negative grade gains nothing."""
    best_first = sorted(zip(y_true, y_score, strict=True), key=lambda pair: -pair[1])[:k]
    return sum(max(label, 0) / log2(rank + 1) for rank, (label, _) in enumerate(best_first, 1))


def gained(gains):
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


def normalised(gain, k):
    def value(grades, docs):
        ideal = sorted((gain(grade) for grade in grades.values()), reverse=True)[:k]
        return gained(gain(grades.get(each, 0)) for each in docs[:k]) / gained(ideal) if any(ideal) else 0.0

    return value


def qrels_run_ndcg(qrels, run, k=None):
    """The nDCG of grades."""
    return mean(qrels, run, normalised(lambda grade: max(grade, 0), k))


def qrels_run_ndcg_by_expression(qrels, run, expression):
    """Reads what it is asked for from the whole expression."""
    is_exponential, k = "exp-log2" in expression, int(expression.rpartition("@")[2])
    return mean(qrels, run, normalised(lambda grade: 2 ** max(grade, 0) - 1 if is_exponential else max(grade, 0), k))


def qrels_run_rbp(qrels, run, p, k=None):
    """RBP at any persistence."""
    return mean(
        qrels,
        run,
        lambda grades, docs: (1 - p) * sum(p**i for i, each in enumerate(docs[:k]) if grades.get(each, 0) >= 1),
    )


def qrels_run_rbp_in_singles(qrels, run, *, p):
    """RBP in float32, and returned as what it is."""
    persistence, one = np.float32(p), np.float32(1)
    values = []
    for query, grades in qrels.items():
        total, weight = np.float32(0), one - persistence
        for document in order(run.get(query, {})):
            total += weight * np.float32(grades.get(document, 0) >= 1)
            weight *= persistence
        values.append(total)
    return np.mean(np.array(values, np.float32), dtype=np.float32) if values else np.float32("nan")


def qrels_run_bpref(qrels, run):
    """The bpref of trec_eval."""

    def value(grades, docs):
        relevant = sum(grade >= 1 for grade in grades.values())
        bound, above, kept = min(relevant, len(grades) - relevant), 0, 0.0
        for document in docs:
            if grades.get(document, 0) >= 1:
                kept += 1 - min(above, relevant) / bound if above else 1
            else:
                above += document in grades
        return kept / relevant if relevant else 0.0

    return mean(qrels, run, value)


def qrels_run_infap(qrels, run):
    """The infAP of trec_eval, its epsilon a double."""

    def value(grades, docs):
        relevant, kept, found, missed = sum(grade >= 1 for grade in grades.values()), 0.0, 0, 0
        for rank, document in enumerate(docs, 1):
            if grades.get(document, 0) >= 1:
                pooled = (found + missed) / (rank - 1) if rank > 1 else 0.0
                kept += 1 / rank + (rank - 1) / rank * pooled * (found + 0.00001) / (found + missed + 2 * 0.00001)
                found += 1
            else:
                missed += document in grades
        return kept / relevant if relevant else 0.0

    return mean(qrels, run, value)


def qrels_run_count(qrels, run):
    """The relevant documents retrieved, in all."""
    return sum(qrels.get(query, {}).get(document, 0) >= 1 for query in run for document in run[query])


def qrels_run_geometric(qrels, run):
    """GMAP, by logarithms."""

    def value(grades, docs):
        places = [rank for rank, document in enumerate(docs, 1) if grades.get(document, 0) >= 1]
        relevant = sum(grade >= 1 for grade in grades.values())
        return sum(i / rank for i, rank in enumerate(places, 1)) / relevant if relevant else 0.0

    values = [value(grades, order(run.get(query, {}))) for query, grades in qrels.items()]
    return exp(fmean(log(max(each, 1e-5)) for each in values)) if values else float("nan")
