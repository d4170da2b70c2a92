"""cornac: the ranking metrics that take a ranked list of items, from two lists of ids."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.implementations.adapter import Adapter

Ids = list[str]


def _at(name: str) -> Callable[..., object]:
    def function(actual: Ids, predicted: Ids, k: int) -> float:
        import numpy as np
        from cornac import metrics

        value: float = getattr(metrics, name)(k=k).compute(gt_pos=np.array(actual), pd_rank=np.array(predicted))
        return value

    return function


def reciprocal_rank(actual: Ids, predicted: Ids) -> float:
    """Call `MRR`, which takes no cutoff."""
    import numpy as np
    from cornac.metrics import MRR

    value: float = MRR().compute(gt_pos=np.array(actual), pd_rank=np.array(predicted))
    return value


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("cornac.metrics")


ADAPTER = Adapter(
    name="cornac",
    distribution="cornac",
    shape="actual-predicted",
    convention="default",
    measures={
        "nDCG": _at("NDCG"),
        "P": _at("Precision"),
        "R": _at("Recall"),
        "F": _at("FMeasure"),
        "Success": _at("HitRatio"),
        "RR": reciprocal_rank,
    },
    prepare=prepare,
)
