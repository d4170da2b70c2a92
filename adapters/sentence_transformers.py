"""Sentence Transformers: `InformationRetrievalEvaluator.compute_metrics` on hits that are given; a mean comes back."""

from rankspec.conformance.worker.adapter import Adapter, Qrels, Run


def _evaluate(names: tuple[str, str], qrels: Qrels, run: Run, k: int, rel: int = 1) -> float:
    """Ask for `map@k`, ... of the queries that it keeps: its relevant documents are sets, without a threshold."""
    from sentence_transformers.evaluation import InformationRetrievalEvaluator

    name, option = names
    relevant = {query: {docno for docno, g in graded.items() if g >= rel} for query, graded in qrels.items()}
    evaluator = InformationRetrievalEvaluator(dict.fromkeys(qrels, ""), {}, relevant, **{option: [k]})
    kept = [run.get(query, {}) for query in evaluator.queries_ids]
    hits = [[{"corpus_id": docno, "score": score} for docno, score in scored.items()] for scored in kept]
    return evaluator.compute_metrics(hits)[name][k]


ADAPTER = Adapter(
    name="sentence_transformers",
    shape="qrels-run",
    convention="default[denominator=min-relevant-cutoff, no_relevant=skip, ties=docno-ascending]",
    call=_evaluate,
    measures={"AP": ("map@k", "map_at_k"), "RR": ("mrr@k", "mrr_at_k"), "nDCG": ("ndcg@k", "ndcg_at_k")}
    | {"P": ("precision@k", "precision_recall_at_k"), "R": ("recall@k", "precision_recall_at_k")}
    | {"Success": ("accuracy@k", "accuracy_at_k")},
    imports="sentence_transformers.evaluation",
)
