"""recsys_metrics: its functions of one query, from labels and scores; they return singles."""

from rankspec.conformance.worker.adapter import Adapter, Labels, Scores


def _evaluate(name: str, y_true: Labels, y_score: Scores, k: int | None = None) -> object:
    import recsys_metrics
    import torch
    from numpy import float32

    measured = getattr(recsys_metrics, name)(torch.tensor([y_score]), torch.tensor([y_true]), k=k)
    return float32(measured.item())


ADAPTER = Adapter(
    name="recsys_metrics",
    shape="labels-scores",
    call=_evaluate,
    measures={"AP": "mean_average_precision", "P": "precision", "R": "recall", "RR": "mean_reciprocal_rank"}
    | {"Success": "hit_rate", "nDCG": "normalized_dcg"},
    imports="recsys_metrics",
)
