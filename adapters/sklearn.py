"""scikit-learn: its ranking metrics of one query, from labels and scores."""

from __future__ import annotations

from rankspec.conformance.worker.adapter import Adapter


def average_precision(y_true: list[int], y_score: list[float]) -> float:
    """Call the library as its documentation does."""
    from sklearn.metrics import average_precision_score

    value: float = average_precision_score(y_true, y_score)
    return value


def label_ranking_average_precision(y_true: list[int], y_score: list[float]) -> float:
    """Call the library as its documentation does: a list of one sample."""
    from sklearn.metrics import label_ranking_average_precision_score

    value: float = label_ranking_average_precision_score([y_true], [y_score])
    return value


def ndcg(y_true: list[int], y_score: list[float], k: int | None = None) -> float:
    """Call the library as its documentation does: a list of one query."""
    return _ndcg(y_true, y_score, k)


def ndcg_ignoring_ties(y_true: list[int], y_score: list[float], k: int | None = None) -> float:
    """Call it with the option that spares the mean over the orders of tied documents."""
    return _ndcg(y_true, y_score, k, ignore_ties=True)


def _ndcg(y_true: list[int], y_score: list[float], k: int | None, **options: bool) -> float:
    from sklearn.metrics import ndcg_score

    value: float = ndcg_score([y_true], [y_score], k=k, **options)
    return value


def dcg(y_true: list[int], y_score: list[float], k: int | None = None) -> float:
    """Call the library as its documentation does: a list of one query."""
    from sklearn.metrics import dcg_score

    value: float = dcg_score([y_true], [y_score], k=k)
    return value


ADAPTERS = (
    Adapter(
        name="sklearn",
        about="scikit-learn: `average_precision_score` of one query, from labels and scores",
        distribution="scikit-learn",
        shape="labels-scores",
        convention="sklearn",
        measures={"AP": average_precision},
        wheels_only=("numpy", "scikit-learn", "scipy"),
    ),
    Adapter(
        name="sklearn_lrap",
        about="scikit-learn: `label_ranking_average_precision_score` of one query, from labels and scores",
        distribution="scikit-learn",
        shape="labels-scores",
        convention="sklearn_lrap",
        measures={"AP": label_ranking_average_precision},
        extra="sklearn",
        wheels_only=("numpy", "scikit-learn", "scipy"),
    ),
    Adapter(
        name="sklearn_ndcg",
        about="scikit-learn: `ndcg_score` and `dcg_score` of one query, from labels and scores",
        distribution="scikit-learn",
        shape="labels-scores",
        convention="sklearn_ndcg",
        measures={"nDCG": ndcg, "DCG": dcg},
        extra="sklearn",
        wheels_only=("numpy", "scikit-learn", "scipy"),
    ),
    Adapter(
        name="sklearn_ndcg_ignore_ties",
        about="scikit-learn: `ndcg_score` of one query, from labels and scores, with `ignore_ties=True`",
        distribution="scikit-learn",
        shape="labels-scores",
        convention="default[score_precision=float64, ties=reverse-input]",
        measures={"nDCG": ndcg_ignoring_ties},
        extra="sklearn",
        wheels_only=("numpy", "scikit-learn", "scipy"),
    ),
)
