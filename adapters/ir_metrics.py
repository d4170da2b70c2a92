"""ir-metrics (the module `irmetrics`): its functions of one query, from two lists of ids."""

from __future__ import annotations

from collections.abc import Callable

from rankspec.conformance.worker.adapter import Adapter


def _named(name: str) -> Callable[..., object]:
    def function(actual: list[str], predicted: list[str], k: int | None = None) -> float:
        from irmetrics import topk

        return float(getattr(topk, name)(actual, predicted, k))

    return function


ADAPTER = Adapter(
    name="ir_metrics",
    distribution="ir-metrics",
    shape="actual-predicted",
    convention="default",
    measures={"AP": _named("ap"), "RR": _named("rr"), "nDCG": _named("ndcg")},
)
