"""Microsoft's recommenders: `python_evaluation` on two data frames, users for queries; it returns the mean."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.adapters._frames import Qrels, Run, relevant, retrieved
from rankspec.conformance.worker.adapter import Adapter


def _at(name: str) -> Callable[..., object]:
    """Ask for `map_at_k`, ...: the true ratings are the relevant documents, since there is no threshold."""

    def function(qrels: Qrels, run: Run, k: int, rel: int = 1) -> float:
        from recommenders.evaluation import python_evaluation

        true = relevant(qrels, rel, ("userID", "itemID", "rating"))
        predicted = retrieved(run, ("userID", "itemID", "prediction"))
        value: float = getattr(python_evaluation, name)(true, predicted, k=k)
        return value

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("recommenders.evaluation.python_evaluation")


ADAPTER = Adapter(
    name="recommenders",
    distribution="recommenders",
    shape="qrels-run",
    convention="default[denominator=min-relevant-cutoff, missing_query=skip, no_relevant=skip]",
    measures={
        "AP": _at("map_at_k"),
        "P": _at("precision_at_k"),
        "R": _at("recall_at_k"),
        "nDCG": _at("ndcg_at_k"),
    },
    prepare=prepare,
)
