"""Wrong on purpose, of the shape `labels-scores`: one fault each, said in the docstring. Loaded by workers alone."""

from __future__ import annotations

from ctypes import c_float
from itertools import accumulate, groupby


def in_order(labels):
    hits, total = 0, 0.0
    for rank, label in enumerate(labels, 1):
        hits += label
        total += label * hits / rank
    return total / hits if hits else 0.0


def ordered(y_true, key):
    return in_order([y_true[index] for index in sorted(range(len(y_true)), key=key)])


def curve(y_true, y_score):
    # Recall increment and precision at the end of every block of equal scores.
    best_first = sorted(zip(y_score, y_true, strict=True), key=lambda pair: -pair[0])
    blocks = [[label for _, label in block] for _, block in groupby(best_first, key=lambda pair: pair[0])]
    hits, ranks = accumulate(map(sum, blocks)), accumulate(map(len, blocks))
    precisions = [h / rank for h, rank in zip(hits, ranks, strict=True)]
    return [sum(block) / max(sum(y_true), 1) for block in blocks], precisions


def area(increments, precisions):
    return sum(increment * precision for increment, precision in zip(increments, precisions, strict=False))


# Ties.


def ties_expected(y_true, y_score):
    """The mean over all orders of the ties, whatever was claimed."""
    rank = hits = total = 0
    for score in sorted(set(y_score), reverse=True):
        block = [label for label, other in zip(y_true, y_score, strict=True) if other == score]
        size, found = len(block), sum(block)
        for place in range(size):
            before = place * (found - 1) / (size - 1) if size > 1 else 0
            total += found / size * (hits + 1 + before) / (rank + place + 1)
        rank, hits = rank + size, hits + found
    return total / hits if hits else 0.0


def ties_by_quicksort(y_true, y_score):
    """numpy's default sort, which keeps the order of ties up to 16 documents only."""
    import numpy as np  # noqa: PLC0415 - what costs a tenth of a second, the others need not wait for

    order = np.argsort(-np.array(y_score, float), kind="quicksort")
    return in_order([y_true[index] for index in order])


# Scores.


def scores_as_singles(y_true, y_score):
    """Rounds scores to float32, then sorts stably."""
    return ordered(y_true, lambda index: -c_float(y_score[index]).value)


def scores_as_text(y_true, y_score):
    """Sorts scores as texts."""
    return ordered(y_true, lambda index: [-ord(letter) for letter in str(y_score[index])])


def scores_without_sign(y_true, y_score):
    """Sorts by the absolute value of the score."""
    return ordered(y_true, lambda index: -abs(y_score[index]))


def input_is_the_order(y_true, y_score):
    """Ignores the scores."""
    return in_order(y_true)


# The estimator, with ties in blocks as claimed.


def grouped_first_block_lost(y_true, y_score):
    """Recall differences start at the first block, which counts nothing."""
    increments, precisions = curve(y_true, y_score)
    return area(increments[1:], precisions[1:])


def sorts_its_scores(y_true, y_score):
    """Sorts the scores that it is given, not the labels with them: wrong the second time."""
    value = ordered(y_true, lambda index: -y_score[index])
    y_score.sort()
    return value
