"""LensKit: the ranking metrics on item lists, from two lists of ids."""

from functools import partial
from typing import Any

from rankspec.conformance.worker.adapter import Adapter, Ids, Qrels, Run


def _evaluate(name: str, actual: Ids, predicted: Ids, k: int | None = None) -> float:
    from lenskit.data import ItemList
    from lenskit.metrics import ranking

    metric = getattr(ranking, name)(k)
    return metric.measure_list(ItemList(predicted, ordered=True), ItemList(actual))


def _evaluate_users(name: str, qrels: Qrels, run: Run, k: int | None = None, rel: int = 1) -> float:
    """Ask for a metric of lists in the order of the scores; the test items are the relevant ones."""
    from lenskit.data import ItemList, ItemListCollection
    from lenskit.metrics import RunAnalysis, ranking

    true = {user: ItemList([item for item, g in graded.items() if g >= rel]) for user, graded in qrels.items()}
    ranked = {user: sorted(scored, key=scored.__getitem__, reverse=True) for user, scored in run.items()}
    lists = {user: ItemList(items, ordered=True) for user, items in ranked.items()}
    analysis = RunAnalysis()
    analysis.add_metric(getattr(ranking, name)(k))
    test, listed = (ItemListCollection.from_dict(each, "user_id") for each in (true, lists))
    return float(analysis.measure(listed, test).list_summary()["mean"].iloc[0])


_adapter: Any = partial(Adapter, distribution="lenskit", imports="lenskit.metrics.ranking")
NAMES = {"P": "Precision", "R": "Recall", "RR": "RecipRank", "Success": "Hit"}
ADAPTERS = (
    _adapter(
        name="lenskit",
        shape="actual-predicted",
        convention="default[denominator=min-relevant-length, duplicates=counted, no_relevant=error]",
        call=_evaluate,
        measures={"AP": "AveragePrecision", **NAMES, "nDCG": "NDCG"},
    ),
    _adapter(
        name="lenskit_users",
        about="LensKit: `RunAnalysis` over all users, from their test items and item lists; it returns the mean",
        shape="qrels-run",
        convention="default[missing_query=skip, recall_denominator=min-relevant-cutoff, unknown_query=zero]",
        call=_evaluate_users,
        measures=NAMES,
        startup_seconds=120,
    ),
)
