"""BEIR: `EvaluateRetrieval.evaluate` of a whole query set, from dicts; it returns the mean, rounded to five places."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def _named(place: int) -> Callable[..., object]:
    """Ask for one of its four tables, nDCG, MAP, recall and precision."""

    def function(qrels: Qrels, run: Run, k: int) -> float:
        from beir.retrieval.evaluation import EvaluateRetrieval

        value: float
        (value,) = EvaluateRetrieval.evaluate(qrels, run, [k])[place].values()
        return value

    return function


def reciprocal_rank(qrels: Qrels, run: Run, k: int) -> float:
    """Ask for the table of `evaluate_custom`."""
    from beir.retrieval.evaluation import EvaluateRetrieval

    value: float
    (value,) = EvaluateRetrieval.evaluate_custom(qrels, run, [k], "mrr").values()
    return value


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("beir.retrieval.evaluation")


ADAPTER = Adapter(
    name="beir",
    distribution="beir",
    shape="qrels-run",
    convention="default[missing_query=skip, score_precision=float32, ties=docno-descending]",
    measures={"nDCG": _named(0), "AP": _named(1), "R": _named(2), "P": _named(3), "RR": reciprocal_rank},
    prepare=prepare,
)
