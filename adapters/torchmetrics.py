"""torchmetrics: the functions of `functional.retrieval` for one query, from labels and scores; they return singles."""

from __future__ import annotations

from collections.abc import Callable

from numpy import float32
from rankspec.conformance.worker.adapter import Adapter

Labels = list[int]
Scores = list[float]


def _named(name: str) -> Callable[..., object]:
    def function(y_true: Labels, y_score: Scores, k: int | None = None) -> float32:
        return _called(name, y_true, y_score, top_k=k)

    return function


def r_precision(y_true: Labels, y_score: Scores) -> float32:
    """Call `retrieval_r_precision`, which takes no cutoff."""
    return _called("r_precision", y_true, y_score)


def _called(name: str, y_true: Labels, y_score: Scores, **options: int | None) -> float32:
    """Call a function as its documentation does: tensors, whose scores are singles."""
    import torch
    from torchmetrics.functional import retrieval

    function = getattr(retrieval, f"retrieval_{name}")
    return float32(function(torch.tensor(y_score), torch.tensor(y_true), **options).item())


ADAPTER = Adapter(
    name="torchmetrics",
    distribution="torchmetrics",
    shape="labels-scores",
    convention="torchmetrics",
    measures={
        "AP": _named("average_precision"),
        "RR": _named("reciprocal_rank"),
        "P": _named("precision"),
        "R": _named("recall"),
        "Rprec": r_precision,
        "Success": _named("hit_rate"),
    },
    requires=("numpy",),
    startup_seconds=120,  # it imports torch, which is large
    wheels_only=("numpy", "torch"),
)
