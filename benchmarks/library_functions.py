"""Thin calls into libraries that have no adapter, for `identify_libraries.py`: none computes a metric itself.

Each imports its library when it is called, in an environment of the library's own; `libraries.toml` has the versions.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
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


_MEASURES = {
    "ap": "AP",
    "ndcg": "nDCG",
    "rr": "RR",
    "p": "P",
    "r": "R",
    "f": "F",
    "success": "the hit rate",
    "ap11": "11-point AP",
}


def _measures(library: str, **names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function a measure, `LIBRARY_MEASURE`, of one that takes first what the library calls the measure.

    `{}` in its docstring is the measure.
    """

    def make(ask: Callable[..., Any]) -> Callable[..., Any]:
        for measure, name in names.items():
            function = partial(ask, name)
            function.__doc__ = (ask.__doc__ or "").format(_MEASURES[measure])
            globals()[f"{library}_{measure}"] = function
        return ask

    return make


def _call(module: str, name: str, *arguments: Any, **options: Any) -> Any:
    return getattr(importlib.import_module(module), name)(*arguments, **options)


# ---- Ids of the relevant and of the ranked documents


@_measures("rankkit", ap="average_precision", ndcg="ndcg")
def _rankkit(name: str, actual: Ids, predicted: Ids, k: int) -> float | None:
    """Ask rankkit for {}; it returns None where nothing is relevant."""
    run = importlib.import_module("rankkit.data").Run("q", tuple(predicted), dict.fromkeys(actual, 1))
    value: float | None = _call("rankkit.metrics", name, run, k)
    return value


@_measures("evret", ap="average_precision.AveragePrecision", ndcg="ndcg.NDCG", rr="mrr.MRR")
def _evret(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    """Ask evret for {}."""
    module, _, metric = name.partition(".")
    return float(_call(f"evret.metrics.{module}", metric, k).score_query(predicted, actual))


@_measures("ir_evaluation", ap="average_precision", ndcg="ndcg")
def _ir_evaluation(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    """Ask ir-evaluation for {}."""
    return float(_call("ir_evaluation.metrics", name, actual, predicted, k))


def ir_eval_numba_ap(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask ir-eval-numba for AP; its ids are integers."""
    array = importlib.import_module("numpy").array
    found, listed = _numbered(actual, predicted)
    metrics = importlib.import_module("ir_eval_numba.metrics")
    return float(metrics.average_precision(array(found, "int64"), array(listed, "int64"), k))


def recommendation_metrics_ap(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask recommendation-metrics for AP; its folder has a hyphen in its name."""
    return float(importlib.import_module("recommendation-metrics.metrics").apk(list(actual), list(predicted), k))


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


@_measures("evalragkit", ndcg="ndcg_at_k", f="f1_at_k", p="precision_at_k")
def _evalragkit(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    """Ask evalragkit for {}."""
    return float(_call("evalragkit.ranking.metrics", name, set(actual), list(predicted), k))


@_measures("rag_eval_kit", p="precision_at_k", r="recall_at_k", ndcg="ndcg_at_k")
def _rag_eval_kit(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    """Ask rag-eval-kit for {}."""
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


@_measures("recsys_eval", ap="average_precision_at_k", p="precision_at_k")
def _recsys_eval(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    """Ask recsys-eval for {}."""
    return float(_call("recsys_eval.metrics", name, list(predicted), set(actual), k))


@_measures("skrecsys", ap="average_precision_at_k", ndcg="ndcg_at_k")
def _skrecsys(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    """Ask skrecsys for {} of one query."""
    return float(_call("skrecsys.metrics", name, [list(actual)], [list(predicted)], k=k))


@_measures(
    "elasticsearch_ir_evaluator", ndcg="calculate_ndcg", ap="calculate_map", p="calculate_precision", rr="calculate_mrr"
)
def _elasticsearch(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    """Ask elasticsearch-ir-evaluator for {}."""
    # It is called with what its search would return, for there is no server.
    module = importlib.import_module("elasticsearch_ir_evaluator.evaluator")
    evaluator = object.__new__(module.ElasticsearchIrEvaluator)
    evaluator._search = lambda _: list(predicted[:k])
    pair = module.QandA(question="q", answers=list(actual), negative_answers=[])
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


@_measures("rs_metrics", ap="mapr", ndcg="ndcg", rr="mrr", p="precision", r="recall", success="hitrate")
def _rs_metrics(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    """Ask rs_metrics for {} of one user."""
    return float(_call("rs_metrics", name, {"q": list(actual)}, {"q": list(predicted)}, k=k))


@_measures("librecommender", ap="average_precision_at_k", ndcg="ndcg_at_k", p="precision_at_k", r="recall_at_k")
def _librecommender(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    """Ask LibRecommender for {} of k recommended documents; its ids are integers."""
    found, listed = _numbered(actual, predicted)
    return float(_call("libreco.evaluation.metrics", name, found, listed[:k], k))


@_measures("torch_rechub", ndcg="NDCG", rr="MRR", p="Precision", r="Recall")
def _torch_rechub(name: str, actual: Sequence[Ids], predicted: Sequence[Ids], k: int) -> float:
    """Ask torch-rechub for {} of several users."""
    users = [{str(user): list(ids) for user, ids in enumerate(each)} for each in (actual, predicted)]
    values = _call("torch_rechub.basic.metric", "topk_metrics", *users, [k])
    return float(values[name][0].partition(": ")[2])  # of `NDCG@3: 0.5`


@_measures("daisyrec", ap="MAP", ndcg="NDCG", rr="MRR", p="Precision", r="Recall", success="HR")
def _daisyrec(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    """Ask daisyRec for {} of k recommended documents; its ids are integers."""
    found, listed = _numbered(actual, predicted)
    return float(_call("daisy.utils.metrics", name, {0: set(found)}, _call("numpy", "array", [listed[:k]]), [0]))


@_measures("mlflow", ndcg="ndcg_at_k", p="precision_at_k", r="recall_at_k")
def _mlflow(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    """Ask MLflow for {} of one row of its data."""
    column = importlib.import_module("pandas").Series
    metric = _call("mlflow.metrics", name, k)
    return float(metric.eval_fn(column([list(predicted)]), column([list(actual)])).scores[0])


def trulens_rr(actual: Ids, predicted: Ids) -> float:
    """Ask TruLens for RR."""
    return float(_trulens(dict.fromkeys(actual, 1)).mrr("q", list(predicted)))


@_measures("trulens", p="precision_at_k", r="recall_at_k", success="ir_hit_rate")
def _trulens_at_k(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    """Ask TruLens for {}."""
    return float(getattr(_trulens(dict.fromkeys(actual, 1)), name)("q", list(predicted), k=k))


def _trulens(grades: Mapping[str, int]) -> Any:
    """Return its metrics of a query; a chunk's text is its id, and no language model is asked."""
    provider = _call("trulens.feedback.dummy.provider", "DummyProvider")
    chunks = [{"text": document, "expect_score": grade} for document, grade in grades.items()]
    return _call("trulens.feedback", "GroundTruthAgreement", [{"query": "q", "expected_chunks": chunks}], provider)


@_measures("pyvespa", ap="map", ndcg="ndcg", rr="mrr", p="precision", r="recall", success="accuracy")
def _pyvespa(name: str, actual: Sequence[Ids], predicted: Sequence[Ids], k: int) -> float:
    """Ask pyvespa for {} of several queries."""
    # Its queries are answered with what a server would return, for there is none.
    respond = importlib.import_module("vespa.io").VespaQueryResponse
    hits = [[{"id": f"id:n:d::{document}", "relevance": 1.0} for document in each] for each in predicted]

    def answer(bodies: Sequence[Mapping[str, Any]], **_: Any) -> list[Any]:
        return [respond({"root": {"children": hits[int(body["query"])]}}, 200, "") for body in bodies]

    names = [str(place) for place in range(len(actual))]
    evaluator = _call(
        "vespa.evaluation",
        "VespaEvaluator",
        queries={query: query for query in names},
        relevant_docs=dict(zip(names, map(set, actual), strict=True)),
        vespa_query_fn=lambda text, hits: {"query": text, "hits": hits},
        app=importlib.import_module("types").SimpleNamespace(query_many=answer),
        accuracy_at_k=[k],
        precision_recall_at_k=[k],
        mrr_at_k=[k],
        ndcg_at_k=[k],
        map_at_k=[k],
    )
    return float(evaluator.run()[f"{name}@{k}"])


# ---- Labels in rank order


def _documents(relevance: Sequence[int], num_relevant: int) -> tuple[list[str], dict[str, int]]:
    """Return ids in rank order, and the grades of these and of the relevant documents that are not among them."""
    ranked = [f"d{place}" for place in range(len(relevance))]
    missed = num_relevant - sum(label > 0 for label in relevance)
    return ranked, dict(zip(ranked, relevance, strict=True)) | {f"m{number}": 1 for number in range(missed)}


def ranklab_ap(relevance: Sequence[int], num_relevant: int) -> float:
    """Ask ranklab for AP."""
    ranked, grades = _documents(relevance, num_relevant)
    return float(_call("ranklab", "average_precision", _scored(ranked), grades))


def ranklab_ndcg(relevance: Sequence[int], num_relevant: int, k: int) -> float:
    """Ask ranklab for nDCG."""
    ranked, grades = _documents(relevance, num_relevant)
    return float(_call("ranklab", "ndcg", _scored(ranked), grades, k))


def _scored(ranked: Ids) -> list[tuple[str, float]]:
    """Return documents with falling scores."""
    return [(document, float(-place)) for place, document in enumerate(ranked)]


def szl_ap(relevance: Sequence[int], num_relevant: int) -> float:
    """Ask szl-retrieval-bench for AP."""
    return float(_call("szl_retrieval_bench.metrics", "average_precision", *_documents(relevance, num_relevant)))


def szl_ndcg(relevance: Sequence[int], num_relevant: int, k: int) -> float:
    """Ask szl-retrieval-bench for nDCG."""
    return float(_call("szl_retrieval_bench.metrics", "ndcg", *_documents(relevance, num_relevant), k))


def recsys_eval_ndcg(relevance: Sequence[int], num_relevant: int, k: int) -> float:
    """Ask recsys-eval for nDCG."""
    return float(_call("recsys_eval.metrics", "ndcg_at_k", *_documents(relevance, num_relevant), k))


def trulens_ndcg(relevance: Sequence[int], num_relevant: int, k: int) -> float:
    """Ask TruLens for nDCG."""
    ranked, grades = _documents(relevance, num_relevant)
    return float(_trulens(grades).ndcg_at_k("q", ranked, k=k))


def rankflow_ap(relevance: Sequence[int], num_relevant: int) -> float:
    """Ask rankflow for AP; a document is its index in an array of ranks."""
    grades = _by_index(relevance, num_relevant)
    found = {index for index, grade in grades.items() if grade > 0}
    return float(_call("rankflow.metrics", "average_precision", _call("numpy", "arange", len(relevance)), found))


def rankflow_ndcg(relevance: Sequence[int], num_relevant: int, k: int) -> float:
    """Ask rankflow for nDCG; a document is its index in an array of ranks."""
    ranks = _call("numpy", "arange", len(relevance))
    return float(_call("rankflow.metrics", "ndcg_at_k", ranks, _by_index(relevance, num_relevant), k))


def _by_index(relevance: Sequence[int], num_relevant: int) -> dict[int, float]:
    """Return the grade of each document by its index, those that are not retrieved last."""
    _, grades = _documents(relevance, num_relevant)
    return {index: float(grade) for index, grade in enumerate(grades.values())}


def ir_evaluation_py_ap(relevance: Sequence[int], num_relevant: int) -> float:
    """Ask ir-evaluation-py for AP."""
    return float(_ir_evaluation_py("mean_ap", relevance, num_relevant)["all"]["value"])


def ir_evaluation_py_ap_cut(relevance: Sequence[int], num_relevant: int, k: int) -> float:
    """Ask ir-evaluation-py for AP at a cutoff."""
    return float(_ir_evaluation_py("mean_ap", relevance, num_relevant, boundaries=[k])[k]["value"])


def ir_evaluation_py_iprec(relevance: Sequence[int], num_relevant: int) -> float:
    """Ask ir-evaluation-py for its interpolated precision at recall 0.5."""
    return float(_ir_evaluation_py("iap", relevance, num_relevant)["0.5"])


def _ir_evaluation_py(name: str, relevance: Sequence[int], num_relevant: int, **options: Any) -> Any:
    """Hand over the documents as visits, in their order."""
    ranked, grades = _documents(relevance, num_relevant)
    query = {
        "total_result": len(ranked),
        "related_documents": [document for document, grade in grades.items() if grade > 0],
        "visited_documents": ranked,
        "visited_documents_orders": {document: place for place, document in enumerate(ranked, 1)},
    }
    return getattr(_call("ir_evaluation.effectiveness", "effectiveness"), name)({"q": query}, **options)


def ptranking_p(relevance: Sequence[int], k: int) -> float:
    """Ask PT-Ranking for P."""
    labels = _call("torch", "tensor", [[float(label) for label in relevance]])
    return float(_call("ptranking.metric.adhoc_metric", "torch_precision_at_k", labels, k=k))


@_measures("ptranking", ap="torch_ap_at_k", ndcg="torch_nDCG_at_k")
def _ptranking(name: str, relevance: Sequence[int], k: int) -> float:
    """Ask PT-Ranking for {}."""
    # The labels in rank order and in falling order, as its own evaluation hands them over.
    given, ideal = (
        _call("torch", "tensor", [[float(label) for label in labels]])
        for labels in (relevance, sorted(relevance, reverse=True))
    )
    return float(_call("ptranking.metric.adhoc_metric", name, given, ideal, k=k))


def ragval_rr(relevance: Sequence[int]) -> float:
    """Ask ragval for RR."""
    return float(_call("ragval.utils.scoring", "compute_mrr", [bool(label) for label in relevance]))


@_measures("caserecommender", ap="average_precision", ndcg="ndcg_at_k")
def _caserecommender(name: str, relevance: Sequence[int]) -> float:
    """Ask Case Recommender for {}."""
    return float(_call("caserec.evaluation.item_recomendation_functions", name, relevance))


def docarray_ap(relevance: Sequence[int]) -> float:
    """Ask DocArray for AP."""
    return float(importlib.import_module("docarray.math.evaluation").average_precision(relevance))


def docarray_ndcg(relevance: Sequence[int], num_relevant: int, k: int | None = None) -> float:  # noqa: ARG001
    """Ask DocArray for nDCG, in the way that is its default."""
    return float(importlib.import_module("docarray.math.evaluation").ndcg_at_k(relevance, k=k))


def oml_ap(relevance: Sequence[int], num_relevant: int, k: int) -> float:
    """Ask Open Metric Learning for AP."""
    labels = importlib.import_module("torch").BoolTensor([bool(label) for label in relevance])
    metrics = importlib.import_module("oml.functional.metrics")
    return float(metrics.calc_map([labels], [num_relevant], (k,))[0][0])


# ---- Labels and scores


@_measures("catalyst", ap="_average_precision.mean_average_precision", ndcg="_ndcg.ndcg")
def _catalyst(name: str, y_true: Sequence[int], y_score: Sequence[float], k: int) -> float:
    """Ask Catalyst for {} of recommendations."""
    tensor = importlib.import_module("torch").tensor
    module, _, metric = name.partition(".")
    labels = tensor([[float(label) for label in y_true]])
    (value,) = _call(f"catalyst.metrics.functional.{module}", metric, tensor([list(y_score)]), labels, [k])
    return float(value)


@_measures("rmet", ap="average_precision", ndcg="ndcg")
def _rmet(name: str, y_true: Sequence[int], y_score: Sequence[float], k: int) -> float:
    """Ask rmet for {}, with numpy's arrays."""
    array = importlib.import_module("numpy").array
    return float(_call("rmet.metrics", name, array([y_score]), array([y_true]), k)[0])


def napkinxc_ndcg(y_true: Sequence[int], y_score: Sequence[float], k: int) -> float:
    """Ask napkinXC for nDCG: the last of its values at 1 to k."""
    array = importlib.import_module("numpy").array
    values = importlib.import_module("napkinxc.metrics").ndcg_at_k(array([y_true]), array([y_score]), k)
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


@_measures("object_detection_metrics", ap="AllPointsInterpolation", ap11="ElevenPointsInterpolation")
def _podm(method: str, y_true: Sequence[int], y_score: Sequence[float]) -> float:
    """Ask object-detection-metrics for {} of boxes: each document is a box, each relevant one has a true box."""
    metrics = importlib.import_module("podm.metrics")
    make = metrics.BoundingBox.of_bbox
    places = [(str(place), "c", 0, 0, 50, 50) for place in range(len(y_true))]
    found = [make(*place, score) for place, score in zip(places, y_score, strict=True)]
    truths = [make(*place) for place, label in zip(places, y_true, strict=True) if label]
    chosen = metrics.MethodAveragePrecision[method]
    return float(metrics.get_pascal_voc_metrics(truths, found, 0.5, chosen)["c"].ap)


def pyod_p(y_true: Sequence[int], y_score: Sequence[float], k: int) -> float:
    """Ask PyOD for what it calls precision at rank n."""
    return float(_call("pyod.utils.utility", "precision_n_scores", y_true, y_score, n=k))


def pyod_rprec(y_true: Sequence[int], y_score: Sequence[float]) -> float:
    """Ask PyOD for its precision at rank n, which is the number of the relevant if none is stated."""
    return float(_call("pyod.utils.utility", "precision_n_scores", y_true, y_score))


def ultralytics_ap(y_true: Sequence[int], y_score: Sequence[float]) -> float:
    """Ask Ultralytics for AP of boxes: each document is a box, each relevant one has a true box."""
    numpy, metrics = map(importlib.import_module, ("numpy", "ultralytics.utils.metrics"))
    hits = numpy.array([label > 0 for label in y_true]).reshape(-1, 1)
    classes = numpy.zeros(len(y_true)), numpy.zeros(int(hits.sum()))
    boxes = metrics.Metric()
    boxes.update(metrics.ap_per_class(hits, numpy.array(y_score, float), *classes)[2:])
    return float(boxes.map50)


# ---- Judgments and runs of several queries


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
    return _rank_eval("map", qrels, run)


def rank_eval_ap_cut(qrels: Judged, run: Scored, k: int) -> dict[str, float]:
    """Ask rank_eval, ranx's predecessor, for AP at a cutoff."""
    return _rank_eval(f"map@{k}", qrels, run)


def rank_eval_ndcg(qrels: Judged, run: Scored, k: int) -> dict[str, float]:
    """Ask rank_eval, ranx's predecessor, for nDCG."""
    return _rank_eval(f"ndcg@{k}", qrels, run)


def _rank_eval(name: str, qrels: Judged, run: Scored) -> dict[str, float]:
    library = importlib.import_module("rank_eval")
    judged = library.Qrels.from_dict({query: dict(grades) for query, grades in qrels.items()})
    scored = library.Run.from_dict({query: dict(scores) for query, scores in run.items()})
    library.evaluate(judged, scored, name, return_mean=False)
    return {query: float(value) for query, value in scored.scores[name].items()}


@_measures(
    "mteb", ap="map MAP", ndcg="ndcg NDCG", rr="mrr MRR", p="precision P", r="recall Recall", success="hit_rate HitRate"
)
def _mteb(name: str, qrels: Judged, run: Scored, k: int) -> float:
    """Ask MTEB for {}."""
    kind, label = name.split()
    judged, scored = ({query: dict(of) for query, of in each.items()} for each in (qrels, run))
    scores = _call("mteb._evaluators.retrieval_metrics", "calculate_retrieval_scores", scored, judged, [k])
    return float(getattr(scores, kind)[f"{label}@{k}"])


def flagembedding_ap(qrels: Judged, run: Scored, k: int) -> float:
    """Ask FlagEmbedding for AP."""
    return float(_flagembedding("evaluate_metrics", qrels, run, k)[1][f"MAP@{k}"])


def flagembedding_ndcg(qrels: Judged, run: Scored, k: int) -> float:
    """Ask FlagEmbedding for nDCG."""
    return float(_flagembedding("evaluate_metrics", qrels, run, k)[0][f"NDCG@{k}"])


def flagembedding_rr(qrels: Judged, run: Scored, k: int) -> float:
    """Ask FlagEmbedding for RR."""
    return float(_flagembedding("evaluate_mrr", qrels, run, k)[f"MRR@{k}"])


def _flagembedding(name: str, qrels: Judged, run: Scored, k: int) -> Any:
    judged, scored = ({query: dict(of) for query, of in each.items()} for each in (qrels, run))
    return _call("FlagEmbedding.abc.evaluation.utils", name, judged, scored, [k])


def elasticsearch_ir_evaluator_bpref(qrels: Judged, run: Scored) -> float:
    """Ask elasticsearch-ir-evaluator for Bpref of several queries; one that is not in the run finds nothing."""
    module = importlib.import_module("elasticsearch_ir_evaluator.evaluator")
    evaluator = object.__new__(module.ElasticsearchIrEvaluator)
    evaluator._search = lambda pair: _ranked(run.get(pair.question, {}))
    pairs = []
    for query, grades in qrels.items():
        relevant = [document for document, grade in grades.items() if grade > 0]
        others = [document for document, grade in grades.items() if grade == 0]
        pairs.append(module.QandA(question=query, answers=relevant, negative_answers=others))
    return float(evaluator.calculate_bpref(pairs))
