"""cute_ranking: functions from labels in rank order, after a much copied gist."""

from rankspec.conformance.worker.adapter import Adapter

Labels = list[int]


def average_precision(relevance: Labels) -> float:
    """Call `average_precision`, which knows of no relevant document but those in the list."""
    from cute_ranking.core import average_precision as function

    return function(relevance)


def reciprocal_rank(relevance: Labels) -> float:
    """Call `mean_reciprocal_rank` with one query."""
    from cute_ranking.core import mean_reciprocal_rank

    return mean_reciprocal_rank([relevance])


def precision(relevance: Labels, k: int) -> float:
    """Call `precision_at_k`."""
    from cute_ranking.core import precision_at_k

    return precision_at_k(relevance, k)


def recall(relevance: Labels, num_relevant: int, k: int) -> float:
    """Call `recall_at_k`."""
    from cute_ranking.core import recall_at_k

    return recall_at_k(relevance, num_relevant, k)


ADAPTER = Adapter(
    name="cute_ranking",
    distribution="cute-ranking",
    shape="ranking",
    convention="default",
    measures={"AP": average_precision, "RR": reciprocal_rank, "P": precision, "R": recall},
    requires=("numpy<2",),
)
