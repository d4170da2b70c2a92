"""cornac: the ranking metrics that take a ranked list of items, from two lists of ids."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from rankspec.conformance.worker.adapter import Adapter

Ids = list[str]


def _at(name: str) -> Callable[..., object]:
    def function(actual: Ids, predicted: Ids, k: int) -> float:
        from cornac import metrics

        value: float = getattr(metrics, name)(k=k).compute(**_items(actual, predicted))
        return value

    return function


def reciprocal_rank(actual: Ids, predicted: Ids) -> float:
    """Call `MRR`, which takes no cutoff."""
    from cornac.metrics import MRR

    value: float = MRR().compute(**_items(actual, predicted))
    return value


def _items(actual: Ids, predicted: Ids) -> dict[str, Any]:
    """Number the items, as it does itself."""
    import numpy as np

    numbers = {docno: number for number, docno in enumerate(dict.fromkeys((*predicted, *actual)))}
    true, ranked = (np.array([numbers[docno] for docno in docnos], dtype=int) for docnos in (actual, predicted))
    return {"gt_pos": true, "pd_rank": ranked}


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("cornac.metrics")


ADAPTER = Adapter(
    name="cornac",
    distribution="cornac",
    shape="actual-predicted",
    convention="default[duplicates=counted, no_relevant=nan]",
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
