"""KerasRS: the ranking metrics of one list, from labels and scores, on the backend torch; they return singles."""

import os
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter, Labels, Scores


def _evaluate(name: str, y_true: Labels, y_score: Scores, k: int | None = None) -> object:
    """Call a metric as it is, which puts ties into a random order unless told otherwise."""
    os.environ.setdefault("KERAS_BACKEND", "torch")
    import keras_rs
    from numpy import array, float32

    metric = getattr(keras_rs.metrics, name)(k=k)
    return float32(metric(array([y_true], dtype=float32), array([y_score], dtype=float32)))


def prepare() -> None:
    """Import it, which takes seconds."""
    os.environ.setdefault("KERAS_BACKEND", "torch")
    import_module("keras_rs")


ADAPTER = Adapter(
    name="keras_rs",
    shape="labels-scores",
    call=_evaluate,
    measures={"AP": "MeanAveragePrecision", "P": "PrecisionAtK", "R": "RecallAtK", "RR": "MeanReciprocalRank"}
    | {"nDCG": "NDCG"},
    prepare=prepare,
    requires=("keras", "torch"),
)
