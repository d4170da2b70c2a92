"""Thin calls into libraries that have no adapter, for `identify_libraries.py`: none computes a metric itself.

Each imports its library when it is called, in an environment of the library's own; `libraries.toml` has the versions.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

Judged = Mapping[str, Mapping[str, int]]
Scored = Mapping[str, Mapping[str, float]]
Ids = Sequence[str]


def _ranked(scores: Mapping[str, float]) -> list[str]:
    """Return the documents as a list, for a library that takes lists: the order of ties is this function's."""
    return sorted(scores, key=lambda document: -scores[document])


def _numbered(actual: Ids, predicted: Ids) -> tuple[list[int], list[int]]:
    """Return both with numbers for ids, for a library that takes integers."""
    numbers = {document: number for number, document in enumerate(dict.fromkeys([*predicted, *actual]))}
    return [numbers[document] for document in actual], [numbers[document] for document in predicted]


def _cutoff(k: int | None, predicted: Ids) -> int:
    return len(predicted) if k is None else k


# ---- Ids of the relevant and of the ranked documents


def rankkit_ap(actual: Ids, predicted: Ids, k: int) -> float | None:
    """Ask rankkit for AP; it returns None where nothing is relevant."""
    run = importlib.import_module("rankkit.data").Run("q", tuple(predicted), dict.fromkeys(actual, 1))
    value: float | None = importlib.import_module("rankkit.metrics").average_precision(run, k)
    return value


def rankkit_ndcg(actual: Ids, predicted: Ids, k: int) -> float | None:
    """Ask rankkit for nDCG."""
    run = importlib.import_module("rankkit.data").Run("q", tuple(predicted), dict.fromkeys(actual, 1))
    value: float | None = importlib.import_module("rankkit.metrics").ndcg(run, k)
    return value


def evret_ap(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask evret for AP."""
    metric = importlib.import_module("evret.metrics.average_precision").AveragePrecision(k)
    return float(metric.score_query(predicted, actual))


def evret_ndcg(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask evret for nDCG."""
    return float(importlib.import_module("evret.metrics.ndcg").NDCG(k).score_query(predicted, actual))


def evret_rr(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask evret for RR."""
    return float(importlib.import_module("evret.metrics.mrr").MRR(k).score_query(predicted, actual))


def ir_evaluation_ap(actual: Ids, predicted: Ids, k: int | None = None) -> float:
    """Ask ir-evaluation for AP."""
    metrics = importlib.import_module("ir_evaluation.metrics")
    return float(metrics.average_precision(actual, predicted, _cutoff(k, predicted)))


def ir_evaluation_ndcg(actual: Ids, predicted: Ids, k: int | None = None) -> float:
    """Ask ir-evaluation for nDCG."""
    return float(importlib.import_module("ir_evaluation.metrics").ndcg(actual, predicted, _cutoff(k, predicted)))


def ir_eval_numba_ap(actual: Ids, predicted: Ids, k: int | None = None) -> float:
    """Ask ir-eval-numba for AP; its ids are integers."""
    array = importlib.import_module("numpy").array
    found, listed = _numbered(actual, predicted)
    metrics = importlib.import_module("ir_eval_numba.metrics")
    return float(metrics.average_precision(array(found, "int64"), array(listed, "int64"), _cutoff(k, predicted)))


def recommendation_metrics_ap(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask recommendation-metrics for AP; its folder has a hyphen in its name."""
    return float(importlib.import_module("recommendation-metrics.metrics").apk(list(actual), list(predicted), k))


def rankflow_ap(actual: Ids, predicted: Ids) -> float:
    """Ask rankflow for AP; a document is its index in an array of ranks."""
    found, ranks = _places(actual, predicted)
    return float(importlib.import_module("rankflow.metrics").average_precision(ranks, set(found)))


def rankflow_ndcg(actual: Ids, predicted: Ids, k: int | None = None) -> float:
    """Ask rankflow for nDCG."""
    found, ranks = _places(actual, predicted)
    metrics, grades = importlib.import_module("rankflow.metrics"), dict.fromkeys(found, 1.0)
    return float(metrics.ndcg_at_k(ranks, grades, _cutoff(k, predicted)))


def _places(actual: Ids, predicted: Ids) -> tuple[list[int], Any]:
    """Return relevant places and the array of ranks; a document is its place, so none can stand twice."""
    if len(set(predicted)) < len(predicted):
        raise ValueError("a document stands twice, which this call can't express")
    found, listed = _numbered(actual, predicted)
    return found, importlib.import_module("numpy").arange(len(listed))


def benchlite_rr(actual: Sequence[Ids], predicted: Sequence[Ids], k: int) -> float:
    """Ask benchlite for RR of several queries."""
    metrics = importlib.import_module("evalrag.metrics.mrr")
    return float(metrics.mrr_at_k([list(each) for each in predicted], [set(each) for each in actual], k))


def retrieval_eval_gate_ndcg(actual: Ids, predicted: Ids) -> float:
    """Ask retrieval-eval-gate for nDCG: it looks at ten documents unless it is told another depth."""
    score = _gate(actual, predicted)
    return float(score.ndcg)


def retrieval_eval_gate_rr(actual: Ids, predicted: Ids) -> float:
    """Ask retrieval-eval-gate for RR."""
    return float(_gate(actual, predicted).reciprocal_rank)


def _gate(actual: Ids, predicted: Ids) -> Any:
    metrics = importlib.import_module("rag_eval_gate.metrics")
    simple = importlib.import_module("types").SimpleNamespace
    gold = simple(query_id="q", text="q", relevant=set(actual))
    return metrics.score_query(gold, [simple(doc_id=document) for document in predicted])


def rag_eval_lite_ndcg(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask rag-eval-lite for nDCG."""
    return float(importlib.import_module("rag_eval.metrics")._ndcg(list(predicted), set(actual), k))  # noqa: SLF001


def evalragkit_ap(actual: Ids, predicted: Ids) -> float:
    """Ask evalragkit for AP."""
    return float(_call("evalragkit.ranking.metrics", "average_precision", set(actual), list(predicted)))


def evalragkit_ndcg(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask evalragkit for nDCG."""
    return float(_call("evalragkit.ranking.metrics", "ndcg_at_k", set(actual), list(predicted), k))


def evalragkit_f(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask evalragkit for F."""
    return float(_call("evalragkit.ranking.metrics", "f1_at_k", set(actual), list(predicted), k))


def evalragkit_p(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask evalragkit for P."""
    return float(_call("evalragkit.ranking.metrics", "precision_at_k", set(actual), list(predicted), k))


def rag_eval_kit_p(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask rag-eval-kit for P."""
    return _rag_eval_kit("precision_at_k", actual, predicted, k)


def rag_eval_kit_r(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask rag-eval-kit for R."""
    return _rag_eval_kit("recall_at_k", actual, predicted, k)


def rag_eval_kit_ndcg(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask rag-eval-kit for nDCG."""
    return _rag_eval_kit("ndcg_at_k", actual, predicted, k)


def _rag_eval_kit(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    item = _call("rag_eval_kit.dataset", "EvalItem", "q", "", list(actual))
    result = _call("rag_eval_kit.protocol", "RAGResult", "", list(predicted))
    return float(_call("rag_eval_kit.metrics.retrieval", name, item, result, k=k))


def z3rno_rr(actual: Ids, predicted: Ids) -> float:
    """Ask z3rno-evals for RR."""
    return float(_call("z3rno_evals.metrics", "mrr", list(predicted), list(actual)))


def z3rno_r(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask z3rno-evals for R."""
    return float(_call("z3rno_evals.metrics", "recall_at_k", list(predicted), list(actual), k))


def groundkit_success(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask groundkit for what it calls recall."""
    return float(_call("groundkit.evals.metrics", "recall_at_k", list(predicted), set(actual), k=k))


def groundkit_ndcg(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask groundkit for nDCG."""
    return float(_call("groundkit.evals.metrics", "ndcg_at_k", list(predicted), set(actual), k=k))


def groundkit_rr(actual: Ids, predicted: Ids) -> float:
    """Ask groundkit for RR."""
    return float(_call("groundkit.evals.metrics", "reciprocal_rank", list(predicted), set(actual)))


def recsys_eval_ap(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask recsys-eval for AP."""
    return float(_call("recsys_eval.metrics", "average_precision_at_k", list(predicted), set(actual), k))


def recsys_eval_p(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask recsys-eval for P."""
    return float(_call("recsys_eval.metrics", "precision_at_k", list(predicted), set(actual), k))


def skrecsys_ap(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask skrecsys for AP of one query."""
    return float(_call("skrecsys.metrics", "average_precision_at_k", [list(actual)], [list(predicted)], k=k))


def skrecsys_ndcg(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask skrecsys for nDCG of one query."""
    return float(_call("skrecsys.metrics", "ndcg_at_k", [list(actual)], [list(predicted)], k=k))


def elasticsearch_ir_evaluator_ndcg(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask elasticsearch-ir-evaluator for nDCG."""
    return _elasticsearch("calculate_ndcg", actual, (), predicted[:k])


def elasticsearch_ir_evaluator_ap(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask elasticsearch-ir-evaluator for AP."""
    return _elasticsearch("calculate_map", actual, (), predicted[:k])


def elasticsearch_ir_evaluator_p(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask elasticsearch-ir-evaluator for P."""
    return _elasticsearch("calculate_precision", actual, (), predicted[:k])


def elasticsearch_ir_evaluator_rr(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask elasticsearch-ir-evaluator for RR."""
    return _elasticsearch("calculate_mrr", actual, (), predicted[:k])


def _elasticsearch(name: str, actual: Ids, negative: Ids, found: Ids) -> float:
    """Call it with what its search would return, for there is no server."""
    module = importlib.import_module("elasticsearch_ir_evaluator.evaluator")
    evaluator = object.__new__(module.ElasticsearchIrEvaluator)
    evaluator._search = lambda _: list(found)
    pair = module.QandA(question="q", answers=list(actual), negative_answers=list(negative))
    return float(getattr(evaluator, name)([pair]))


def pyntcireval_ap(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask pyNTCIREVAL for AP."""
    return _pyntcireval("AP", actual, predicted, cutoff=k)


def pyntcireval_msndcg(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask pyNTCIREVAL for Microsoft's nDCG."""
    return _pyntcireval("MSnDCG", actual, predicted, cutoff=k)


def pyntcireval_ndcg(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask pyNTCIREVAL for the original nDCG, base 2."""
    return _pyntcireval("nDCG", actual, predicted, logb=2, cutoff=k)


def pyntcireval_q(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask pyNTCIREVAL for the Q-measure."""
    return _pyntcireval("QMeasure", actual, predicted, beta=1.0, cutoff=k)


def pyntcireval_rbp(actual: Ids, predicted: Ids) -> float:
    """Ask pyNTCIREVAL for RBP."""
    return _pyntcireval("RBP", actual, predicted, pr=0.8)


def pyntcireval_err(actual: Ids, predicted: Ids) -> float:
    """Ask pyNTCIREVAL for ERR."""
    return _pyntcireval("ERR", actual, predicted)


def _pyntcireval(name: str, actual: Ids, predicted: Ids, **options: float) -> float:
    labeler = _call("pyNTCIREVAL", "Labeler", dict.fromkeys(actual, 1))
    metric = _call("pyNTCIREVAL.metrics", name, labeler.compute_per_level_doc_num(2), [1], **options)
    return float(metric.compute(labeler.label(list(predicted))))


def ir_evaluation_py_ap(actual: Ids, predicted: Ids) -> float:
    """Ask ir-evaluation-py for AP."""
    return float(_ir_evaluation_py("mean_ap", actual, predicted)["all"]["value"])


def ir_evaluation_py_ap_cut(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask ir-evaluation-py for AP at a cutoff."""
    return float(_ir_evaluation_py("mean_ap", actual, predicted, boundaries=[k])[k]["value"])


def ir_evaluation_py_iprec(actual: Ids, predicted: Ids) -> float:
    """Ask ir-evaluation-py for its interpolated precision at recall 0.5."""
    return float(_ir_evaluation_py("iap", actual, predicted)["0.5"])


def _ir_evaluation_py(name: str, actual: Ids, predicted: Ids, **options: Any) -> Any:
    """Hand over the results as visits, each in the order of its first place."""
    places = {document: place for place, document in reversed([*enumerate(predicted, 1)])}
    query = {
        "total_result": len(predicted),
        "related_documents": list(actual),
        "visited_documents": list(predicted),
        "visited_documents_orders": places,
    }
    return getattr(_call("ir_evaluation.effectiveness", "effectiveness"), name)({"q": query}, **options)


def ragmark_ndcg(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask ragmark for nDCG."""
    return _ragmark(_call("rag_score.metrics.retrieval.ndcg", "NDCG", k), actual, predicted)


def ragmark_rr(actual: Ids, predicted: Ids) -> float:
    """Ask ragmark for RR."""
    return _ragmark(_call("rag_score.metrics.retrieval.mrr", "MRR"), actual, predicted)


def _ragmark(metric: Any, actual: Ids, predicted: Ids) -> float:
    types = importlib.import_module("rag_score.core.types")
    case = types.TestCase(question="q", expected_doc_ids=list(actual))
    chunks = [types.RetrievedChunk(doc_id=document, text="") for document in predicted]
    result = types.EvalResult(run_id="r", test_case_id=case.test_case_id, retrieved_context=chunks)
    return float(importlib.import_module("asyncio").run(metric.score(case, result)))


def chunk_bench_rr(actual: Ids, predicted: Ids) -> float:
    """Ask chunk-bench for RR: a chunk's text is its id, a relevant term is one."""
    simple = importlib.import_module("types").SimpleNamespace
    chunks = [simple(text=document) for document in predicted]
    return float(_call("chunk_bench.metrics", "mean_reciprocal_rank", "q", chunks, list(actual)))


def _call(module: str, name: str, *arguments: Any, **options: Any) -> Any:
    return getattr(importlib.import_module(module), name)(*arguments, **options)


# ---- Labels in rank order


def ragval_rr(relevance: Sequence[int]) -> float:
    """Ask ragval for RR."""
    return float(_call("ragval.utils.scoring", "compute_mrr", [bool(label) for label in relevance]))


def caserecommender_ap(relevance: Sequence[int]) -> float:
    """Ask Case Recommender for AP."""
    return float(
        importlib.import_module("caserec.evaluation.item_recomendation_functions").average_precision(relevance)
    )


def caserecommender_ndcg(relevance: Sequence[int]) -> float:
    """Ask Case Recommender for nDCG."""
    return float(importlib.import_module("caserec.evaluation.item_recomendation_functions").ndcg_at_k(relevance))


def docarray_ap(relevance: Sequence[int]) -> float:
    """Ask DocArray for AP."""
    return float(importlib.import_module("docarray.math.evaluation").average_precision(relevance))


def docarray_ndcg(relevance: Sequence[int], num_relevant: int, k: int | None = None) -> float:  # noqa: ARG001
    """Ask DocArray for nDCG, in the way that is its default."""
    return float(importlib.import_module("docarray.math.evaluation").ndcg_at_k(relevance, k=k))


def oml_ap(relevance: Sequence[int], num_relevant: int, k: int | None = None) -> float:
    """Ask Open Metric Learning for AP."""
    labels = importlib.import_module("torch").BoolTensor([bool(label) for label in relevance])
    metrics = importlib.import_module("oml.functional.metrics")
    return float(metrics.calc_map([labels], [num_relevant], (k or max(len(relevance), 1),))[0][0])


# ---- Labels and scores


def catalyst_ap(y_true: Sequence[int], y_score: Sequence[float], k: int | None = None) -> float:
    """Ask Catalyst for AP of recommendations."""
    tensor = importlib.import_module("torch").tensor
    metrics = importlib.import_module("catalyst.metrics.functional._average_precision")
    (value,) = metrics.mean_average_precision(
        tensor([list(y_score)]), tensor([[float(label) for label in y_true]]), [k or len(y_true)]
    )
    return float(value)


def catalyst_ndcg(y_true: Sequence[int], y_score: Sequence[float], k: int | None = None) -> float:
    """Ask Catalyst for nDCG."""
    tensor = importlib.import_module("torch").tensor
    metrics = importlib.import_module("catalyst.metrics.functional._ndcg")
    (value,) = metrics.ndcg(tensor([list(y_score)]), tensor([[float(label) for label in y_true]]), [k or len(y_true)])
    return float(value)


def rmet_ap(y_true: Sequence[int], y_score: Sequence[float], k: int | None = None) -> float:
    """Ask rmet for AP, with numpy's arrays."""
    array = importlib.import_module("numpy").array
    metrics = importlib.import_module("rmet.metrics")
    return float(metrics.average_precision(array([y_score]), array([y_true]), k or len(y_true))[0])


def rmet_ndcg(y_true: Sequence[int], y_score: Sequence[float], k: int | None = None) -> float:
    """Ask rmet for nDCG."""
    array = importlib.import_module("numpy").array
    return float(importlib.import_module("rmet.metrics").ndcg(array([y_score]), array([y_true]), k or len(y_true))[0])


def napkinxc_ndcg(y_true: Sequence[int], y_score: Sequence[float], k: int | None = None) -> float:
    """Ask napkinXC for nDCG: the last of its values at 1 to k."""
    array = importlib.import_module("numpy").array
    values = importlib.import_module("napkinxc.metrics").ndcg_at_k(array([y_true]), array([y_score]), k or len(y_true))
    return float(values[-1])


def sklearn_area(y_true: Sequence[int], y_score: Sequence[float]) -> float:
    """Ask scikit-learn for the area under its precision-recall curve, by its trapezoids: `auc(recall, precision)`."""
    metrics = importlib.import_module("sklearn.metrics")
    precision, recall, _ = metrics.precision_recall_curve(y_true, y_score)
    return float(metrics.auc(recall, precision))


def mean_average_precision_ap(y_true: Sequence[int], y_score: Sequence[float]) -> float:
    """Ask mean-average-precision for AP of boxes: each document is a box, each relevant one has a true box."""
    numpy = importlib.import_module("numpy")
    builder = importlib.import_module("mean_average_precision").MetricBuilder
    metric = builder.build_evaluation_metric("map_2d", async_mode=False, num_classes=1)
    boxes = [(100 * place, 0, 100 * place + 50, 50) for place in range(len(y_true))]
    found = [[*box, 0, score] for box, score in zip(boxes, y_score, strict=True)]
    truths = [[*box, 0, 0, 0] for box, label in zip(boxes, y_true, strict=True) if label]
    metric.add(numpy.array(found, float).reshape(-1, 6), numpy.array(truths, float).reshape(-1, 7))
    return float(metric.value(iou_thresholds=0.5)["mAP"])


def object_detection_metrics_ap(y_true: Sequence[int], y_score: Sequence[float]) -> float:
    """Ask object-detection-metrics for AP of boxes, in the same way."""
    return _podm(y_true, y_score, "AllPointsInterpolation")


def object_detection_metrics_ap11(y_true: Sequence[int], y_score: Sequence[float]) -> float:
    """Ask object-detection-metrics for its 11-point AP."""
    return _podm(y_true, y_score, "ElevenPointsInterpolation")


def _podm(y_true: Sequence[int], y_score: Sequence[float], method: str) -> float:
    metrics = importlib.import_module("podm.metrics")
    make = metrics.BoundingBox.of_bbox
    places = [(str(place), "c", 0, 0, 50, 50) for place in range(len(y_true))]
    found = [make(*place, score) for place, score in zip(places, y_score, strict=True)]
    truths = [make(*place) for place, label in zip(places, y_true, strict=True) if label]
    chosen = metrics.MethodAveragePrecision[method]
    return float(metrics.get_pascal_voc_metrics(truths, found, 0.5, chosen)["c"].ap)


# ---- Judgments and runs of several queries


def ranklab_ap(qrels: Judged, run: Scored) -> dict[str, float]:
    """Ask ranklab for AP, a query at a time."""
    metric = importlib.import_module("ranklab").average_precision
    return {query: metric(_pairs(run[query]), dict(qrels[query])) for query in qrels if query in run}


def ranklab_ndcg(qrels: Judged, run: Scored, k: int) -> dict[str, float]:
    """Ask ranklab for nDCG."""
    metric = importlib.import_module("ranklab").ndcg
    return {query: metric(_pairs(run[query]), dict(qrels[query]), k) for query in qrels if query in run}


def _pairs(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    return [(document, scores[document]) for document in _ranked(scores)]


def szl_ap(qrels: Judged, run: Scored) -> dict[str, float]:
    """Ask szl-retrieval-bench for AP."""
    metric = importlib.import_module("szl_retrieval_bench.metrics").average_precision
    return {query: metric(_ranked(run[query]), qrels[query]) for query in qrels if query in run}


def szl_ndcg(qrels: Judged, run: Scored, k: int) -> dict[str, float]:
    """Ask szl-retrieval-bench for nDCG."""
    metric = importlib.import_module("szl_retrieval_bench.metrics").ndcg
    return {query: metric(_ranked(run[query]), qrels[query], k) for query in qrels if query in run}


def toolkit_rag_quality_ap(qrels: Judged, run: Scored, k: int) -> float:
    """Ask toolkit-rag-quality for AP."""
    score = importlib.import_module("toolkit_rag_quality.retrieval").score_run
    ranked = importlib.import_module("toolkit_rag_quality.formats").trec_ranking
    judged = {query: dict(grades) for query, grades in qrels.items()}
    return float(
        score(qrels=judged, run={query: ranked(dict(of)) for query, of in run.items()}, k=k).summary["map_at_k"]
    )


def rank_eval_ap(qrels: Judged, run: Scored) -> dict[str, float]:
    """Ask rank_eval, ranx's predecessor, for AP."""
    library = importlib.import_module("rank_eval")
    both = [query for query in qrels if query in run]
    judged = library.Qrels.from_dict({query: dict(qrels[query]) for query in both})
    scored = library.Run.from_dict({query: dict(run[query]) for query in both})
    library.evaluate(judged, scored, "map", return_mean=False)
    return {query: float(value) for query, value in scored.scores["map"].items()}


def recsys_eval_ndcg(qrels: Judged, run: Scored, k: int) -> dict[str, float]:
    """Ask recsys-eval for nDCG."""
    metric = importlib.import_module("recsys_eval.metrics").ndcg_at_k
    return {query: metric(_ranked(run[query]), qrels[query], k) for query in qrels if query in run}


def elasticsearch_ir_evaluator_bpref(qrels: Judged, run: Scored) -> dict[str, float]:
    """Ask elasticsearch-ir-evaluator for Bpref."""
    values = {}
    for query in qrels:
        if query in run:
            relevant = [document for document, grade in qrels[query].items() if grade > 0]
            others = [document for document, grade in qrels[query].items() if grade == 0]
            values[query] = _elasticsearch("calculate_bpref", relevant, others, _ranked(run[query]))
    return values
