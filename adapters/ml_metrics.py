"""ml_metrics: `apk`, the Kaggle competitions' average precision, from two lists of ids."""

from rankspec.conformance.worker.adapter import Adapter, Ids


def average_precision(actual: Ids, predicted: Ids, k: int) -> float:
    """Call `apk`, whose cutoff is 10 unless it is stated."""
    from ml_metrics import apk

    return apk(actual, predicted, k)


ADAPTER = Adapter(
    name="ml_metrics",
    shape="actual-predicted",
    convention="default[denominator=min-relevant-cutoff, duplicates=first, no_relevant=one]",
    measures={"AP": average_precision},
)
