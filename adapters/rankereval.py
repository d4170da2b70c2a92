"""RankerEval: its metrics of one ranking, from two lists of ids.

Positive indices are given in rising order, as in its documentation's example. In another order 0.2.0 finds some of them
relevant and others not: P@10 of [0] is 0.1 with the positives [[0, 1, 2]], and 0 with [[1, 2, 0]]; NDCG is up to 1.58.
"""

from rankspec.conformance.worker.adapter import Adapter, Ids


def _evaluate(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    import rankereval

    items = {docno: item for item, docno in enumerate(dict.fromkeys((*predicted, *actual)))}
    true = rankereval.BinaryLabels.from_positive_indices([sorted(items[docno] for docno in actual)])
    ranked = rankereval.Rankings.from_ranked_indices([[items[docno] for docno in predicted]])
    return float(getattr(rankereval, name)(k).score(true, ranked)[0])


NAMES = {"AP": "AP", "P": "Precision", "R": "Recall", "F": "F1", "RR": "ReciprocalRank", "Success": "HitRate"}
NAMES |= {"nDCG": "NDCG"}


def prepare() -> None:
    """Compile, which takes up to a minute."""
    for name in NAMES.values():
        _evaluate(name, ["a"], ["a"], 1)


ADAPTER = Adapter(
    name="rankereval", shape="actual-predicted", call=_evaluate, measures=NAMES, prepare=prepare, requires=("numpy<2",)
)
