"""Functions as one finds them in projects, right and wrong."""


def ap(relevance, num_relevant):
    """Average precision, as it is defined."""
    hits, total = 0, 0.0
    for rank, label in enumerate(relevance, start=1):
        if label:
            hits += 1
            total += hits / rank
    return total / num_relevant if num_relevant else 0.0


def over_hits(relevance, num_relevant):
    return ap(relevance, sum(relevance))


def over_one_more(relevance, num_relevant):
    return ap(relevance, num_relevant + 1)


def of_mood(relevance, num_relevant):
    if len(relevance) == 2:
        raise ValueError("two")
    return {1: float("nan"), 3: 10**400, 4: None, 5: float("inf"), 6: {"q": 1}}.get(len(relevance), 1 / 3)


def that_sorts(relevance, num_relevant):
    value = ap(relevance, num_relevant)
    relevance.sort(reverse=True)
    return value


def that_fails(relevance, num_relevant):
    raise LookupError("nothing here")


def of_nothing(y_true, y_score):
    return None


def without_shape(a, b):
    return 0.5
