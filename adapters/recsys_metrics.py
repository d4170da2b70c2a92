"""recsys_metrics: its functions of one query, from labels and scores; they return singles."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter


def _named(name: str) -> Callable[..., object]:
    def function(y_true: list[int], y_score: list[float], k: int | None = None) -> object:
        import recsys_metrics
        import torch
        from numpy import float32

        measured = getattr(recsys_metrics, name)(torch.tensor([y_score]), torch.tensor([y_true]), k=k)
        return float32(measured.item())

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("recsys_metrics")


ADAPTER = Adapter(
    name="recsys_metrics",
    distribution="recsys-metrics",
    shape="labels-scores",
    convention="default",
    measures={
        "AP": _named("mean_average_precision"),
        "P": _named("precision"),
        "R": _named("recall"),
        "RR": _named("mean_reciprocal_rank"),
        "Success": _named("hit_rate"),
        "nDCG": _named("normalized_dcg"),
    },
    prepare=prepare,
)
