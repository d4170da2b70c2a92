"""trectools: `TrecEval` on data frames of qrels and of a run; it returns the mean."""

from functools import partial
from typing import Any

from rankspec.conformance.worker.adapter import Adapter, Qrels, Run


def _evaluate(name: str, qrels: Qrels, run: Run, k: int = 1000) -> float:
    """Ask for `get_map`, ...: without a cutoff at its own depth, 1000."""
    return getattr(_evaluation(qrels, run), name)(depth=k)


def _biased(place: int, qrels: Qrels, run: Run, p: float = 0.8, k: int = 1000) -> float:
    """Ask for `get_rbp`, or for the residual that it gives beside it."""
    return _evaluation(qrels, run).get_rbp(p=p, depth=k)[place]


def _evaluation(qrels: Qrels, run: Run) -> Any:
    import pandas as pd
    from trectools import TrecEval, TrecQrel, TrecRun

    judged = [(query, "0", docno, grade) for query, graded in qrels.items() for docno, grade in graded.items()]
    ranked = [
        (query, "Q0", docno, rank, score, "run")
        for query, scored in run.items()
        for rank, (docno, score) in enumerate(scored.items(), 1)
    ]
    trec_qrels, trec_run = TrecQrel(), TrecRun()
    trec_qrels.qrels_data = pd.DataFrame(judged, columns=["query", "q0", "docid", "rel"])
    trec_run.run_data = pd.DataFrame(ranked, columns=["query", "q0", "docid", "rank", "score", "system"])
    return TrecEval(trec_run, trec_qrels)


ADAPTER = Adapter(
    name="trectools",
    shape="qrels-run",
    convention="default[missing_query=skip, ties=docno-descending, unknown_query=zero]",
    call=_evaluate,
    measures={"AP": "get_map", "RR": "get_reciprocal_rank", "P": "get_precision", "R": "get_recall"}
    | {"nDCG": "get_ndcg", "Rprec": "get_rprec", "Bpref": "get_bpref", "RBP": partial(_biased, 0)}
    | {"RBPResidual": partial(_biased, 1), "Unjudged": "get_unjudged"},
    imports="trectools",
)
