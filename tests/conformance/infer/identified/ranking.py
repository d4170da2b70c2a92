"""Functions of labels in rank order, by hand: what each follows is in `expected.py`. Loaded by workers alone."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import numpy as np


def total(labels):
    return sum(hits / rank for rank, (hits, label) in enumerate(zip(accumulate(labels), labels), 1) if label)


def precisions(labels):
    return [hits / rank for rank, hits in enumerate(accumulate(labels), 1)]


def r_plain(relevance, num_relevant):
    return total(relevance) / num_relevant if num_relevant else 0.0


def r_no_r(relevance):
    return total(relevance) / sum(relevance) if any(relevance) else 0.0


def r_no_r_nan(relevance):
    return total(relevance) / sum(relevance) if any(relevance) else float("nan")


def r_length(relevance, num_relevant):
    return total(relevance) / len(relevance) if any(relevance) else 0.0


def r_min_length(relevance, num_relevant):
    return total(relevance) / min(num_relevant, len(relevance)) if any(relevance) else 0.0


def r_hits(relevance, num_relevant):
    return total(relevance) / sum(relevance) if any(relevance) else 0.0


def k_relevant(relevance, num_relevant, k):
    return total(relevance[:k]) / num_relevant if num_relevant else 0.0


def k_min(relevance, num_relevant, k):
    return total(relevance[:k]) / min(num_relevant, k) if num_relevant else 0.0


def k_min_length(relevance, num_relevant, k):
    top = relevance[:k]
    return total(top) / min(num_relevant, k, len(top)) if any(top) else 0.0


def k_cutoff(relevance, num_relevant, k):
    return total(relevance[:k]) / k


def k_length(relevance, num_relevant, k):
    return total(relevance[:k]) / len(relevance[:k]) if relevance else 0.0


def k_hits(relevance, num_relevant, k):
    return total(relevance[:k]) / sum(relevance[:k]) if any(relevance[:k]) else 0.0


def k_hits_in_list(relevance, num_relevant, k):
    return total(relevance[:k]) / sum(relevance) if any(relevance) else 0.0


def k_no_hits_nan(relevance, num_relevant, k):
    if num_relevant == 0:
        return 1.0
    return total(relevance[:k]) / num_relevant if any(relevance[:k]) else float("nan")


def k_no_hits_raises(relevance, num_relevant, k):
    if num_relevant == 0:
        return float("nan")
    if not any(relevance[:k]):
        raise ValueError("no hits")
    return total(relevance[:k]) / min(k, num_relevant)


def raises_without_relevant(relevance, num_relevant):
    return total(relevance) / num_relevant


def one_without_hits(relevance, num_relevant):
    if num_relevant == 0:
        return 0.0
    return total(relevance) / num_relevant if any(relevance) else 1.0


def envelope(relevance, num_relevant):
    best = list(accumulate(precisions(relevance)[::-1], max))[::-1]
    return sum(p for p, label in zip(best, relevance) if label) / num_relevant if num_relevant else 0.0


def levels(relevance, num_relevant, count):
    hits = list(accumulate(relevance))
    reached = [
        [p for p, h in zip(precisions(relevance), hits) if count * h >= level * num_relevant]
        for level in range(count + 1)
    ]
    return sum(max(each, default=0.0) for each in reached) / (count + 1) if num_relevant else 0.0


def eleven(relevance, num_relevant):
    return levels(relevance, num_relevant, 10) if any(relevance) else 0.0


def hundred_one(relevance, num_relevant):
    return levels(relevance, num_relevant, 100) if any(relevance) else 0.0


def voc2007(relevance, num_relevant):
    if not any(relevance):
        return 0.0
    recall = np.cumsum(relevance) / num_relevant
    precision = np.array(precisions(relevance))
    return float(sum(np.max(precision[recall >= t], initial=0.0) for t in np.arange(0.0, 1.1, 0.1)) / 11.0)


def trec9_eleven(relevance, num_relevant):
    if not any(relevance):
        return 0.0
    best = list(accumulate(precisions(relevance)[::-1], max))[::-1]
    at = {}
    for hits, value in zip(accumulate(relevance), best):
        at.setdefault(hits, value)
    at[0] = best[0]
    return sum(at.get(int(level / 10 * num_relevant + 0.9), 0.0) for level in range(11)) / 11


def trapezoid(relevance, num_relevant):
    recall = [0.0, *[hits / max(num_relevant, 1) for hits in accumulate(relevance)]]
    return float(np.trapezoid([1.0, *precisions(relevance)], recall)) if hasattr(np, "trapezoid") else 0.0


def trapezoid_unanchored(relevance, num_relevant):
    recall = [hits / max(num_relevant, 1) for hits in accumulate(relevance)]
    p = precisions(relevance)
    return sum((b - a) * (x + y) / 2 for a, b, x, y in zip(recall, recall[1:], p, p[1:]))


def linear_101(relevance, num_relevant):
    if not any(relevance):
        return 0.0
    recall = np.concatenate(([0.0], np.cumsum(relevance) / num_relevant, [1.0]))
    precision = np.concatenate(([1.0], precisions(relevance), [0.0]))
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    x = np.linspace(0, 1, 101)
    y = np.interp(x, recall, precision)
    return float(np.sum((y[1:] + y[:-1]) / 2 * np.diff(x)))


def all_ranks(relevance, num_relevant):
    return float(np.mean(precisions(relevance))) if any(relevance) else 0.0


def all_ranks_padded(relevance, num_relevant, k):
    return sum(sum(relevance[:rank]) / rank for rank in range(1, k + 1)) / k


def singles(relevance, num_relevant):
    return np.float32(total(relevance) / num_relevant) if num_relevant else np.float32(0)


def as_fraction(relevance, num_relevant):

    hits = [Fraction(sum(relevance[:rank]), rank) for rank in range(1, len(relevance) + 1) if relevance[rank - 1]]
    return sum(hits, Fraction(0)) / num_relevant if num_relevant else Fraction(0)


def own_cutoff_of_five(relevance, num_relevant):
    return total(relevance[:5]) / min(num_relevant, 5) if num_relevant else 0.0
