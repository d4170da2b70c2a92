"""scikit-learn: `ndcg_score` and `dcg_score` of one query, from labels and scores."""

from __future__ import annotations

from rankspec.conformance.worker.adapter import Adapter


def ndcg(y_true: list[int], y_score: list[float], k: int | None = None) -> float:
    """Call the library as its documentation does: a list of one query."""
    from sklearn.metrics import ndcg_score

    value: float = ndcg_score([y_true], [y_score], k=k)
    return value


def dcg(y_true: list[int], y_score: list[float], k: int | None = None) -> float:
    """Call the library as its documentation does: a list of one query."""
    from sklearn.metrics import dcg_score

    value: float = dcg_score([y_true], [y_score], k=k)
    return value


ADAPTER = Adapter(
    name="sklearn_ndcg",
    distribution="scikit-learn",
    shape="labels-scores",
    convention="sklearn_ndcg",
    measures={"nDCG": ndcg, "DCG": dcg},
    extra="sklearn",
    wheels_only=("numpy", "scikit-learn", "scipy"),
)
