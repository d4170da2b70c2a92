"""LightGBM: the metric `average_precision` of binary labels and scores, by a booster of no trees."""

from __future__ import annotations

from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter


def average_precision(y_true: list[int], y_score: list[float]) -> float:
    """Evaluate a booster whose scores are given."""
    import lightgbm as lgb
    import numpy as np

    params = {"objective": "none", "metric": "average_precision", "verbose": -1, "min_data_in_bin": 1}
    features = np.arange(len(y_true), dtype=float).reshape(-1, 1)
    table = lgb.Dataset(features, label=y_true, init_score=y_score, params=params)
    value: float = lgb.Booster(params, table).eval_train()[0][2]
    return value


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("lightgbm")


ADAPTER = Adapter(
    name="lightgbm_average_precision",
    distribution="lightgbm",
    shape="labels-scores",
    convention="default[no_relevant=one, ties=grouped]",
    measures={"AP": average_precision},
    extra="lightgbm",
    prepare=prepare,
)
