"""XGBoost: `aucpr` of binary labels and scores, by a booster of no trees whose scores are given."""

from __future__ import annotations

from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter


def average_precision(y_true: list[int], y_score: list[float]) -> float:
    """Evaluate a booster whose scores are given."""
    import numpy as np
    import xgboost as xgb

    table = xgb.DMatrix(np.zeros((len(y_true), 1)), label=y_true, base_margin=y_score)
    booster = xgb.Booster({"objective": "binary:logitraw", "eval_metric": "aucpr", "verbosity": 0}, [table])
    return float(booster.eval(table).rpartition(":")[2])


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("xgboost")


ADAPTER = Adapter(
    name="xgboost_aucpr",
    distribution="xgboost",
    shape="labels-scores",
    convention="default",
    measures={"AP": average_precision},
    extra="xgboost",
    prepare=prepare,
)
