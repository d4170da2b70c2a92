"""LensKit: `RunAnalysis` over all users, from their test items and item lists; it returns the mean."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def _named(name: str) -> Callable[..., object]:
    """Ask for a metric of lists in the order of the scores; the test items are the relevant ones."""

    def function(qrels: Qrels, run: Run, k: int | None = None, rel: int = 1) -> float:
        from lenskit.data import ItemList, ItemListCollection
        from lenskit.metrics import RunAnalysis, ranking

        true = {user: ItemList([item for item, g in graded.items() if g >= rel]) for user, graded in qrels.items()}
        ranked = {user: sorted(scored, key=scored.__getitem__, reverse=True) for user, scored in run.items()}
        lists = {user: ItemList(items, ordered=True) for user, items in ranked.items()}
        analysis = RunAnalysis()
        analysis.add_metric(getattr(ranking, name)(k))
        test, listed = (ItemListCollection.from_dict(each, "user_id") for each in (true, lists))
        return float(analysis.measure(listed, test).list_summary()["mean"].iloc[0])

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("lenskit.metrics.ranking")


ADAPTER = Adapter(
    name="lenskit_users",
    distribution="lenskit",
    shape="qrels-run",
    convention="default[missing_query=skip, recall_denominator=min-relevant-cutoff, unknown_query=zero]",
    measures={
        "P": _named("Precision"),
        "R": _named("Recall"),
        "RR": _named("RecipRank"),
        "Success": _named("Hit"),
    },
    prepare=prepare,
    extra="lenskit",
    startup_seconds=120,
)
