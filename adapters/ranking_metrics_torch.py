"""ranking_metrics_torch: its functions of one query, from labels and scores; they return singles."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter


def _named(module: str, name: str) -> Callable[..., object]:
    def function(y_true: list[int], y_score: list[float], k: int) -> object:
        import torch
        from numpy import float32

        called = getattr(import_module(f"ranking_metrics_torch.{module}"), name)
        return float32(called(torch.tensor([k]), torch.tensor([y_score]), torch.tensor([y_true])).item())

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("ranking_metrics_torch.avg_precision")


ADAPTER = Adapter(
    name="ranking_metrics_torch",
    distribution="ranking-metrics-torch",
    shape="labels-scores",
    convention="default",
    measures={
        "AP": _named("avg_precision", "avg_precision_at"),
        "P": _named("precision_recall", "precision_at"),
        "R": _named("precision_recall", "recall_at"),
        "nDCG": _named("cumulative_gain", "ndcg_at"),
    },
    prepare=prepare,
)
