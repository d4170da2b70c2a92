"""AutoRAG: the retrieval metrics of one query, from two lists of ids: each relevant document answers by itself."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter


def _named(name: str) -> Callable[..., object]:
    """Hand over the relevant documents as one group, any of which is as good as another."""

    def function(actual: list[str], predicted: list[str]) -> float:
        from autorag.evaluation.metric import retrieval
        from autorag.schema.metricinput import MetricInput

        value: float
        (value,) = getattr(retrieval, name)([MetricInput(retrieval_gt=[actual], retrieved_ids=predicted)])
        return value

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("autorag.evaluation.metric.retrieval")


ADAPTER = Adapter(
    name="autorag",
    distribution="autorag",
    shape="actual-predicted",
    convention="default",
    measures={"AP": _named("retrieval_map"), "RR": _named("retrieval_mrr"), "nDCG": _named("retrieval_ndcg")},
    prepare=prepare,
)
