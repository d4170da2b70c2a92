"""PyTorch Ignite: its metrics on one batch of one query, from labels and scores."""

from rankspec.conformance.worker.adapter import Adapter, Labels, Scores


def average_precision(y_true: Labels, y_score: Scores) -> float:
    """Call `AveragePrecision`, which asks scikit-learn."""
    import torch
    from ignite.metrics import AveragePrecision

    metric = AveragePrecision()
    metric.update((torch.tensor(y_score), torch.tensor(y_true)))
    return metric.compute()


def _evaluate(name: str, y_true: Labels, y_score: Scores, k: int) -> float:
    """Call a metric of `rec_sys`: a row of scores and a row of labels."""
    import torch
    from ignite.metrics import rec_sys

    metric = getattr(rec_sys, name)(top_k=[k])
    metric.update((torch.tensor([y_score]), torch.tensor([y_true], dtype=torch.float)))
    return metric.compute()[0]


ADAPTER = Adapter(
    name="ignite",
    distribution="pytorch-ignite",
    shape="labels-scores",
    convention="default[score_precision=float32, ties=grouped]",
    call=_evaluate,
    measures={"AP": average_precision, "Success": "HitRate", "nDCG": "NDCG"},
    requires=("scikit-learn",),
    imports="ignite.metrics.rec_sys",
)
