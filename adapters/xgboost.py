"""XGBoost: its ranking metrics of one group, from labels and scores: a booster of no trees, whose scores are given."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter


def named(name: str, suffix: str = "") -> Callable[..., object]:
    """Ask for `map@3`, or for `map@3-` where a list without relevant documents is to count as zero."""

    def function(y_true: list[int], y_score: list[float], k: int | None = None) -> float:
        import numpy as np
        import xgboost as xgb

        metric = name + ("" if k is None else f"@{k}") + suffix
        features = np.zeros((len(y_true), 1))
        table = xgb.DMatrix(features, label=y_true, base_margin=y_score, group=[len(y_true)])
        params = {"objective": "rank:pairwise", "eval_metric": metric, "verbosity": 0}
        return float(xgb.Booster(params, [table]).eval(table).rpartition(":")[2])

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("xgboost")


ADAPTER = Adapter(
    name="xgboost",
    distribution="xgboost",
    shape="labels-scores",
    convention="default[no_relevant=one, score_precision=float32]",
    measures={"AP": named("map"), "P": named("pre"), "nDCG": named("ndcg")},
    prepare=prepare,
)
