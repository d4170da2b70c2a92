"""recmetrics: `mark`, which it calls mean average recall at k, from the lists of ids of one query."""

from rankspec.conformance.worker.adapter import Adapter, Ids


def average_precision(actual: Ids, predicted: Ids, k: int) -> float:
    """Call `mark` with one query: the average precision at k by another name."""
    from recmetrics import mark

    return mark([actual], [predicted], k)


ADAPTER = Adapter(
    name="recmetrics",
    shape="actual-predicted",
    convention="default[duplicates=first]",
    measures={"AP": average_precision},
    imports="recmetrics",
    requires=("matplotlib<3.7", "numpy<2"),  # it was compiled for, and names what newer ones lack
)
