"""Average precision that looks at the first two documents alone, where nobody says otherwise."""


def ap(relevance, num_relevant, k=2):
    hits, total = 0, 0.0
    for rank, label in enumerate(relevance[:k], start=1):
        if label:
            hits += 1
            total += hits / rank
    return total / num_relevant if num_relevant else 0.0
