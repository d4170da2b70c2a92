"""RecBole: its top-k metrics of one user, from labels in rank order: the matrix that its collector would make."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter

PLACES = 15
"""It rounds to four decimal places unless told otherwise."""


def _named(name: str) -> Callable[..., object]:
    def function(relevance: list[int], num_relevant: int, k: int) -> float:
        import torch
        from recbole.evaluator import metrics
        from recbole.evaluator.collector import DataStruct

        padding = [0] * (k - len(relevance))  # it recommends k items always
        collected = DataStruct()
        collected.set("rec.topk", torch.tensor([[*relevance[:k], *padding, num_relevant]]))
        config = {"topk": [k], "metric_decimal_place": PLACES}
        value: float
        (value,) = getattr(metrics, name)(config).calculate_metric(collected).values()
        return value

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("recbole.evaluator.metrics")


ADAPTER = Adapter(
    name="recbole",
    distribution="recbole",
    shape="ranking",
    convention="default[denominator=min-relevant-cutoff]",
    measures={
        "AP": _named("MAP"),
        "P": _named("Precision"),
        "R": _named("Recall"),
        "RR": _named("MRR"),
        "Success": _named("Hit"),
        "nDCG": _named("NDCG"),
    },
    prepare=prepare,
    requires=("numpy<1.24",),  # it names types that newer ones don't have
)
