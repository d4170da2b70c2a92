"""RecBole: its top-k metrics of one user, from labels in rank order: the matrix that its collector would make."""

from rankspec.conformance.worker.adapter import Adapter, Labels

PLACES = 15  # It rounds to four decimal places unless told otherwise


def _evaluate(name: str, relevance: Labels, num_relevant: int, k: int) -> float:
    import torch
    from recbole.evaluator import metrics
    from recbole.evaluator.collector import DataStruct

    padding = [0] * (k - len(relevance))  # it recommends k items always
    collected = DataStruct()
    collected.set("rec.topk", torch.tensor([[*relevance[:k], *padding, num_relevant]]))
    config = {"topk": [k], "metric_decimal_place": PLACES}
    (value,) = getattr(metrics, name)(config).calculate_metric(collected).values()
    return value


ADAPTER = Adapter(
    name="recbole",
    shape="ranking",
    convention="default[denominator=min-relevant-cutoff]",
    call=_evaluate,
    measures={"AP": "MAP", "P": "Precision", "R": "Recall", "RR": "MRR", "Success": "Hit", "nDCG": "NDCG"},
    imports="recbole.evaluator.metrics",
    requires=("numpy<1.24",),  # it names types that newer ones don't have
)
