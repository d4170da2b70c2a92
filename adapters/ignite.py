"""PyTorch Ignite: its metrics on one batch of one query, from labels and scores."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter

Labels = list[int]
Scores = list[float]


def average_precision(y_true: Labels, y_score: Scores) -> float:
    """Call `AveragePrecision`, which asks scikit-learn."""
    import torch
    from ignite.metrics import AveragePrecision

    metric = AveragePrecision()
    metric.update((torch.tensor(y_score), torch.tensor(y_true)))
    value: float = metric.compute()
    return value


def _recommended(name: str) -> Callable[..., object]:
    """Call a metric of `rec_sys`: a row of scores and a row of labels."""

    def function(y_true: Labels, y_score: Scores, k: int) -> float:
        import torch
        from ignite.metrics import rec_sys

        metric = getattr(rec_sys, name)(top_k=[k])
        metric.update((torch.tensor([y_score]), torch.tensor([y_true], dtype=torch.float)))
        value: float = metric.compute()[0]
        return value

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("ignite.metrics.rec_sys")


ADAPTER = Adapter(
    name="ignite",
    distribution="pytorch-ignite",
    shape="labels-scores",
    convention="default[score_precision=float32, ties=grouped]",
    measures={
        "AP": average_precision,
        "Success": _recommended("HitRate"),
        "nDCG": _recommended("NDCG"),
    },
    requires=("scikit-learn",),
    prepare=prepare,
)
