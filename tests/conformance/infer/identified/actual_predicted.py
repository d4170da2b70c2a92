"""Functions of lists of ids, by hand: what each follows is in `expected.py`. Loaded by workers alone."""

from __future__ import annotations


def hits_of(actual, predicted, *, once=True):
    return [p in actual and not (once and p in predicted[:i]) for i, p in enumerate(predicted)]


def total(hits):
    return sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit)


def kaggle(actual, predicted, k=10):
    return total(hits_of(actual, predicted[:k])) / min(len(actual), k) if actual else 0.0


def kaggle_one(actual, predicted, k=10):
    return total(hits_of(actual, predicted[:k])) / min(len(actual), k) if actual else 1.0


def kaggle_counted(actual, predicted, k=10):
    return total(hits_of(actual, predicted[:k], once=False)) / min(len(actual), k) if actual else 0.0


def kaggle_removed(actual, predicted, k=10):
    return total(hits_of(actual, list(dict.fromkeys(predicted))[:k])) / min(len(actual), k) if actual else 0.0


def over_hits(actual, predicted, k=10):
    hits = hits_of(actual, predicted[:k])
    return total(hits) / sum(hits) if any(hits) else 0.0


def over_relevant(actual, predicted):
    return total(hits_of(actual, predicted)) / len(actual) if actual else 0.0


def refuses_repeats(actual, predicted):
    if len(set(predicted)) < len(predicted):
        raise ValueError("a document stands twice")
    return total(hits_of(actual, predicted)) / len(actual) if actual else 0.0


def at_three(actual, predicted):
    return total(hits_of(actual, predicted[:3])) / min(len(actual), 3) if actual else 0.0


def at_twelve(actual, predicted):
    return total(hits_of(actual, predicted[:12])) / len(actual) if actual else 0.0


def short_lists_forgiven(actual, predicted, k=5):
    hits = hits_of(actual, predicted[:k])
    return total(hits) / min(len(actual), k, len(predicted)) if any(hits) else 0.0
