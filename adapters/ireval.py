"""ireval: `average_precision` of one query, from labels and scores."""

from functools import partial

from rankspec.conformance.worker.adapter import Adapter, Labels, Scores


def _whole(name: str, y_true: Labels, y_score: Scores, *cutoff: int) -> float:
    import ireval

    return getattr(ireval, name)(y_true, y_score, *cutoff)


def _cut(name: str, y_true: Labels, y_score: Scores, k: int) -> float:
    return _whole(name, y_true, y_score, k)


ADAPTER = Adapter(
    name="ireval",
    shape="labels-scores",
    measures={"AP": partial(_whole, "average_precision"), "Rprec": partial(_whole, "r_precision")}
    | {"P": partial(_cut, "precision_at_k"), "R": partial(_cut, "recall_at_k")},
)
