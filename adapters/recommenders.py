"""Microsoft's recommenders: `python_evaluation` on two data frames, users for queries; it returns the mean."""

from functools import partial
from typing import Any

from rankspec.adapters._frames import relevant, retrieved
from rankspec.conformance.worker.adapter import Adapter, Qrels, Run


def _evaluate(name: str, qrels: Qrels, run: Run, k: int, rel: int = 1) -> float:
    """Ask for `map_at_k`, ...: the true ratings are the relevant documents, since there is no threshold."""
    from recommenders.evaluation import python_evaluation

    true = relevant(qrels, rel, ("userID", "itemID", "rating"))
    predicted = retrieved(run, ("userID", "itemID", "prediction"))
    return getattr(python_evaluation, name)(true, predicted, k=k)


def ndcg(qrels: Qrels, run: Run, k: int) -> float:
    """Ask for `ndcg_at_k`, which has no threshold."""
    return _evaluate("ndcg_at_k", qrels, run, k)


_adapter: Any = partial(
    Adapter,
    distribution="recommenders",
    shape="qrels-run",
    call=_evaluate,
    imports="recommenders.evaluation.python_evaluation",
)
ADAPTERS = (
    _adapter(
        name="recommenders",
        convention="default[denominator=min-relevant-cutoff, missing_query=skip, no_relevant=skip]",
        measures={"AP": "map_at_k", "P": "precision_at_k", "R": "recall_at_k", "nDCG": ndcg},
    ),
    _adapter(
        name="recommenders_map",
        about="Microsoft's recommenders: `map`, which divides by the relevant documents where `map_at_k` doesn't",
        convention="default[missing_query=skip, no_relevant=skip]",
        measures={"AP": "map"},
    ),
)
