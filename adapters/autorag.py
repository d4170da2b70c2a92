"""AutoRAG: the retrieval metrics of one query, from two lists of ids: each relevant document answers by itself."""

from rankspec.conformance.worker.adapter import Adapter, Ids


def _evaluate(name: str, actual: Ids, predicted: Ids) -> float:
    """Hand over the relevant documents as one group, any of which is as good as another."""
    from autorag.evaluation.metric import retrieval
    from autorag.schema.metricinput import MetricInput

    (value,) = getattr(retrieval, name)([MetricInput(retrieval_gt=[actual], retrieved_ids=predicted)])
    return value


ADAPTER = Adapter(
    name="autorag",
    shape="actual-predicted",
    call=_evaluate,
    measures={"AP": "retrieval_map", "RR": "retrieval_mrr", "nDCG": "retrieval_ndcg"},
    imports="autorag.evaluation.metric.retrieval",
)
