"""RecTools: the ranking metrics on two data frames of all users; it returns the mean."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def _named(name: str) -> Callable[..., object]:
    """Ask for a metric of items ranked by score; the interactions are the relevant items: there is no threshold."""

    def function(qrels: Qrels, run: Run, k: int, rel: int = 1) -> float:
        import pandas as pd
        from rectools import Columns, metrics

        true = [(user, item) for user, graded in qrels.items() for item, grade in graded.items() if grade >= rel]
        ranked = {user: sorted(scored, key=scored.__getitem__, reverse=True) for user, scored in run.items()}
        rows = [(user, item, rank) for user, items in ranked.items() for rank, item in enumerate(items, start=1)]
        interactions = pd.DataFrame(true, columns=[Columns.User, Columns.Item], dtype=object)
        recommended = pd.DataFrame(rows, columns=[Columns.User, Columns.Item, Columns.Rank])
        value: float = getattr(metrics, name)(k=k).calc(recommended, interactions)
        return value

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("rectools.metrics")


ADAPTER = Adapter(
    name="rectools_users",
    distribution="rectools",
    shape="qrels-run",
    convention="default[no_relevant=skip]",
    measures={
        "AP": _named("MAP"),
        "P": _named("Precision"),
        "R": _named("Recall"),
        "RR": _named("MRR"),
        "Success": _named("HitRate"),
    },
    prepare=prepare,
    extra="rectools",
    startup_seconds=120,
)
