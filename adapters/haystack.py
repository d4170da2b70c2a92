"""Haystack: the document evaluators on one query, from two lists of ids; recall with `mode="multi_hit"`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter

Ids = list[str]


def _named(name: str, **options: str) -> Callable[..., object]:
    """Run an evaluator; documents are told apart by their content, as it does by default."""

    def function(actual: Ids, predicted: Ids) -> float:
        from haystack import Document
        from haystack.components import evaluators

        true, ranked = ([Document(content=docno) for docno in docnos] for docnos in (actual, predicted))
        evaluator = getattr(evaluators, name)(**options)
        value: float = evaluator.run(ground_truth_documents=[true], retrieved_documents=[ranked])["score"]
        return value

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("haystack.components.evaluators")


ADAPTER = Adapter(
    name="haystack",
    distribution="haystack-ai",
    shape="actual-predicted",
    convention="default[duplicates=first]",
    measures={
        "AP": _named("DocumentMAPEvaluator"),
        "RR": _named("DocumentMRREvaluator"),
        "nDCG": _named("DocumentNDCGEvaluator"),
        "SetR": _named("DocumentRecallEvaluator", mode="multi_hit"),
    },
    prepare=prepare,
)
