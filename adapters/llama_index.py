"""LlamaIndex: the retrieval metrics of `core.evaluation`, from two lists of ids."""

from rankspec.conformance.worker.adapter import Adapter, Ids


def _evaluate(name: str, actual: Ids, predicted: Ids) -> float:
    from llama_index.core.evaluation.retrieval import metrics

    return getattr(metrics, name)().compute(expected_ids=actual, retrieved_ids=predicted).score


ADAPTER = Adapter(
    name="llama_index",
    distribution="llama-index-core",
    shape="actual-predicted",
    convention="default[duplicates=counted, no_relevant=error]",
    call=_evaluate,
    measures={"AP": "AveragePrecision", "RR": "MRR", "nDCG": "NDCG", "SetP": "Precision", "SetR": "Recall"},
    imports="llama_index.core.evaluation.retrieval.metrics",
)
