"""Functions as people write them: one that divides by the wrong number, a right one, two values at once, a helper."""


def map_at_k(actual, predicted, k=10):
    hits = [rank for rank, each in enumerate(predicted[:k], 1) if each in actual]
    return sum(place / rank for place, rank in enumerate(hits, 1)) / k


def rr(ranking, relevant):
    return next((1 / rank for rank, each in enumerate(ranking, 1) if each in relevant), 0.0)


def both(actual, predicted, k=10):
    shared = {*actual} & {*predicted[:k]}
    return {
        "precision": len(shared) / min(k, len(predicted) or 1),
        "recall": len(shared) / len(actual) if actual else 0.0,
    }


def clean(text):
    return text.strip()
