"""cornac: the ranking metrics that take a ranked list of items, from two lists of ids."""

from functools import partial
from typing import Any

from rankspec.conformance.worker.adapter import Adapter, Ids, Labels, Scores


def _evaluate(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    from cornac import metrics

    return getattr(metrics, name)(k=k).compute(**_items(actual, predicted))


def reciprocal_rank(actual: Ids, predicted: Ids) -> float:
    """Call `MRR`, which takes no cutoff."""
    from cornac.metrics import MRR

    return MRR().compute(**_items(actual, predicted))


def _items(actual: Ids, predicted: Ids) -> dict[str, Any]:
    """Number the items, as it does itself."""
    import numpy as np

    numbers = {docno: number for number, docno in enumerate(dict.fromkeys((*predicted, *actual)))}
    true, ranked = (np.array([numbers[docno] for docno in docnos], dtype=int) for docnos in (actual, predicted))
    return {"gt_pos": true, "pd_rank": ranked}


def average_precision(y_true: Labels, y_score: Scores) -> float:
    """Call `MAP`, which takes the items, their scores, and which of them are relevant."""
    import numpy as np
    from cornac.metrics import MAP

    items = np.arange(len(y_true))
    return MAP().compute(item_indices=items, pd_scores=np.array(y_score), gt_pos=np.flatnonzero(y_true))


_adapter: Any = partial(Adapter, distribution="cornac", imports="cornac.metrics")
ADAPTERS = (
    _adapter(
        name="cornac",
        shape="actual-predicted",
        convention="default[duplicates=counted, no_relevant=nan]",
        call=_evaluate,
        measures={"nDCG": "NDCG", "P": "Precision", "R": "Recall", "F": "FMeasure", "Success": "HitRatio"}
        | {"RR": reciprocal_rank},
    ),
    _adapter(
        name="cornac_map",
        about="cornac: `MAP` of one query, from labels and scores",
        shape="labels-scores",
        convention="default[no_relevant=nan, ties=grouped]",
        measures={"AP": average_precision},
    ),
)
