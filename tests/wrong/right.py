"""Right implementations, each in a way of its own and none by calling rankspec. Loaded by workers alone."""

import struct
from fractions import Fraction
from itertools import accumulate, groupby
from statistics import fmean

import numpy as np


def ranking_by_running_sum(relevance, num_relevant, k=None):
    """Under default: a plain loop."""
    hits, total = 0, 0.0
    for rank, label in enumerate(relevance[:k], 1):
        if label:
            hits += 1
            total += hits / rank
    return total / num_relevant if num_relevant else 0.0


def ranking_by_recall(relevance, num_relevant, k=None):
    """Under default: recall increments times precision, in numpy."""
    hits = np.cumsum(np.array(relevance[:k], dtype=float))
    recall = hits / max(num_relevant, 1)
    return float(np.sum(np.diff(recall, prepend=0.0) * hits / np.arange(1, len(hits) + 1)))


def ranking_exactly(relevance, num_relevant, k=None):
    """Under default: in fractions."""
    places = [rank for rank, label in enumerate(relevance[:k], 1) if label]
    return sum((Fraction(i, rank) for i, rank in enumerate(places, 1)), Fraction()) / max(num_relevant, 1)


def ranking_in_singles(relevance, num_relevant, k=None):
    """Under default: in float32, and returned as what it is."""
    hits = np.cumsum(np.array(relevance[:k], dtype=np.float32), dtype=np.float32)
    precision = hits / np.arange(1, len(hits) + 1, dtype=np.float32)
    return np.sum(precision * np.array(relevance[:k], np.float32), dtype=np.float32) / np.float32(max(num_relevant, 1))


def labels_scores_blocks(y_true, y_score):
    """Under sklearn: one operating point a block of ties."""
    pairs = sorted(zip(y_score, y_true, strict=True), reverse=True)
    rank, hits, total = 0, 0, 0.0
    for _, block in groupby(pairs, key=lambda pair: pair[0]):
        labels = [label for _, label in block]
        rank, hits = rank + len(labels), hits + sum(labels)
        total += sum(labels) * hits / rank
    return total / hits if hits else 0.0


def actual_predicted_kaggle(actual, predicted, k=10):
    """Under kaggle: as in ml_metrics, a copy of a document keeps its rank and counts nothing."""
    score, hits = 0.0, 0.0
    for i, document in enumerate(predicted[:k]):
        if document in actual and document not in predicted[:i]:
            hits += 1.0
            score += hits / (i + 1.0)
    return score / min(len(actual), k) if actual else 0.0


def actual_predicted_once(actual, predicted, k=None):
    """Under default[duplicates=removed]: a document that stands there already is dropped before the cutoff."""
    hits = list(accumulate(document in actual for document in list(dict.fromkeys(predicted))[:k]))
    gains = [hits[i] - (hits[i - 1] if i else 0) for i in range(len(hits))]
    return sum(gain * hits[i] / (i + 1) for i, gain in enumerate(gains)) / (len(actual) or 1)


def qrels_run_mean(qrels, run, rel=1, k=None):
    """Under default: the mean over the queries of the qrels."""
    values = []
    for query, grades in qrels.items():
        relevant = {document for document, grade in grades.items() if grade >= rel}
        scores = run.get(query, {})
        ranked = sorted(scores, key=scores.get, reverse=True)[:k]
        places = [rank for rank, document in enumerate(ranked, 1) if document in relevant]
        values.append(sum(i / r for i, r in enumerate(places, 1)) / (len(relevant) or 1))
    return sum(values) / len(values) if values else float("nan")


def qrels_run_trec(qrels, run, rel=1, k=None):
    """Under trec_eval-9.0.8: float32 scores, the greater docno first, queries of the run alone."""
    values = {}
    for query in (query for query in run if query in qrels):
        order = sorted(run[query], key=lambda d: (single(run[query][d]), d.encode()), reverse=True)
        relevant = [document for document, grade in qrels[query].items() if grade >= rel and grade >= 0]
        hits = [rank for rank, document in enumerate(order[:k], 1) if document in relevant]
        values[query] = sum(i / rank for i, rank in enumerate(hits, 1)) / max(len(relevant), 1)
    return values


def single(score):
    try:
        return struct.unpack("f", struct.pack("f", score))[0]
    except OverflowError:
        return score * float("inf")


# ---- Measures beside average precision: by a threshold, an expression or a parameter that they are handed


def order(scores):
    return sorted(scores, key=lambda document: -scores[document])


def mean(qrels, run, value):
    values = [value(grades, order(run[query])) if query in run else 0.0 for query, grades in qrels.items()]
    return fmean(values) if values else float("nan")


def qrels_run_precision(qrels, run, k):
    """P: hits over k."""
    return mean(qrels, run, lambda grades, docs: sum(grades.get(each, 0) >= 1 for each in docs[:k]) / k)


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
