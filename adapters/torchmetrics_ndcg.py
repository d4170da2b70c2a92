"""torchmetrics: `retrieval_normalized_dcg` of one query, from labels and scores; it returns a single."""

from __future__ import annotations

from numpy import float32
from rankspec.conformance.worker.adapter import Adapter


def ndcg(y_true: list[int], y_score: list[float], k: int | None = None) -> float32:
    """Call the library as its documentation does: tensors, whose scores are singles."""
    import torch
    from torchmetrics.functional.retrieval import retrieval_normalized_dcg

    return float32(retrieval_normalized_dcg(torch.tensor(y_score), torch.tensor(y_true), top_k=k).item())


ADAPTER = Adapter(
    name="torchmetrics_ndcg",
    distribution="torchmetrics",
    shape="labels-scores",
    convention="torchmetrics_ndcg",
    measures={"nDCG": ndcg},
    requires=("numpy",),
    startup_seconds=120,  # it imports torch, which is large
    wheels_only=("numpy", "torch"),
    extra="torchmetrics",
)
