"""Functions as people write them: one that divides by the wrong number, one that is right beside a count, a helper."""


def map_at_k(actual, predicted, k=10):
    hits = [rank for rank, each in enumerate(predicted[:k], 1) if each in actual]
    return sum(place / rank for place, rank in enumerate(hits, 1)) / k


def both(actual, predicted, k=10):
    shared = {*actual} & {*predicted[:k]}
    return {"recall": len(shared) / len(actual) if actual else 0.0, "queries": 1}


def clean(text):
    return text.strip()
