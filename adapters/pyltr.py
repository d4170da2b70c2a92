"""pyltr: `AP`, `NDCG` and `ERR` of one query, from labels and scores."""

from rankspec.conformance.worker.adapter import Adapter


def average_precision(y_true: list[int], y_score: list[float], k: int) -> float:
    """Evaluate `AP`, whose cutoff is 10 unless it is stated."""
    import numpy as np
    from pyltr.metrics import AP

    return AP(k=k).evaluate_preds("q", np.array(y_true), np.array(y_score))


def ndcg(y_true: list[int], y_score: list[float], k: int, dcg: str = "log2") -> float:
    """Evaluate `NDCG` with a gain of its own name."""
    import numpy as np
    from pyltr.metrics import NDCG

    gain = {"log2": "identity", "exp-log2": "exp2"}[dcg]
    return NDCG(k=k, gain_type=gain).evaluate_preds("q", np.array(y_true), np.array(y_score))


def expected_reciprocal_rank(y_true: list[int], y_score: list[float], k: int) -> float:
    """Evaluate `ERR`, which has to be told the highest grade: that of TREC's gdeval."""
    import numpy as np
    from pyltr.metrics import ERR

    return ERR(4, k=k).evaluate_preds("q", np.array(y_true), np.array(y_score))


ADAPTER = Adapter(
    name="pyltr",
    distribution="pyltr",
    shape="labels-scores",
    convention="default[ties=pessimistic]",
    measures={"AP": average_precision, "nDCG": ndcg, "ERR": expected_reciprocal_rank},
    imports="pyltr.metrics",
)
