"""Ragas: context precision and recall that ask no model, from two lists of ids."""

from rankspec.conformance.worker.adapter import Adapter, Ids


def context_precision(actual: Ids, predicted: Ids) -> float:
    """Score contexts that are told apart by exact match; by default it is a distance of strings."""
    from ragas.dataset_schema import SingleTurnSample
    from ragas.metrics import ExactMatch, NonLLMContextPrecisionWithReference

    sample = SingleTurnSample(retrieved_contexts=predicted, reference_contexts=actual)
    return NonLLMContextPrecisionWithReference(distance_measure=ExactMatch()).single_turn_score(sample)


def _evaluate(name: str, actual: Ids, predicted: Ids) -> float:
    """Ask for a metric of ids, which are sets."""
    from ragas import metrics
    from ragas.dataset_schema import SingleTurnSample

    sample = SingleTurnSample(retrieved_context_ids=predicted, reference_context_ids=actual)
    return getattr(metrics, name)().single_turn_score(sample)


ADAPTER = Adapter(
    name="ragas",
    shape="actual-predicted",
    call=_evaluate,
    measures={"AP": context_precision, "ContextPrecision": context_precision, "SetP": "IDBasedContextPrecision"}
    | {"SetR": "IDBasedContextRecall"},
    imports="ragas.metrics",
    requires=("langchain-community<0.4", "rapidfuzz"),
)
