"""torchmetrics: `binary_average_precision` of one query, from labels and scores; it returns a single."""

from __future__ import annotations

from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter


def average_precision(y_true: list[int], y_score: list[float]) -> object:
    """Call the library as its documentation does: tensors, whose scores are singles."""
    import torch
    from numpy import float32
    from torchmetrics.functional.classification import binary_average_precision

    return float32(binary_average_precision(torch.tensor(y_score), torch.tensor(y_true)).item())


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("torchmetrics.functional.classification")


ADAPTER = Adapter(
    name="torchmetrics_classification",
    distribution="torchmetrics",
    shape="labels-scores",
    convention="default[score_precision=float32, ties=grouped]",
    measures={"AP": average_precision},
    requires=("numpy",),
    extra="torchmetrics",
    prepare=prepare,
)
