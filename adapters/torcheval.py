"""torcheval: `binary_auprc` and `retrieval_precision` of one query, from labels and scores; they return singles."""

from rankspec.conformance.worker.adapter import Adapter, Labels, Scores


def precision(y_true: Labels, y_score: Scores, k: int) -> object:
    """Call `retrieval_precision`."""
    return _evaluate("retrieval_precision", y_true, y_score, k=k)


def _evaluate(name: str, y_true: Labels, y_score: Scores, **cutoff: int) -> object:
    import torch
    from numpy import float32
    from torcheval.metrics import functional

    return float32(getattr(functional, name)(torch.tensor(y_score), torch.tensor(y_true), **cutoff).item())


ADAPTER = Adapter(
    name="torcheval",
    shape="labels-scores",
    convention="default[score_precision=float32, ties=grouped]",
    call=_evaluate,
    measures={"AP": "binary_auprc", "P": precision},
    requires=("numpy", "torch"),  # its metadata does not name the second
    imports="torcheval.metrics.functional",
)
