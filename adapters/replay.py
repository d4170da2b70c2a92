"""RePlay (replay-rec): the ranking metrics on dicts of scored items; it returns a value a query."""

from rankspec.conformance.worker.adapter import Adapter, Qrels, Run


def _evaluate(name: str, qrels: Qrels, run: Run, k: int, rel: int = 1) -> dict[str, float]:
    """Ask for `MAP`, ...: the ground truth is the relevant documents, since there is no threshold."""
    from replay import metrics

    recommended = {query: list(scored.items()) for query, scored in run.items()}
    truth = {query: [docno for docno, grade in graded.items() if grade >= rel] for query, graded in qrels.items()}
    measured = getattr(metrics, name)(k, mode=metrics.PerUser())(recommended, truth)
    return dict(next(iter(measured.values())))


ADAPTER = Adapter(
    name="replay",
    distribution="replay-rec",
    shape="qrels-run",
    convention="default[denominator=min-relevant-cutoff]",
    call=_evaluate,
    measures={"AP": "MAP", "P": "Precision", "R": "Recall", "RR": "MRR", "Success": "HitRate", "nDCG": "NDCG"},
    imports="replay.metrics",
)
