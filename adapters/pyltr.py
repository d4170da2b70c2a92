"""pyltr: `AP`, `NDCG` and `ERR` of one query, from labels and scores."""

from typing import Any

from rankspec.conformance.worker.adapter import Adapter, Labels, Scores


def average_precision(y_true: Labels, y_score: Scores, k: int) -> float:
    """Evaluate `AP`, whose cutoff is 10 unless it is stated."""
    return _evaluate("AP", y_true, y_score, k=k)


def ndcg(y_true: Labels, y_score: Scores, k: int, dcg: str = "log2") -> float:
    """Evaluate `NDCG` with a gain of its own name."""
    return _evaluate("NDCG", y_true, y_score, k=k, gain_type={"log2": "identity", "exp-log2": "exp2"}[dcg])


def expected_reciprocal_rank(y_true: Labels, y_score: Scores, k: int) -> float:
    """Evaluate `ERR`, which has to be told the highest grade: that of TREC's gdeval."""
    return _evaluate("ERR", y_true, y_score, 4, k=k)


def _evaluate(name: str, y_true: Labels, y_score: Scores, *highest: int, **options: Any) -> float:
    import numpy as np
    from pyltr import metrics

    return getattr(metrics, name)(*highest, **options).evaluate_preds("q", np.array(y_true), np.array(y_score))


ADAPTER = Adapter(
    name="pyltr",
    shape="labels-scores",
    convention="default[ties=pessimistic]",
    measures={"AP": average_precision, "nDCG": ndcg, "ERR": expected_reciprocal_rank},
    imports="pyltr.metrics",
)
