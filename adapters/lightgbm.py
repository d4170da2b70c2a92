"""LightGBM: its ranking metrics of one group, from labels and scores: a booster of no trees, whose scores are given."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter


def _named(name: str) -> Callable[..., object]:
    def function(y_true: list[int], y_score: list[float], k: int) -> float:
        import lightgbm as lgb
        import numpy as np

        params = {"objective": "none", "metric": name, "eval_at": [k], "verbose": -1, "min_data_in_bin": 1}
        params |= {"label_gain": [float(grade) for grade in range(32)]} if name == "ndcg" else {}
        features = np.arange(len(y_true), dtype=float).reshape(-1, 1)
        table = lgb.Dataset(features, label=y_true, group=[len(y_true)], init_score=y_score, params=params)
        value: float = lgb.Booster(params, table).eval_train()[0][2]
        return value

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("lightgbm")


ADAPTER = Adapter(
    name="lightgbm",
    distribution="lightgbm",
    shape="labels-scores",
    convention="default[denominator=min-relevant-cutoff, no_relevant=one]",
    measures={"AP": _named("map"), "nDCG": _named("ndcg")},
    prepare=prepare,
)
