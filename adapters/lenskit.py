"""LensKit: the ranking metrics on item lists, from two lists of ids."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter


def _named(name: str) -> Callable[..., object]:
    def function(actual: list[str], predicted: list[str], k: int | None = None) -> float:
        from lenskit.data import ItemList
        from lenskit.metrics import ranking

        metric = getattr(ranking, name)(k)
        value: float = metric.measure_list(ItemList(predicted, ordered=True), ItemList(actual))
        return value

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("lenskit.metrics.ranking")


ADAPTER = Adapter(
    name="lenskit",
    distribution="lenskit",
    shape="actual-predicted",
    convention="default[denominator=min-relevant-length, duplicates=counted, no_relevant=error]",
    measures={
        "AP": _named("AveragePrecision"),
        "P": _named("Precision"),
        "R": _named("Recall"),
        "RR": _named("RecipRank"),
        "Success": _named("Hit"),
        "nDCG": _named("NDCG"),
    },
    prepare=prepare,
)
