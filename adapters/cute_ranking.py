"""cute_ranking: functions from labels in rank order, after a much copied gist."""

from rankspec.conformance.worker.adapter import Adapter, Labels


def average_precision(relevance: Labels) -> float:
    """Call `average_precision`, which knows of no relevant document but those in the list."""
    return _evaluate("average_precision", relevance)


def reciprocal_rank(relevance: Labels) -> float:
    """Call `mean_reciprocal_rank` with one query."""
    return _evaluate("mean_reciprocal_rank", [relevance])


def precision(relevance: Labels, k: int) -> float:
    """Call `precision_at_k`."""
    return _evaluate("precision_at_k", relevance, k)


def recall(relevance: Labels, num_relevant: int, k: int) -> float:
    """Call `recall_at_k`."""
    return _evaluate("recall_at_k", relevance, num_relevant, k)


def _evaluate(name: str, *arguments: object) -> float:
    from cute_ranking import core

    return getattr(core, name)(*arguments)


ADAPTER = Adapter(
    name="cute_ranking",
    shape="ranking",
    measures={"AP": average_precision, "RR": reciprocal_rank, "P": precision, "R": recall},
    requires=("numpy<2",),
)
