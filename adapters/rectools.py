"""RecTools: the ranking metrics on two data frames of one user, from two lists of ids."""

from functools import partial
from typing import Any

from rankspec.conformance.worker.adapter import Adapter, Ids, Qrels, Run


def _evaluate(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    import pandas as pd
    from rectools import Columns, metrics

    true = pd.DataFrame({Columns.User: ["u"] * len(actual), Columns.Item: actual})
    ranked = pd.DataFrame({Columns.User: ["u"] * len(predicted), Columns.Item: predicted})
    ranked[Columns.Rank] = range(1, len(predicted) + 1)
    return getattr(metrics, name)(k=k).calc(ranked, true)


def _evaluate_users(name: str, qrels: Qrels, run: Run, k: int, rel: int = 1) -> float:
    """Ask for a metric of items ranked by score; the interactions are the relevant items: there is no threshold."""
    import pandas as pd
    from rectools import Columns, metrics

    true = [(user, item) for user, graded in qrels.items() for item, grade in graded.items() if grade >= rel]
    ranked = {user: sorted(scored, key=scored.__getitem__, reverse=True) for user, scored in run.items()}
    rows = [(user, item, rank) for user, items in ranked.items() for rank, item in enumerate(items, start=1)]
    interactions = pd.DataFrame(true, columns=[Columns.User, Columns.Item], dtype=object)
    recommended = pd.DataFrame(rows, columns=[Columns.User, Columns.Item, Columns.Rank])
    return getattr(metrics, name)(k=k).calc(recommended, interactions)


_adapter: Any = partial(Adapter, distribution="rectools", imports="rectools.metrics")
NAMES = {"AP": "MAP", "P": "Precision", "R": "Recall", "RR": "MRR", "Success": "HitRate"}
ADAPTERS = (
    _adapter(name="rectools", shape="actual-predicted", call=_evaluate, measures={**NAMES, "nDCG": "NDCG"}),
    _adapter(
        name="rectools_users",
        about="RecTools: the ranking metrics on two data frames of all users; it returns the mean",
        shape="qrels-run",
        convention="default[no_relevant=skip]",
        call=_evaluate_users,
        measures=NAMES,
        startup_seconds=120,
    ),
)
