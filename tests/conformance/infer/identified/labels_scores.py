"""Functions of labels and scores, by hand: what each follows is in `expected.py`. Loaded by workers alone."""

from __future__ import annotations

from itertools import groupby

import numpy as np


def of_list(labels):
    hits = [rank for rank, label in enumerate(labels, 1) if label]
    return sum(number / rank for number, rank in enumerate(hits, 1)) / len(hits) if hits else 0.0


def by(y_true, key):
    return of_list([y_true[index] for index in sorted(range(len(y_true)), key=key)])


def stable(y_true, y_score):
    return by(y_true, lambda index: -y_score[index])


def reversed_stable(y_true, y_score):
    return by(y_true, lambda index: (-y_score[index], -index))


def optimistic(y_true, y_score):
    return by(y_true, lambda index: (-y_score[index], -y_true[index]))


def pessimistic(y_true, y_score):
    return by(y_true, lambda index: (-y_score[index], y_true[index]))


def blocks(y_true, y_score):
    pairs = sorted(zip(y_score, y_true), reverse=True)
    return [[label for _, label in block] for _, block in groupby(pairs, key=lambda pair: pair[0])]


def grouped(y_true, y_score):
    total = rank = hits = 0
    for block in blocks(y_true, y_score):
        rank, hits = rank + len(block), hits + sum(block)
        total += sum(block) * hits / rank
    return total / hits if hits else 0.0


def grouped_nan(y_true, y_score):
    return grouped(y_true, y_score) if any(y_true) else float("nan")


def grouped_trapezoid(y_true, y_score):
    total = rank = hits = 0
    precision = 1.0
    for block in blocks(y_true, y_score):
        rank, hits = rank + len(block), hits + sum(block)
        total += sum(block) * (precision + hits / rank) / 2
        precision = hits / rank
    return total / hits if hits else 0.0


def expected(y_true, y_score):
    total = rank = hits = 0
    for block in blocks(y_true, y_score):
        n, r = len(block), sum(block)
        for j in range(1, n + 1):
            total += r / n * (hits + 1 + ((j - 1) * (r - 1) / (n - 1) if n > 1 else 0)) / (rank + j)
        rank, hits = rank + n, hits + r
    return total / hits if hits else 0.0


def singles_grouped(y_true, y_score):
    return grouped(y_true, [float(np.float32(score)) for score in y_score])


def singles_stable(y_true, y_score):
    return stable(y_true, [float(np.float32(score)) for score in y_score])


def at_k(y_true, y_score, k):
    top = [y_true[index] for index in sorted(range(len(y_true)), key=lambda index: -y_score[index])][:k]
    total = sum(sum(top[:rank]) / rank for rank, label in enumerate(top, 1) if label)
    return total / min(sum(y_true), k) if any(y_true) else 0.0


def at_k_hits(y_true, y_score, k):
    return of_list([y_true[index] for index in sorted(range(len(y_true)), key=lambda index: -y_score[index])][:k])


def refuses_what_is_empty(y_true, y_score):
    if not len(y_true):
        raise ValueError("nothing to rank")
    return grouped(y_true, y_score)


def one_where_nothing_is_relevant(y_true, y_score):
    return stable(y_true, y_score) if any(y_true) else 1.0
