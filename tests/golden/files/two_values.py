"""Right precision beside a wrong recall, which divides by the cutoff."""


def precision_and_recall(predicted, actual, k=10):
    hits = len({*predicted[:k]} & {*actual})
    return {"precision": hits / k, "recall": hits / k}
