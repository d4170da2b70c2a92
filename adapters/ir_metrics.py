"""ir-metrics (the module `irmetrics`): its functions of one query, from two lists of ids."""

from rankspec.conformance.worker.adapter import Adapter


def _evaluate(name: str, actual: list[str], predicted: list[str], k: int | None = None) -> float:
    from irmetrics import topk

    return float(getattr(topk, name)(actual, predicted, k))


ADAPTER = Adapter(
    name="ir_metrics",
    distribution="ir-metrics",
    shape="actual-predicted",
    convention="default",
    call=_evaluate,
    measures={"AP": "ap", "RR": "rr", "nDCG": "ndcg"},
)
