"""LightGBM: its metrics from labels and scores: a booster of no trees, whose scores are given."""

from rankspec.conformance.worker.adapter import Adapter


def _evaluate(name: str, y_true: list[int], y_score: list[float], k: int) -> float:
    import lightgbm as lgb
    import numpy as np

    params = {"objective": "none", "metric": name, "eval_at": [k], "verbose": -1, "min_data_in_bin": 1}
    params |= {"label_gain": [float(grade) for grade in range(32)]} if name == "ndcg" else {}
    features = np.arange(len(y_true), dtype=float).reshape(-1, 1)
    table = lgb.Dataset(features, label=y_true, group=[len(y_true)], init_score=y_score, params=params)
    return lgb.Booster(params, table).eval_train()[0][2]


def average_precision(y_true: list[int], y_score: list[float]) -> float:
    """Evaluate a booster whose scores are given."""
    import lightgbm as lgb
    import numpy as np

    params = {"objective": "none", "metric": "average_precision", "verbose": -1, "min_data_in_bin": 1}
    features = np.arange(len(y_true), dtype=float).reshape(-1, 1)
    table = lgb.Dataset(features, label=y_true, init_score=y_score, params=params)
    return lgb.Booster(params, table).eval_train()[0][2]


ADAPTERS = (
    Adapter(
        name="lightgbm",
        about="LightGBM: its ranking metrics of one group, from labels and scores: "
        "a booster of no trees, whose scores are given",
        distribution="lightgbm",
        shape="labels-scores",
        convention="default[denominator=min-relevant-cutoff, no_relevant=one]",
        call=_evaluate,
        measures={"AP": "map", "nDCG": "ndcg"},
        imports="lightgbm",
    ),
    Adapter(
        name="lightgbm_average_precision",
        about="LightGBM: the metric `average_precision` of binary labels and scores, by a booster of no trees",
        distribution="lightgbm",
        shape="labels-scores",
        convention="default[no_relevant=one, ties=grouped]",
        measures={"AP": average_precision},
        imports="lightgbm",
    ),
)
