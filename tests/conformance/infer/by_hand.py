"""Programs by hand whose conventions `identify` has to find, where it matters how they are written as well.

Values of axes alone are those of the oracle itself (`tests/conformance/test_self_consistency.py`).
"""

from __future__ import annotations

from itertools import accumulate, groupby
from math import nan
from statistics import fmean

import numpy as np


def total(hits):
    return sum(count / rank for rank, (count, hit) in enumerate(zip(accumulate(hits), hits, strict=True), 1) if hit)


def r_plain(relevance, num_relevant):
    return total(relevance) / num_relevant if num_relevant else 0.0


def k_min(relevance, num_relevant, k):
    return total(relevance[:k]) / min(num_relevant, k) if num_relevant else 0.0


def voc2007(relevance, num_relevant):
    """Levels as numpy counts them, 3 * 0.1 among them."""
    if not any(relevance):
        return 0.0
    recall = np.cumsum(relevance) / num_relevant
    precision = np.cumsum(relevance) / np.arange(1, len(relevance) + 1)
    return float(sum(np.max(precision[recall >= t], initial=0.0) for t in np.arange(0.0, 1.1, 0.1)) / 11.0)


def singles(relevance, num_relevant):
    return np.float32(total(relevance) / num_relevant) if num_relevant else np.float32(0)


def blocks(y_true, y_score):
    pairs = sorted(zip(y_score, y_true, strict=True), reverse=True)
    return [[label for _, label in block] for _, block in groupby(pairs, key=lambda pair: pair[0])]


def grouped(y_true, y_score):
    value = rank = hits = 0
    for block in blocks(y_true, y_score):
        rank, hits = rank + len(block), hits + sum(block)
        value += sum(block) * hits / rank
    return value / hits if hits else 0.0


def refuses_what_is_empty(y_true, y_score):
    if not len(y_true):
        raise ValueError("nothing to rank")
    return grouped(y_true, y_score)


def expected(y_true, y_score):
    value = rank = hits = 0
    for block in blocks(y_true, y_score):
        n, r = len(block), sum(block)
        for j in range(1, n + 1):
            value += r / n * (hits + 1 + ((j - 1) * (r - 1) / (n - 1) if n > 1 else 0)) / (rank + j)
        rank, hits = rank + n, hits + r
    return value / hits if hits else 0.0


def kaggle(actual, predicted, k=10):
    hits = [each in actual and each not in predicted[:place] for place, each in enumerate(predicted[:k])]
    return total(hits) / min(len(actual), k) if actual else 0.0


def at_three(actual, predicted):
    return kaggle(actual, predicted, 3)


def refuses_repeats(actual, predicted):
    if len(set(predicted)) < len(predicted):
        raise ValueError("a document appears twice")
    return kaggle(actual, predicted, 10**9) if actual else 0.0


def ap(grades, scores, depth=None):
    hits = [grades.get(docno, 0) > 0 for docno in sorted(scores, key=lambda docno: -scores[docno])[:depth]]
    return total(hits) / max(sum(grade > 0 for grade in grades.values()), 1)


def every_query(qrels, run):
    return {query: ap(qrels.get(query, {}), run.get(query, {})) for query in {**qrels, **run}}


def hundred_deep(qrels, run):
    return fmean([ap(qrels[query], run.get(query, {}), 100) for query in qrels] or [nan])


def singles_descending(qrels, run):
    listed = {query: {d: run[query][d] for d in sorted(run[query], reverse=True)} for query in qrels if query in run}
    single = {query: {d: float(np.float32(score)) for d, score in scores.items()} for query, scores in listed.items()}
    return {query: ap(qrels[query], scores) for query, scores in single.items()}


IDENTIFIED = {
    r_plain: {},
    k_min: {"denominator": "min-relevant-cutoff"},
    voc2007: {"interpolation": "11-point", "recall_grid": "float64"},
    singles: {},
    grouped: {"ties": "grouped"},
    refuses_what_is_empty: {"ties": "grouped"},
    expected: {"ties": "expected"},
    kaggle: {"duplicates": "first", "denominator": "min-relevant-cutoff"},
    at_three: {"duplicates": "first", "denominator": "min-relevant-cutoff"},
    refuses_repeats: {},
    every_query: {"unknown_query": "zero"},
    hundred_deep: {"depth": "100"},
    singles_descending: {"ties": "docno-descending", "missing_query": "skip", "score_precision": "float32"},
}
"""What each follows: differences from the default on the axes that its shape can show."""
