"""MLMetrics (the module `mlmetrics`): the ranking metrics on data frames, users for queries; it returns the mean."""

from rankspec.adapters._frames import relevant, retrieved
from rankspec.conformance.worker.adapter import Adapter, Qrels, Run


def _evaluate(name: str, qrels: Qrels, run: Run, k: int, rel: int = 1) -> float:
    from mlmetrics import ranking

    columns = ("user", "item", "rating")
    return getattr(ranking, name)(relevant(qrels, rel, columns), retrieved(run, columns), k=k)


ADAPTER = Adapter(
    name="mlmetrics",
    distribution="MLMetrics",
    shape="qrels-run",
    call=_evaluate,
    measures={"AP": "map_top_k", "P": "precision_top_k", "R": "recall_top_k"},
    imports="mlmetrics.ranking",
    requires=("scikit-learn", "pandas<2", "numpy<2"),  # it imports the first without saying so in its metadata
)
