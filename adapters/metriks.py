"""metriks: its functions on one row of labels and of scores."""

from __future__ import annotations

from collections.abc import Callable

from rankspec.conformance.worker.adapter import Adapter


def _cut(name: str) -> Callable[..., object]:
    def function(y_true: list[int], y_score: list[float], k: int) -> float:
        import metriks
        import numpy as np

        value: float = getattr(metriks, name)(np.array([y_true]), np.array([y_score]), k)
        return value

    return function


ADAPTER = Adapter(
    name="metriks",
    distribution="metriks",
    shape="labels-scores",
    convention="default",
    measures={"P": _cut("precision_at_k"), "R": _cut("recall_at_k")},
)
