"""PyTorch Geometric: the metrics of link prediction of one source node, from two lists of ids; they return singles."""

from rankspec.conformance.worker.adapter import Adapter, Ids


def _evaluate(name: str, actual: Ids, predicted: Ids, k: int) -> object:
    import torch
    from numpy import float32
    from torch_geometric import metrics

    nodes = {docno: node for node, docno in enumerate(dict.fromkeys((*predicted, *actual)))}
    ranked = torch.tensor([[nodes[docno] for docno in predicted]], dtype=torch.long)
    links = torch.tensor([[0] * len(actual), [nodes[docno] for docno in actual]], dtype=torch.long)
    metric = getattr(metrics, name)(k)
    metric.update(ranked, links)
    return float32(metric.compute().item())


ADAPTER = Adapter(
    name="torch_geometric",
    shape="actual-predicted",
    convention="default[denominator=min-relevant-cutoff, duplicates=counted]",
    call=_evaluate,
    measures={"AP": "LinkPredMAP", "P": "LinkPredPrecision", "R": "LinkPredRecall", "F": "LinkPredF1"}
    | {"RR": "LinkPredMRR", "Success": "LinkPredHitRatio", "nDCG": "LinkPredNDCG"},
    imports="torch_geometric.metrics",
    requires=("torch",),  # its metadata does not say so
)
