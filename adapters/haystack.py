"""Haystack: the document evaluators on one query, from two lists of ids; recall with `mode="multi_hit"`."""

from functools import partial

from rankspec.conformance.worker.adapter import Adapter, Ids


def _evaluate(name: str, actual: Ids, predicted: Ids, **options: str) -> float:
    """Run an evaluator; documents are told apart by their content, as it does by default."""
    from haystack import Document
    from haystack.components import evaluators

    true, ranked = ([Document(content=docno) for docno in docnos] for docnos in (actual, predicted))
    evaluator = getattr(evaluators, name)(**options)
    return evaluator.run(ground_truth_documents=[true], retrieved_documents=[ranked])["score"]


ADAPTER = Adapter(
    name="haystack",
    distribution="haystack-ai",
    shape="actual-predicted",
    convention="default[duplicates=first]",
    measures={"AP": partial(_evaluate, "DocumentMAPEvaluator"), "RR": partial(_evaluate, "DocumentMRREvaluator")}
    | {"nDCG": partial(_evaluate, "DocumentNDCGEvaluator")}
    | {"SetR": partial(_evaluate, "DocumentRecallEvaluator", mode="multi_hit")},
    imports="haystack.components.evaluators",
)
