"""LightGBM: its ranking metrics of one group, from labels and scores: a booster of no trees, whose scores are given."""

from functools import partial
from typing import Any

from rankspec.conformance.worker.adapter import Adapter, Labels, Scores


def _evaluate(name: str, y_true: Labels, y_score: Scores, k: int) -> float:
    options = {"label_gain": [float(grade) for grade in range(32)]} if name == "ndcg" else {}
    return _evaluated(name, y_true, y_score, {"eval_at": [k], **options}, group=[len(y_true)])


def _evaluated(name: str, y_true: Labels, y_score: Scores, options: dict[str, Any], **group: list[int]) -> float:
    """Evaluate a booster whose scores are given."""
    import lightgbm as lgb
    import numpy as np

    params = {"objective": "none", "metric": name, "verbose": -1, "min_data_in_bin": 1, **options}
    features = np.arange(len(y_true), dtype=float).reshape(-1, 1)
    table = lgb.Dataset(features, label=y_true, init_score=y_score, params=params, **group)
    return lgb.Booster(params, table).eval_train()[0][2]


_adapter: Any = partial(Adapter, distribution="lightgbm", shape="labels-scores", imports="lightgbm")
ADAPTERS = (
    _adapter(
        name="lightgbm",
        convention="default[denominator=min-relevant-cutoff, no_relevant=one]",
        call=_evaluate,
        measures={"AP": "map", "nDCG": "ndcg"},
    ),
    _adapter(
        name="lightgbm_average_precision",
        about="LightGBM: the metric `average_precision` of binary labels and scores, by a booster of no trees",
        convention="default[no_relevant=one, ties=grouped]",
        measures={"AP": partial(_evaluated, "average_precision", options={})},
    ),
)
