"""allRank: `ndcg` and `mrr` of one list, from labels and scores; they return singles."""

from __future__ import annotations

from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter


def reciprocal_rank(y_true: list[int], y_score: list[float], k: int | None = None) -> object:
    """Call `mrr`, on a batch of one."""
    import torch
    from allrank.models.metrics import mrr
    from numpy import float32

    labels = torch.tensor([y_true], dtype=torch.float)
    return float32(mrr(torch.tensor([y_score]), labels, ats=None if k is None else [k]).item())


def ndcg(y_true: list[int], y_score: list[float], k: int | None = None, dcg: str = "log2") -> object:
    """Call `ndcg`, on a batch of one; powers of two are its own gain."""
    import torch
    from allrank.models import metrics
    from numpy import float32

    labels = torch.tensor([y_true], dtype=torch.float)
    options = {} if dcg == "exp-log2" else {"gain_function": lambda grades: grades}
    return float32(metrics.ndcg(torch.tensor([y_score]), labels, ats=None if k is None else [k], **options).item())


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("allrank.models.metrics")


ADAPTER = Adapter(
    name="allrank",
    distribution="allRank",
    shape="labels-scores",
    convention="default",
    measures={"RR": reciprocal_rank, "nDCG": ndcg},
    prepare=prepare,
)
