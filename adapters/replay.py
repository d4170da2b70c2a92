"""RePlay (replay-rec): the ranking metrics on dicts of scored items; it returns a value a query."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def _named(name: str) -> Callable[..., object]:
    """Ask for `MAP`, ...: the ground truth is the relevant documents, since there is no threshold."""

    def function(qrels: Qrels, run: Run, k: int, rel: int = 1) -> dict[str, float]:
        from replay import metrics

        recommended = {query: list(scored.items()) for query, scored in run.items()}
        truth = {query: [docno for docno, grade in graded.items() if grade >= rel] for query, graded in qrels.items()}
        measured = getattr(metrics, name)(k, mode=metrics.PerUser())(recommended, truth)
        return dict(next(iter(measured.values())))

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("replay.metrics")


ADAPTER = Adapter(
    name="replay",
    distribution="replay-rec",
    shape="qrels-run",
    convention="default[denominator=min-relevant-cutoff]",
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
