"""XGBoost: its ranking metrics with a minus, `map@3-`, under which a list without relevant documents counts as zero."""

from __future__ import annotations

from importlib import import_module

from rankspec.adapters.xgboost import named
from rankspec.conformance.worker.adapter import Adapter


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("xgboost")


ADAPTER = Adapter(
    name="xgboost_minus",
    distribution="xgboost",
    shape="labels-scores",
    convention="default[score_precision=float32]",
    measures={"AP": named("map", "-"), "nDCG": named("ndcg", "-")},
    extra="xgboost",
    prepare=prepare,
)
