"""metriks: its functions on one row of labels and of scores."""

from rankspec.conformance.worker.adapter import Adapter, Labels, Scores


def _evaluate(name: str, y_true: Labels, y_score: Scores, k: int) -> float:
    import metriks
    import numpy as np

    return getattr(metriks, name)(np.array([y_true]), np.array([y_score]), k)


ADAPTER = Adapter(
    name="metriks", shape="labels-scores", call=_evaluate, measures={"P": "precision_at_k", "R": "recall_at_k"}
)
