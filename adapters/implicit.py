"""implicit: `ranking_metrics_at_k` of one user, from two lists of ids, by a model that recommends what it is given."""

from types import SimpleNamespace

from rankspec.conformance.worker.adapter import Adapter, Ids


def _evaluate(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    import numpy as np
    from implicit.evaluation import ranking_metrics_at_k
    from scipy.sparse import csr_matrix

    columns = {docno: column for column, docno in enumerate(dict.fromkeys((*predicted, *actual)))}
    test = csr_matrix((1, len(columns)))
    test[0, [columns[docno] for docno in actual]] = 1.0
    padding = [-1] * (k - len(predicted))  # which is what its models recommend when they run out of items
    ranked = np.array([[*(columns[docno] for docno in predicted[:k]), *padding]], dtype=np.int32)
    model = SimpleNamespace(recommend=lambda *_, **__: (ranked, -np.arange(ranked.size, dtype=np.float32)))
    train = csr_matrix(test.shape)
    return ranking_metrics_at_k(model, train, test, K=k, show_progress=False)[name]


ADAPTER = Adapter(
    name="implicit",
    shape="actual-predicted",
    convention="default[denominator=min-relevant-cutoff, duplicates=counted, no_relevant=error]",
    call=_evaluate,
    measures={"AP": "map", "P": "precision", "nDCG": "ndcg"},
    imports="implicit.evaluation",
)
