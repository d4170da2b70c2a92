"""A function alone, the average precision of labels in rank order."""


def ap(relevance, num_relevant):
    hits, total = 0, 0.0
    for rank, label in enumerate(relevance, start=1):
        if label:
            hits += 1
            total += hits / rank
    return total / num_relevant if num_relevant else 0.0
