"""cornac: `MAP` of one query, from labels and scores."""

from __future__ import annotations

from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter


def average_precision(y_true: list[int], y_score: list[float]) -> float:
    """Call `MAP`, which takes the items, their scores, and which of them are relevant."""
    import numpy as np
    from cornac.metrics import MAP

    items = np.arange(len(y_true))
    value: float = MAP().compute(item_indices=items, pd_scores=np.array(y_score), gt_pos=np.flatnonzero(y_true))
    return value


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("cornac.metrics")


ADAPTER = Adapter(
    name="cornac_map",
    distribution="cornac",
    shape="labels-scores",
    convention="default[no_relevant=nan, ties=grouped]",
    measures={"AP": average_precision},
    extra="cornac",
    prepare=prepare,
)
