"""BEIR: `EvaluateRetrieval.evaluate` of a whole query set, from dicts; it returns the mean, rounded to five places."""

from rankspec.conformance.worker.adapter import Adapter, Qrels, Run


def _evaluate(place: int, qrels: Qrels, run: Run, k: int) -> float:
    """Ask for one of its four tables, nDCG, MAP, recall and precision."""
    from beir.retrieval.evaluation import EvaluateRetrieval

    (value,) = EvaluateRetrieval.evaluate(qrels, run, [k])[place].values()
    return value


def reciprocal_rank(qrels: Qrels, run: Run, k: int) -> float:
    """Ask for the table of `evaluate_custom`."""
    from beir.retrieval.evaluation import EvaluateRetrieval

    (value,) = EvaluateRetrieval.evaluate_custom(qrels, run, [k], "mrr").values()
    return value


ADAPTER = Adapter(
    name="beir",
    shape="qrels-run",
    convention="default[missing_query=skip, score_precision=float32, ties=docno-descending]",
    call=_evaluate,
    measures={"nDCG": 0, "AP": 1, "R": 2, "P": 3, "RR": reciprocal_rank},
    imports="beir.retrieval.evaluation",
)
