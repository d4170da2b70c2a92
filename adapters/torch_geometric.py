"""PyTorch Geometric: the metrics of link prediction of one source node, from two lists of ids; they return singles."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter


def _named(name: str) -> Callable[..., object]:
    def function(actual: list[str], predicted: list[str], k: int) -> object:
        import torch
        from numpy import float32
        from torch_geometric import metrics

        nodes = {docno: node for node, docno in enumerate(dict.fromkeys((*predicted, *actual)))}
        ranked = torch.tensor([[nodes[docno] for docno in predicted]], dtype=torch.long)
        links = torch.tensor([[0] * len(actual), [nodes[docno] for docno in actual]], dtype=torch.long)
        metric = getattr(metrics, name)(k)
        metric.update(ranked, links)
        return float32(metric.compute().item())

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("torch_geometric.metrics")


ADAPTER = Adapter(
    name="torch_geometric",
    distribution="torch-geometric",
    shape="actual-predicted",
    convention="default[denominator=min-relevant-cutoff, duplicates=counted]",
    measures={
        "AP": _named("LinkPredMAP"),
        "P": _named("LinkPredPrecision"),
        "R": _named("LinkPredRecall"),
        "F": _named("LinkPredF1"),
        "RR": _named("LinkPredMRR"),
        "Success": _named("LinkPredHitRatio"),
        "nDCG": _named("LinkPredNDCG"),
    },
    prepare=prepare,
)
