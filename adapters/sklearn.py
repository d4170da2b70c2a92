"""scikit-learn: `average_precision_score` of one query, from labels and scores."""

from __future__ import annotations

from rankspec.conformance.worker.adapter import Adapter


def average_precision(y_true: list[int], y_score: list[float]) -> float:
    """Call the library as its documentation does."""
    from sklearn.metrics import average_precision_score

    value: float = average_precision_score(y_true, y_score)
    return value


ADAPTER = Adapter(
    name="sklearn",
    distribution="scikit-learn",
    shape="labels-scores",
    convention="sklearn",
    measures={"AP": average_precision},
    wheels_only=("numpy", "scikit-learn", "scipy"),
)
