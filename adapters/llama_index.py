"""LlamaIndex: the retrieval metrics of `core.evaluation`, from two lists of ids."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter


def _named(name: str) -> Callable[..., object]:
    def function(actual: list[str], predicted: list[str]) -> float:
        from llama_index.core.evaluation.retrieval import metrics

        value: float = getattr(metrics, name)().compute(expected_ids=actual, retrieved_ids=predicted).score
        return value

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("llama_index.core.evaluation.retrieval.metrics")


ADAPTER = Adapter(
    name="llama_index",
    distribution="llama-index-core",
    shape="actual-predicted",
    convention="default[duplicates=counted, no_relevant=error]",
    measures={
        "AP": _named("AveragePrecision"),
        "RR": _named("MRR"),
        "nDCG": _named("NDCG"),
        "SetP": _named("Precision"),
        "SetR": _named("Recall"),
    },
    prepare=prepare,
)
