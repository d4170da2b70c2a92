"""Sentence Transformers: `InformationRetrievalEvaluator.compute_metrics` on hits that are given; a mean comes back."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from rankspec.conformance.worker.adapter import Adapter

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def _named(name: str, option: str) -> Callable[..., object]:
    """Ask for `map@k`, ... of the queries that it keeps: its relevant documents are sets, without a threshold."""

    def function(qrels: Qrels, run: Run, k: int, rel: int = 1) -> float:
        from sentence_transformers.evaluation import InformationRetrievalEvaluator

        relevant = {query: {docno for docno, g in graded.items() if g >= rel} for query, graded in qrels.items()}
        evaluator = InformationRetrievalEvaluator(dict.fromkeys(qrels, ""), {}, relevant, **{option: [k]})
        kept = [run.get(query, {}) for query in evaluator.queries_ids]
        hits = [[{"corpus_id": docno, "score": score} for docno, score in scored.items()] for scored in kept]
        value: float = evaluator.compute_metrics(hits)[name][k]
        return value

    return function


def prepare() -> None:
    """Import it, which takes seconds."""
    import_module("sentence_transformers.evaluation")


ADAPTER = Adapter(
    name="sentence_transformers",
    distribution="sentence-transformers",
    shape="qrels-run",
    convention="default[denominator=min-relevant-cutoff, no_relevant=skip, ties=docno-ascending]",
    measures={
        "AP": _named("map@k", "map_at_k"),
        "RR": _named("mrr@k", "mrr_at_k"),
        "nDCG": _named("ndcg@k", "ndcg_at_k"),
        "P": _named("precision@k", "precision_recall_at_k"),
        "R": _named("recall@k", "precision_recall_at_k"),
        "Success": _named("accuracy@k", "accuracy_at_k"),
    },
    prepare=prepare,
)
