"""kaggle_metrics: `ap` of one query, from labels in rank order."""

from rankspec.conformance.worker.adapter import Adapter, Labels


def average_precision(relevance: Labels) -> float:
    """Call `ap`, which takes what is true in rank order."""
    import numpy as np
    from kaggle_metrics.order_based import ap

    return ap(np.array(relevance))


ADAPTER = Adapter(
    name="kaggle_metrics",
    shape="ranking",
    measures={"AP": average_precision},
    imports="kaggle_metrics.order_based",
    requires=("numpy", "scikit-learn"),  # its metadata does not say so
)
