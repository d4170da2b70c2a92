"""Wrong on purpose, of the shape `actual-predicted`: one fault each, said in the docstring. Loaded by workers alone."""

from __future__ import annotations


def apk(actual, predicted, denominator):
    hits, total = 0, 0.0
    for rank, document in enumerate(predicted, 1):
        if document in actual and document not in predicted[: rank - 1]:
            hits += 1
            total += hits / rank
    return total / denominator if denominator else 0.0


def duplicates_counted(actual, predicted, k=10):
    """Counts a document as often as it stands there."""
    hits = [document in actual for document in predicted[:k]]
    total = sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit)
    return total / min(len(actual), k) if actual else 0.0


def duplicates_removed(actual, predicted, k=10):
    """Drops a document that stands there already, and moves the others up."""
    return apk(actual, list(dict.fromkeys(predicted))[:k], min(len(actual), k))


def duplicates_refused(actual, predicted, k=10):
    """Raises where a document appears twice."""
    if len(set(predicted)) < len(predicted):
        raise ValueError("a document appears twice")
    return apk(actual, predicted[:k], min(len(actual), k))


def duplicates_tolerated(actual, predicted, k=None):
    """Counts a document once where an error was claimed."""
    return apk(actual, predicted[:k], len(actual))


def over_relevant(actual, predicted, k=10):
    """Divides by R where min(R, k) is claimed."""
    return apk(actual, predicted[:k], len(actual))


def over_cutoff(actual, predicted, k=10):
    """Divides by k where min(R, k) is claimed."""
    return apk(actual, predicted[:k], k if actual else 0)


def over_hits(actual, predicted, k=10):
    """Divides by the hits where min(R, k) is claimed."""
    return apk(actual, predicted[:k], len(set(actual) & set(predicted[:k])))


def over_short_list(actual, predicted, k=10):
    """Divides by min(R, k, n) where min(R, k) is claimed."""
    return apk(actual, predicted[:k], min(len(actual), k, len(predicted)))


def relevant_cut_too(actual, predicted, k=10):
    """Cuts the list of relevant documents at k too."""
    return apk(actual[:k], predicted[:k], min(len(actual), k))


def order_of_a_set(actual, predicted, k=10):
    """Makes a set of the ranking, which has no order."""
    return apk(actual, list(set(predicted))[:k], min(len(actual), k))


def order_of_the_relevant(actual, predicted, k=10):
    """A hit counts only at the place where it stands among the relevant documents."""
    in_place = [a if a == p else None for a, p in zip(actual, predicted, strict=False)]
    return apk(actual, in_place[:k], min(len(actual), k))


def no_penalty_for_misses(actual, predicted, k=10):
    """Drops the misses, and ranks the hits alone."""
    return apk(actual, [document for document in predicted[:k] if document in actual], min(len(actual), k))


def removes_from_the_relevant(actual, predicted, k=10):
    """Crosses relevant documents off the list that it is given: 0 the second time."""
    value = apk(actual, predicted[:k], min(len(actual), k))
    actual[:] = [document for document in actual if document not in predicted]
    return value
