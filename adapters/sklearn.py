"""scikit-learn: `average_precision_score` of one query, from labels and scores."""

from functools import partial

from rankspec.conformance.worker.adapter import Adapter, Labels, Scores


def average_precision(y_true: Labels, y_score: Scores) -> float:
    """Call the library as its documentation does."""
    from sklearn.metrics import average_precision_score

    return average_precision_score(y_true, y_score)


def label_ranking_average_precision(y_true: Labels, y_score: Scores) -> float:
    """Call the library as its documentation does: a list of one sample."""
    from sklearn.metrics import label_ranking_average_precision_score

    return label_ranking_average_precision_score([y_true], [y_score])


def gained(name: str, y_true: Labels, y_score: Scores, k: int | None = None, **options: bool) -> float:
    """Call `ndcg_score`, or `dcg_score`, as its documentation does: a list of one query."""
    from sklearn import metrics

    return getattr(metrics, name)([y_true], [y_score], k=k, **options)


_adapter = partial(
    Adapter, distribution="scikit-learn", shape="labels-scores", wheels_only=("numpy", "scikit-learn", "scipy")
)
ADAPTERS = (
    _adapter(name="sklearn", convention="sklearn", measures={"AP": average_precision}),
    _adapter(
        name="sklearn_lrap",
        about="scikit-learn: `label_ranking_average_precision_score` of one query, from labels and scores",
        convention="sklearn_lrap",
        measures={"AP": label_ranking_average_precision},
    ),
    _adapter(
        name="sklearn_ndcg",
        about="scikit-learn: `ndcg_score` and `dcg_score` of one query, from labels and scores",
        convention="sklearn_ndcg",
        measures={"nDCG": partial(gained, "ndcg_score"), "DCG": partial(gained, "dcg_score")},
    ),
    _adapter(
        name="sklearn_ndcg_ignore_ties",
        about="scikit-learn: `ndcg_score` of one query, from labels and scores, with `ignore_ties=True`",
        convention="default[score_precision=float64, ties=reverse-input]",
        measures={"nDCG": partial(gained, "ndcg_score", ignore_ties=True)},
    ),
)
