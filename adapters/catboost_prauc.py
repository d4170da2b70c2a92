"""CatBoost: `PRAUC`, the area under the precision-recall curve, from labels and scores."""

from __future__ import annotations

from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter


def average_precision(y_true: list[int], y_score: list[float]) -> float:
    """Call `eval_metric` without groups."""
    from catboost.utils import eval_metric

    value: float = eval_metric(y_true, y_score, "PRAUC")[0]
    return value


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("catboost.utils")


ADAPTER = Adapter(
    name="catboost_prauc",
    distribution="catboost",
    shape="labels-scores",
    convention="default",
    measures={"AP": average_precision},
    extra="catboost",
    prepare=prepare,
)
