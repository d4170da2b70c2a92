import math


def precision(relevance, k=5):
    return sum(relevance[:k]) / k


def ndcg(relevance, k=10):
    gained = sum(g / math.log2(rank + 1) for rank, g in enumerate(relevance[:k], 1))
    best = sum((2**g - 1) / math.log2(rank + 1) for rank, g in enumerate(sorted(relevance, reverse=True)[:k], 1))
    return gained / best if best else 0.0
