"""ireval: `average_precision` of one query, from labels and scores."""

from __future__ import annotations

from collections.abc import Callable

from rankspec.conformance.worker.adapter import Adapter

Labels = list[int]
Scores = list[float]


def _whole(name: str) -> Callable[..., object]:
    def function(y_true: Labels, y_score: Scores) -> float:
        import ireval

        value: float = getattr(ireval, name)(y_true, y_score)
        return value

    return function


def _cut(name: str) -> Callable[..., object]:
    def function(y_true: Labels, y_score: Scores, k: int) -> float:
        import ireval

        value: float = getattr(ireval, name)(y_true, y_score, k)
        return value

    return function


ADAPTER = Adapter(
    name="ireval",
    distribution="ireval",
    shape="labels-scores",
    convention="default",
    measures={
        "AP": _whole("average_precision"),
        "Rprec": _whole("r_precision"),
        "P": _cut("precision_at_k"),
        "R": _cut("recall_at_k"),
    },
)
