"""Wrong on purpose, of the shape `actual-predicted`: one fault each, said in the docstring. Loaded by workers alone."""


def apk(actual, predicted, denominator):
    hits, total = 0, 0.0
    for rank, document in enumerate(predicted, 1):
        if document in actual and document not in predicted[: rank - 1]:
            hits += 1
            total += hits / rank
    return total / denominator if denominator else 0.0


def duplicates_refused(actual, predicted, k=10):
    """Raises where a document appears twice."""
    if len(set(predicted)) < len(predicted):
        raise ValueError("a document appears twice")
    return apk(actual, predicted[:k], min(len(actual), k))


def relevant_cut_too(actual, predicted, k=10):
    """Cuts the list of relevant documents at k too."""
    return apk(actual[:k], predicted[:k], min(len(actual), k))
