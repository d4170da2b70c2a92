"""XGBoost: its ranking metrics of one group, from labels and scores: a booster of no trees, whose scores are given."""

from functools import partial

from rankspec.conformance.worker.adapter import Adapter, Labels, Scores


def _evaluate(name: str, y_true: Labels, y_score: Scores, k: int | None = None) -> float:
    """Ask for `map@3`, or for `map@3-` where a list without relevant documents is to count as zero."""
    metric = name if k is None else f"{name.removesuffix('-')}@{k}{'-' * name.endswith('-')}"
    return _evaluated("rank:pairwise", metric, y_true, y_score, group=[len(y_true)])


def _evaluated(objective: str, metric: str, y_true: Labels, y_score: Scores, **group: list[int]) -> float:
    """Evaluate a booster whose scores are given."""
    import numpy as np
    import xgboost as xgb

    table = xgb.DMatrix(np.zeros((len(y_true), 1)), label=y_true, base_margin=y_score, **group)
    booster = xgb.Booster({"objective": objective, "eval_metric": metric, "verbosity": 0}, [table])
    return float(booster.eval(table).rpartition(":")[2])


_adapter = partial(Adapter, distribution="xgboost", shape="labels-scores", imports="xgboost")
ADAPTERS = (
    _adapter(
        name="xgboost",
        convention="default[no_relevant=one, score_precision=float32]",
        call=_evaluate,
        measures={"AP": "map", "P": "pre", "nDCG": "ndcg"},
    ),
    _adapter(
        name="xgboost_minus",
        about="XGBoost: its ranking metrics with a minus, `map@3-`, "
        "under which a list without relevant documents counts as zero",
        convention="default[score_precision=float32]",
        call=_evaluate,
        measures={"AP": "map-", "nDCG": "ndcg-"},
    ),
    _adapter(
        name="xgboost_aucpr",
        about="XGBoost: `aucpr` of binary labels and scores, by a booster of no trees whose scores are given",
        measures={"AP": partial(_evaluated, "binary:logitraw", "aucpr")},
    ),
)
