"""rexmex: the functions of `metrics.ranking` on the ids of one query."""

from rankspec.conformance.worker.adapter import Adapter


def average_precision(actual: list[str], predicted: list[str], k: int) -> float:
    """Call `average_precision_at_k`, whose cutoff is 10 unless it is stated."""
    from rexmex.metrics.ranking import average_precision_at_k

    return average_precision_at_k(actual, predicted, k)


def precision(actual: list[str], predicted: list[str], k: int) -> float:
    """Call `hits_at_k`, which divides by the list's length."""
    from rexmex.metrics.ranking import hits_at_k

    return hits_at_k(actual, predicted, k)


ADAPTER = Adapter(
    name="rexmex",
    distribution="rexmex",
    shape="actual-predicted",
    convention="default[denominator=min-relevant-cutoff, duplicates=first, no_relevant=error]",
    measures={"AP": average_precision, "P": precision},
    imports="rexmex.metrics.ranking",
)
