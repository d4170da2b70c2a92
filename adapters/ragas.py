"""Ragas: `NonLLMContextPrecisionWithReference`, which asks no model, from two lists of ids."""

from __future__ import annotations

from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter


def context_precision(actual: list[str], predicted: list[str]) -> float:
    """Score contexts that are told apart by exact match; by default it is a distance of strings."""
    from ragas.dataset_schema import SingleTurnSample
    from ragas.metrics import ExactMatch, NonLLMContextPrecisionWithReference

    sample = SingleTurnSample(retrieved_contexts=predicted, reference_contexts=actual)
    value: float = NonLLMContextPrecisionWithReference(distance_measure=ExactMatch()).single_turn_score(sample)
    return value


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("ragas.metrics")


ADAPTER = Adapter(
    name="ragas",
    distribution="ragas",
    shape="actual-predicted",
    convention="default",
    measures={"AP": context_precision, "ContextPrecision": context_precision},
    prepare=prepare,
    requires=("langchain-community<0.4", "rapidfuzz"),
)
