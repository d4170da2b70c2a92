"""RankerEval: its metrics of one ranking, from two lists of ids."""

from __future__ import annotations

from collections.abc import Callable

from rankspec.conformance.worker.adapter import Adapter


def _named(name: str) -> Callable[..., object]:
    def function(actual: list[str], predicted: list[str], k: int) -> float:
        import rankereval

        items = {docno: item for item, docno in enumerate(dict.fromkeys((*predicted, *actual)))}
        true = rankereval.BinaryLabels.from_positive_indices([[items[docno] for docno in actual]])
        ranked = rankereval.Rankings.from_ranked_indices([[items[docno] for docno in predicted]])
        return float(getattr(rankereval, name)(k).score(true, ranked)[0])

    return function


MEASURES = {
    "AP": _named("AP"),
    "P": _named("Precision"),
    "R": _named("Recall"),
    "F": _named("F1"),
    "RR": _named("ReciprocalRank"),
    "Success": _named("HitRate"),
    "nDCG": _named("NDCG"),
}


def prepare() -> None:
    """Compile, which takes up to a minute."""
    for function in MEASURES.values():
        function(["a"], ["a"], 1)


ADAPTER = Adapter(
    name="rankereval",
    distribution="rankereval",
    shape="actual-predicted",
    convention="default",
    measures=MEASURES,
    prepare=prepare,
    requires=("numpy<2",),
)
