"""DeepEval: the score of `ContextualPrecisionMetric` on verdicts that are given, from labels in rank order."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

from rankspec.conformance.worker.adapter import Adapter


def average_precision(relevance: list[int]) -> float:
    """Score verdicts, which a model gives otherwise: the call has no public name."""
    from deepeval.metrics import ContextualPrecisionMetric

    verdicts = [SimpleNamespace(verdict="yes" if label else "no") for label in relevance]
    metric = SimpleNamespace(verdicts=verdicts, strict_mode=False, threshold=0.5)
    value: float = ContextualPrecisionMetric._calculate_score(metric)  # noqa: SLF001
    return value


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("deepeval.metrics")


ADAPTER = Adapter(
    name="deepeval",
    distribution="deepeval",
    shape="ranking",
    convention="default",
    measures={"AP": average_precision},
    prepare=prepare,
)
