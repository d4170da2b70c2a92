"""DeepEval: the scores of its contextual metrics on verdicts that are given, from labels in rank order."""

from types import SimpleNamespace

from rankspec.conformance.worker.adapter import Adapter, Labels


def precision(relevance: Labels) -> float:
    """Score verdicts on contexts, which a model gives otherwise: the call has no public name."""
    return _scored("ContextualPrecisionMetric", verdicts=_verdicts(relevance))


def recall(relevance: Labels, num_relevant: int) -> float:
    """Score verdicts on the statements of a reference: the relevant ones of the list are attributed, the others not."""
    attributed = sum(label > 0 for label in relevance)
    return _scored("ContextualRecallMetric", verdicts=_verdicts([1] * attributed + [0] * (num_relevant - attributed)))


def relevancy(relevance: Labels) -> float:
    """Score verdicts on statements of one context."""
    return _scored("ContextualRelevancyMetric", verdicts_list=[SimpleNamespace(verdicts=_verdicts(relevance))])


def _verdicts(labels: list[int]) -> list[SimpleNamespace]:
    return [SimpleNamespace(verdict="yes" if label else "no") for label in labels]


def _scored(name: str, **verdicts: list[SimpleNamespace]) -> float:
    from deepeval import metrics

    metric = SimpleNamespace(**verdicts, strict_mode=False, threshold=0.5)
    return getattr(metrics, name)._calculate_score(metric)  # noqa: SLF001


ADAPTER = Adapter(
    name="deepeval",
    shape="ranking",
    measures={"AP": precision, "ContextPrecision": precision, "SetR": recall, "SetP": relevancy},
    imports="deepeval.metrics",
)
