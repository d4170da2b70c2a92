"""tie-aware-retrieval-metrics (the module `trm`): expected values over all orders of ties, from labels and scores."""

from __future__ import annotations

from collections.abc import Callable

from rankspec.conformance.worker.adapter import Adapter


def _named(name: str) -> Callable[..., object]:
    def function(y_true: list[int], y_score: list[float], k: int) -> float:
        from trm import metrics

        groups = metrics.build_tie_groups(y_score, [bool(label) for label in y_true])
        value: float = getattr(metrics, name)(groups, k)
        return value

    return function


ADAPTER = Adapter(
    name="tie_aware",
    distribution="tie-aware-retrieval-metrics",
    shape="labels-scores",
    convention="default[ties=expected]",
    measures={
        "AP": _named("expected_ap"),
        "P": _named("expected_precision"),
        "R": _named("expected_recall"),
        "RR": _named("expected_mrr"),
        "nDCG": _named("expected_ndcg"),
    },
)
