"""Right programs as people write them: loops, sets, comprehensions, numpy, dicts of dicts. Slips are made in each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from math import log2

import numpy as np
from wrong import right


@dataclass(frozen=True)
class Program:
    """A right program, what it computes (None: average precision, with every cutoff), and its convention."""

    function: Callable[..., object]
    measure: str | None = None
    under: str = "default"

    def __str__(self) -> str:
        """Return the name of the function."""
        return self.function.__name__


def ranking_by_zip(relevance, num_relevant, k=None):
    listed = relevance[:k]
    precisions = [hits / rank for rank, hits in enumerate(accumulate(listed), start=1)]
    total = sum(precision for precision, label in zip(precisions, listed, strict=True) if label > 0)
    return total / num_relevant if num_relevant > 0 else 0.0


def ranking_first_hit(relevance, k=None):
    for place, label in enumerate(relevance):
        if k is not None and place >= k:
            break
        if label > 0:
            return 1.0 / (place + 1)
    return 0.0


def ranking_rbp(relevance, k=None):
    persistence = 0.8
    value, weight = 0.0, 1.0 - persistence
    for label in relevance[:k]:
        if label:
            value += weight
        weight *= persistence
    return value


def ranking_dcg_over_ideal(relevance, k=None):
    gains = np.asarray(relevance, dtype=float)
    discounts = 1.0 / np.log2(np.arange(2, gains.size + 2))
    found = np.sum((gains * discounts)[:k])
    best = np.sum((np.sort(gains)[::-1] * discounts)[:k])
    return float(found / best) if best > 0 else 0.0


def labels_scores_ndcg(y_true, y_score, k=None):
    order = sorted(range(len(y_score)), key=lambda place: y_score[place], reverse=True)
    gains = [max(y_true[place], 0) for place in order]
    found = sum(gain / log2(rank + 2) for rank, gain in enumerate(gains[:k]))
    best = 0.0
    for rank, gain in enumerate(sorted(gains, reverse=True)[:k], start=1):
        best += gain / log2(rank + 1)
    return found / best if best > 0 else 0.0


def labels_scores_by_argsort(y_true, y_score, k=None):
    order = np.argsort(-np.asarray(y_score, dtype=float), kind="stable")[:k]
    labels = np.asarray(y_true)[order] > 0
    ranks = np.arange(1, len(labels) + 1)
    precisions = np.cumsum(labels) / ranks
    relevant = np.sum(np.asarray(y_true) > 0)
    if relevant == 0:
        return 0.0
    return float(np.sum(precisions * labels) / relevant)


def actual_predicted_recall(actual, predicted, k):
    relevant = set(actual)
    if not relevant:
        return 0.0
    return len(relevant & set(predicted[:k])) / len(relevant)


def actual_predicted_precision(actual, predicted, k):
    relevant = set(actual)
    hits = 0
    for place, item in enumerate(predicted):
        if place == k:
            break
        if item in predicted[:place]:
            continue
        if item in relevant:
            hits += 1
    return hits / k


def qrels_run_map(qrels, run, k=None):
    total = 0.0
    for query in qrels:
        if query not in run:
            continue
        relevant = {document for document, grade in qrels[query].items() if grade > 0}
        if not relevant:
            continue
        ranking = sorted(run[query].items(), key=lambda pair: pair[1], reverse=True)
        hits = 0
        score = 0.0
        for rank, (document, _) in enumerate(ranking[:k], start=1):
            if document in relevant:
                hits += 1
                score += hits / rank
        total += score / len(relevant)
    return total / len(qrels) if qrels else float("nan")


def qrels_run_mrr(qrels, run):
    values = {}
    for query, judged in qrels.items():
        values[query] = 0.0
        listed = run.get(query, {})
        for rank, document in enumerate(sorted(listed, key=listed.get, reverse=True), start=1):
            if judged.get(document, 0) >= 1:
                values[query] = 1 / rank
                break
    return values


def qrels_run_ndcg(qrels, run):
    depth = 3
    values = {}
    for query, judged in qrels.items():
        listed = run.get(query, {})
        ranked = sorted(listed, key=lambda document: -listed[document])
        gains = [max(judged.get(document, 0), 0) for document in ranked]
        ideal = sorted((grade for grade in judged.values() if grade > 0), reverse=True)
        dcg = sum(gain / log2(place + 2) for place, gain in enumerate(gains[:depth]))
        best = sum(gain / log2(place + 2) for place, gain in enumerate(ideal[:depth]))
        values[query] = dcg / best if best else 0.0
    return values


def qrels_run_bpref(qrels, run):
    values = {}
    for query, judged in qrels.items():
        relevant = [document for document, grade in judged.items() if grade > 0]
        nonrelevant = [document for document, grade in judged.items() if grade <= 0]
        listed = run.get(query, {})
        above = 0
        total = 0.0
        for document in sorted(listed, key=listed.get, reverse=True):
            if document in nonrelevant:
                above += 1
            elif document in relevant:
                if above > 0:
                    total += 1 - min(above, len(relevant)) / min(len(relevant), len(nonrelevant))
                else:
                    total += 1
        values[query] = total / len(relevant) if relevant else 0.0
    return values


PROGRAMS = (
    Program(right.ranking_by_running_sum),
    Program(right.ranking_by_recall, "AP"),  # its name tells R
    Program(ranking_by_zip),
    Program(ranking_first_hit, "RR@3"),
    Program(ranking_rbp, "RBP(p=0.8)@3"),
    Program(ranking_dcg_over_ideal, "nDCG@3"),
    Program(right.labels_scores_blocks, under="sklearn"),
    Program(labels_scores_by_argsort),
    Program(labels_scores_ndcg, "nDCG@3"),
    Program(right.actual_predicted_kaggle, under="kaggle"),
    Program(actual_predicted_recall, "R@3", "default[duplicates=first]"),
    Program(actual_predicted_precision, "P@3", "default[duplicates=first]"),
    Program(right.qrels_run_mean),
    Program(qrels_run_map),
    Program(qrels_run_mrr, "RR"),
    Program(qrels_run_ndcg, "nDCG@3"),
    Program(qrels_run_bpref, "Bpref"),
    Program(right.qrels_run_precision, "P@3"),
)
"""Each in the shape that its name begins with."""
