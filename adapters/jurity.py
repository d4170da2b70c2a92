"""Jurity: the recommenders' metrics on two data frames, users for queries; it returns the mean."""

from rankspec.adapters._frames import relevant, retrieved
from rankspec.conformance.worker.adapter import Adapter, Qrels, Run


def _evaluate(name: str, qrels: Qrels, run: Run, k: int, rel: int = 1) -> float:
    """Ask for `MAP`, ...: a click is a relevant document, and the predicted one's score."""
    from jurity import recommenders

    columns = ("user_id", "item_id", "clicks")
    metric = getattr(recommenders, name)(click_column="clicks", k=k)
    return metric.get_score(relevant(qrels, rel, columns), retrieved(run, columns))


ADAPTER = Adapter(
    name="jurity",
    shape="qrels-run",
    call=_evaluate,
    measures={"AP": "MAP", "P": "Precision", "R": "Recall", "nDCG": "NDCG"},
    imports="jurity.recommenders",
)
