"""torcheval: `binary_auprc` and `retrieval_precision` of one query, from labels and scores; they return singles."""

from rankspec.conformance.worker.adapter import Adapter


def average_precision(y_true: list[int], y_score: list[float]) -> object:
    """Call `binary_auprc`."""
    import torch
    from numpy import float32
    from torcheval.metrics.functional import binary_auprc

    return float32(binary_auprc(torch.tensor(y_score), torch.tensor(y_true)).item())


def precision(y_true: list[int], y_score: list[float], k: int) -> object:
    """Call `retrieval_precision`."""
    import torch
    from numpy import float32
    from torcheval.metrics.functional import retrieval_precision

    return float32(retrieval_precision(torch.tensor(y_score), torch.tensor(y_true), k=k).item())


ADAPTER = Adapter(
    name="torcheval",
    distribution="torcheval",
    shape="labels-scores",
    convention="default[score_precision=float32, ties=grouped]",
    measures={"AP": average_precision, "P": precision},
    requires=("numpy", "torch"),  # its metadata does not name the second
    imports="torcheval.metrics.functional",
)
