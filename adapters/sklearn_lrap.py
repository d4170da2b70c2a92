"""scikit-learn: `label_ranking_average_precision_score` of one query, from labels and scores."""

from __future__ import annotations

from rankspec.conformance.worker.adapter import Adapter


def average_precision(y_true: list[int], y_score: list[float]) -> float:
    """Call the library as its documentation does: a list of one sample."""
    from sklearn.metrics import label_ranking_average_precision_score

    value: float = label_ranking_average_precision_score([y_true], [y_score])
    return value


ADAPTER = Adapter(
    name="sklearn_lrap",
    distribution="scikit-learn",
    shape="labels-scores",
    convention="sklearn_lrap",
    measures={"AP": average_precision},
    extra="sklearn",
    wheels_only=("numpy", "scikit-learn", "scipy"),
)
