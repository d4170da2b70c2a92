"""rexmex: the functions of `metrics.ranking` on the ids of one query."""

from rankspec.conformance.worker.adapter import Adapter, Ids


def _evaluate(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    from rexmex.metrics import ranking

    return getattr(ranking, name)(actual, predicted, k)


ADAPTER = Adapter(
    name="rexmex",
    shape="actual-predicted",
    convention="default[denominator=min-relevant-cutoff, duplicates=first, no_relevant=error]",
    call=_evaluate,
    measures={"AP": "average_precision_at_k", "P": "hits_at_k"},  # the hits over the length of the list
    imports="rexmex.metrics.ranking",
)
