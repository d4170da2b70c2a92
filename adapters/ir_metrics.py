"""ir-metrics (the module `irmetrics`): its functions of one query, from two lists of ids."""

from rankspec.conformance.worker.adapter import Adapter, Ids


def _evaluate(name: str, actual: Ids, predicted: Ids, k: int | None = None) -> float:
    from irmetrics import topk

    return float(getattr(topk, name)(actual, predicted, k))


ADAPTER = Adapter(
    name="ir_metrics", shape="actual-predicted", call=_evaluate, measures={"AP": "ap", "RR": "rr", "nDCG": "ndcg"}
)
