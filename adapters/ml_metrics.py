"""ml_metrics: `apk`, the Kaggle competitions' average precision, from two lists of ids."""

from rankspec.conformance.worker.adapter import Adapter


def average_precision(actual: list[str], predicted: list[str], k: int) -> float:
    """Call `apk`, whose cutoff is 10 unless it is stated."""
    from ml_metrics import apk

    return apk(actual, predicted, k)


ADAPTER = Adapter(
    name="ml_metrics",
    distribution="ml-metrics",
    shape="actual-predicted",
    convention="default[denominator=min-relevant-cutoff, duplicates=first, no_relevant=one]",
    measures={"AP": average_precision},
)
