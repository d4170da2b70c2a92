"""Microsoft's recommenders: `map`, which divides by the relevant documents where `map_at_k` doesn't."""

from __future__ import annotations

from importlib import import_module

from rankspec.adapters._frames import Qrels, Run, relevant, retrieved
from rankspec.conformance.worker.adapter import Adapter


def average_precision(qrels: Qrels, run: Run, k: int, rel: int = 1) -> float:
    """Call `map`, whose cutoff is 10 unless it is stated."""
    from recommenders.evaluation import python_evaluation

    true = relevant(qrels, rel, ("userID", "itemID", "rating"))
    predicted = retrieved(run, ("userID", "itemID", "prediction"))
    value: float = python_evaluation.map(true, predicted, k=k)
    return value


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("recommenders.evaluation.python_evaluation")


ADAPTER = Adapter(
    name="recommenders_map",
    distribution="recommenders",
    shape="qrels-run",
    convention="default[missing_query=skip, no_relevant=skip]",
    measures={"AP": average_precision},
    extra="recommenders",
    prepare=prepare,
)
