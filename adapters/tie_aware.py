"""tie-aware-retrieval-metrics (the module `trm`): expected values over all orders of ties, from labels and scores."""

from rankspec.conformance.worker.adapter import Adapter, Labels, Scores


def _evaluate(name: str, y_true: Labels, y_score: Scores, k: int) -> float:
    from trm import metrics

    groups = metrics.build_tie_groups(y_score, [bool(label) for label in y_true])
    return getattr(metrics, name)(groups, k)


ADAPTER = Adapter(
    name="tie_aware",
    distribution="tie-aware-retrieval-metrics",
    shape="labels-scores",
    convention="default[ties=expected]",
    call=_evaluate,
    measures={"AP": "expected_ap", "P": "expected_precision", "R": "expected_recall", "RR": "expected_mrr"}
    | {"nDCG": "expected_ndcg"},
)
