import numpy as np


def rank_of_gold(results, gold):
    return next((1 / rank for rank, each in enumerate(results, 1) if each == gold), 0.0)


def precision(y_true, y_pred, k):
    return float((y_true[np.argsort(-y_pred, kind="stable")[:k]] > 0).sum() / k)


def scores(recommended, liked, k=10):
    found = len(set(recommended[:k]) & set(liked))
    return {"recall": found / len(liked) if liked else 0.0, "precision": found / k}


def accuracy(y_true, y_pred):
    return sum(one == other for one, other in zip(y_true, y_pred, strict=True)) / len(y_true)
