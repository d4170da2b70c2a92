"""MLMetrics (the module `mlmetrics`): the ranking metrics on data frames, users for queries; it returns the mean."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.adapters._frames import Qrels, Run, relevant, retrieved
from rankspec.conformance.worker.adapter import Adapter


def _named(name: str) -> Callable[..., object]:
    def function(qrels: Qrels, run: Run, k: int, rel: int = 1) -> float:
        from mlmetrics import ranking

        columns = ("user", "item", "rating")
        true = relevant(qrels, rel, columns)
        predicted = retrieved(run, columns)
        value: float = getattr(ranking, name)(true, predicted, k=k)
        return value

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("mlmetrics.ranking")


ADAPTER = Adapter(
    name="mlmetrics",
    distribution="MLMetrics",
    shape="qrels-run",
    convention="default",
    measures={"AP": _named("map_top_k"), "P": _named("precision_top_k"), "R": _named("recall_top_k")},
    prepare=prepare,
)
