"""Jurity: the recommenders' metrics on two data frames, users for queries; it returns the mean."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.adapters._frames import Qrels, Run, relevant, retrieved
from rankspec.conformance.worker.adapter import Adapter


def _named(name: str) -> Callable[..., object]:
    """Ask for `MAP`, ...: a click is a relevant document, and the predicted one's score."""

    def function(qrels: Qrels, run: Run, k: int, rel: int = 1) -> float:
        from jurity import recommenders

        columns = ("user_id", "item_id", "clicks")
        true = relevant(qrels, rel, columns)
        predicted = retrieved(run, columns)
        value: float = getattr(recommenders, name)(click_column="clicks", k=k).get_score(true, predicted)
        return value

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("jurity.recommenders")


ADAPTER = Adapter(
    name="jurity",
    distribution="jurity",
    shape="qrels-run",
    convention="default",
    measures={"AP": _named("MAP"), "P": _named("Precision"), "R": _named("Recall"), "nDCG": _named("NDCG")},
    prepare=prepare,
)
