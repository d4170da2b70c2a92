"""ranking_metrics_torch: its functions of one query, from labels and scores; they return singles."""

from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter, Labels, Scores


def _evaluate(place: tuple[str, str], y_true: Labels, y_score: Scores, k: int) -> object:
    import torch
    from numpy import float32

    module, name = place
    called = getattr(import_module(f"ranking_metrics_torch.{module}"), name)
    return float32(called(torch.tensor([k]), torch.tensor([y_score]), torch.tensor([y_true])).item())


ADAPTER = Adapter(
    name="ranking_metrics_torch",
    shape="labels-scores",
    call=_evaluate,
    measures={"AP": ("avg_precision", "avg_precision_at"), "P": ("precision_recall", "precision_at")}
    | {"R": ("precision_recall", "recall_at"), "nDCG": ("cumulative_gain", "ndcg_at")},
    requires=("numpy",),  # torch does without
    imports="ranking_metrics_torch.avg_precision",
)
