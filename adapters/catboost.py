"""CatBoost: `eval_metric` of one group, from labels and scores."""

from functools import partial
from typing import Any

from rankspec.conformance.worker.adapter import Adapter, Labels, Scores


def _evaluate(name: str, y_true: Labels, y_score: Scores, k: int | None = None) -> float:
    """Ask for `MAP:top=3`; without a cutoff the whole list."""
    return _evaluated(name if k is None else f"{name}:top={k}", y_true, y_score, group_id=[0] * len(y_true))


def gained(y_true: Labels, y_score: Scores, k: int | None = None, dcg: str = "log2") -> float:
    """Ask for `NDCG`, of the grades or of powers of two."""
    kind = "NDCG:type=" + {"log2": "Base", "exp-log2": "Exp"}[dcg]
    return _evaluated(kind if k is None else f"{kind};top={k}", y_true, y_score, group_id=[0] * len(y_true))


def _evaluated(metric: str, y_true: Labels, y_score: Scores, **groups: list[int]) -> float:
    from catboost.utils import eval_metric

    return eval_metric(y_true, y_score, metric, **groups)[0]


_adapter: Any = partial(Adapter, distribution="catboost", shape="labels-scores", imports="catboost.utils")
ADAPTERS = (
    _adapter(
        name="catboost",
        convention="default[ties=pessimistic]",
        call=_evaluate,
        measures={"AP": "MAP", "P": "PrecisionAt", "R": "RecallAt", "RR": "MRR", "nDCG": gained},
    ),
    _adapter(
        name="catboost_prauc",
        about="CatBoost: `PRAUC`, the area under the precision-recall curve, from labels and scores",
        measures={"AP": partial(_evaluated, "PRAUC")},
    ),
)
