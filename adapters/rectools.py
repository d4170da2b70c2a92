"""RecTools: the ranking metrics on two data frames of one user, from two lists of ids."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter


def _named(name: str) -> Callable[..., object]:
    def function(actual: list[str], predicted: list[str], k: int) -> float:
        import pandas as pd
        from rectools import Columns, metrics

        true = pd.DataFrame({Columns.User: ["u"] * len(actual), Columns.Item: actual})
        ranked = pd.DataFrame({Columns.User: ["u"] * len(predicted), Columns.Item: predicted})
        ranked[Columns.Rank] = range(1, len(predicted) + 1)
        value: float = getattr(metrics, name)(k=k).calc(ranked, true)
        return value

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("rectools.metrics")


ADAPTER = Adapter(
    name="rectools",
    distribution="rectools",
    shape="actual-predicted",
    convention="default",
    measures={
        "AP": _named("MAP"),
        "P": _named("Precision"),
        "R": _named("Recall"),
        "RR": _named("MRR"),
        "Success": _named("HitRate"),
        "nDCG": _named("NDCG"),
    },
    prepare=prepare,
)
