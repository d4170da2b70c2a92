"""CatBoost: `eval_metric` of one group, from labels and scores."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter

Labels = list[int]
Scores = list[float]


def _named(name: str) -> Callable[..., object]:
    """Ask for `MAP:top=3`; without a cutoff the whole list."""

    def function(y_true: Labels, y_score: Scores, k: int | None = None) -> float:
        return _evaluated(name if k is None else f"{name}:top={k}", y_true, y_score)

    return function


def gained(y_true: Labels, y_score: Scores, k: int | None = None, dcg: str = "log2") -> float:
    """Ask for `NDCG`, of the grades or of powers of two."""
    kind = "NDCG:type=" + {"log2": "Base", "exp-log2": "Exp"}[dcg]
    return _evaluated(kind if k is None else f"{kind};top={k}", y_true, y_score)


def _evaluated(metric: str, y_true: Labels, y_score: Scores) -> float:
    from catboost.utils import eval_metric

    value: float = eval_metric(y_true, y_score, metric, group_id=[0] * len(y_true))[0]
    return value


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("catboost.utils")


ADAPTER = Adapter(
    name="catboost",
    distribution="catboost",
    shape="labels-scores",
    convention="default[ties=pessimistic]",
    measures={
        "AP": _named("MAP"),
        "P": _named("PrecisionAt"),
        "R": _named("RecallAt"),
        "RR": _named("MRR"),
        "nDCG": gained,
    },
    prepare=prepare,
)
