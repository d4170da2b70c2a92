"""Wrong on purpose, of the shape `labels-scores`: one fault each, said in the docstring. Loaded by workers alone."""


def in_order(labels):
    hits, total = 0, 0.0
    for rank, label in enumerate(labels, 1):
        hits += label
        total += label * hits / rank
    return total / hits if hits else 0.0


def ordered(y_true, key):
    return in_order([y_true[index] for index in sorted(range(len(y_true)), key=key)])


# Ties.


def ties_by_quicksort(y_true, y_score):
    """numpy's default sort, which keeps the order of ties up to 16 documents only."""
    import numpy as np  # noqa: PLC0415 - what costs a tenth of a second, the others need not wait for

    order = np.argsort(-np.array(y_score, float), kind="quicksort")
    return in_order([y_true[index] for index in order])


# Scores.


def scores_without_sign(y_true, y_score):
    """Sorts by the absolute value of the score."""
    return ordered(y_true, lambda index: -abs(y_score[index]))


def sorts_its_scores(y_true, y_score):
    """Sorts the scores that it is given, not the labels with them: wrong the second time."""
    value = ordered(y_true, lambda index: -y_score[index])
    y_score.sort()
    return value
