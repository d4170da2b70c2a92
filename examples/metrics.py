"""A metric as one finds it in a project. What does it compute? `rankspec why examples/metrics.py`."""  # noqa: INP001


def map_at_k(relevance: list[int], num_relevant: int, k: int = 10) -> float:  # noqa: ARG001 - which is its mistake
    """Return the average precision of a ranking, best document first."""
    hits, total = 0, 0.0
    for rank, relevant in enumerate(relevance[:k], start=1):
        if relevant:
            hits += 1
            total += hits / rank
    return total / k
