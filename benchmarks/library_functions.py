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


def ir_evaluation_ap(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask ir-evaluation for AP."""
    metrics = importlib.import_module("ir_evaluation.metrics")
    return float(metrics.average_precision(actual, predicted, k))


def ir_evaluation_ndcg(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask ir-evaluation for nDCG."""
    return float(importlib.import_module("ir_evaluation.metrics").ndcg(actual, predicted, k))


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


def rs_metrics_ap(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask rs_metrics for AP of one user."""
    return float(_call("rs_metrics", "mapr", {"q": list(actual)}, {"q": list(predicted)}, k=k))


def rs_metrics_ndcg(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask rs_metrics for nDCG of one user."""
    return float(_call("rs_metrics", "ndcg", {"q": list(actual)}, {"q": list(predicted)}, k=k))


def rs_metrics_rr(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask rs_metrics for RR of one user."""
    return float(_call("rs_metrics", "mrr", {"q": list(actual)}, {"q": list(predicted)}, k=k))


def rs_metrics_p(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask rs_metrics for P of one user."""
    return float(_call("rs_metrics", "precision", {"q": list(actual)}, {"q": list(predicted)}, k=k))


def rs_metrics_r(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask rs_metrics for R of one user."""
    return float(_call("rs_metrics", "recall", {"q": list(actual)}, {"q": list(predicted)}, k=k))


def rs_metrics_success(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask rs_metrics for the hit rate of one user."""
    return float(_call("rs_metrics", "hitrate", {"q": list(actual)}, {"q": list(predicted)}, k=k))


def librecommender_ap(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask LibRecommender for AP of k recommended documents; its ids are integers."""
    return _librecommender("average_precision_at_k", actual, predicted, k)


def librecommender_ndcg(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask LibRecommender for nDCG of k recommended documents; its ids are integers."""
    return _librecommender("ndcg_at_k", actual, predicted, k)


def librecommender_p(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask LibRecommender for P of k recommended documents; its ids are integers."""
    return _librecommender("precision_at_k", actual, predicted, k)


def librecommender_r(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask LibRecommender for R of k recommended documents; its ids are integers."""
    return _librecommender("recall_at_k", actual, predicted, k)


def _librecommender(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    """Call it as its own evaluation does, which recommends k."""
    found, listed = _numbered(actual, predicted)
    return float(_call("libreco.evaluation.metrics", name, found, listed[:k], k))


def torch_rechub_ndcg(actual: Sequence[Ids], predicted: Sequence[Ids], k: int) -> float:
    """Ask torch-rechub for nDCG of several users."""
    return _torch_rechub("NDCG", actual, predicted, k)


def torch_rechub_rr(actual: Sequence[Ids], predicted: Sequence[Ids], k: int) -> float:
    """Ask torch-rechub for RR of several users."""
    return _torch_rechub("MRR", actual, predicted, k)


def torch_rechub_p(actual: Sequence[Ids], predicted: Sequence[Ids], k: int) -> float:
    """Ask torch-rechub for P of several users."""
    return _torch_rechub("Precision", actual, predicted, k)


def torch_rechub_r(actual: Sequence[Ids], predicted: Sequence[Ids], k: int) -> float:
    """Ask torch-rechub for R of several users."""
    return _torch_rechub("Recall", actual, predicted, k)


def _torch_rechub(name: str, actual: Sequence[Ids], predicted: Sequence[Ids], k: int) -> float:
    """Read the number out of the text that it returns: `NDCG@3: 0.5`."""
    users = [{str(user): list(ids) for user, ids in enumerate(each)} for each in (actual, predicted)]
    values = _call("torch_rechub.basic.metric", "topk_metrics", *users, [k])
    return float(values[name][0].partition(": ")[2])


def daisyrec_ap(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask daisyRec for AP of k recommended documents; its ids are integers."""
    return _daisyrec("MAP", actual, predicted, k)


def daisyrec_ndcg(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask daisyRec for nDCG of k recommended documents; its ids are integers."""
    return _daisyrec("NDCG", actual, predicted, k)


def daisyrec_rr(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask daisyRec for RR of k recommended documents; its ids are integers."""
    return _daisyrec("MRR", actual, predicted, k)


def daisyrec_p(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask daisyRec for P of k recommended documents; its ids are integers."""
    return _daisyrec("Precision", actual, predicted, k)


def daisyrec_r(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask daisyRec for R of k recommended documents; its ids are integers."""
    return _daisyrec("Recall", actual, predicted, k)


def daisyrec_success(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask daisyRec for the hit rate of k recommended documents; its ids are integers."""
    return _daisyrec("HR", actual, predicted, k)


def _daisyrec(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    """Call it as its own evaluation does, with an array of the first k."""
    found, listed = _numbered(actual, predicted)
    return float(_call("daisy.utils.metrics", name, {0: set(found)}, _call("numpy", "array", [listed[:k]]), [0]))


def mlflow_ndcg(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask MLflow for nDCG of one row of its data."""
    return _mlflow("ndcg_at_k", actual, predicted, k)


def mlflow_p(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask MLflow for P of one row of its data."""
    return _mlflow("precision_at_k", actual, predicted, k)


def mlflow_r(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask MLflow for R of one row of its data."""
    return _mlflow("recall_at_k", actual, predicted, k)


def _mlflow(name: str, actual: Ids, predicted: Ids, k: int) -> float:
    column = importlib.import_module("pandas").Series
    metric = _call("mlflow.metrics", name, k)
    return float(metric.eval_fn(column([list(predicted)]), column([list(actual)])).scores[0])


def trulens_rr(actual: Ids, predicted: Ids) -> float:
    """Ask TruLens for RR."""
    return float(_trulens(dict.fromkeys(actual, 1)).mrr("q", list(predicted)))


def trulens_p(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask TruLens for P."""
    return float(_trulens(dict.fromkeys(actual, 1)).precision_at_k("q", list(predicted), k=k))


def trulens_r(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask TruLens for R."""
    return float(_trulens(dict.fromkeys(actual, 1)).recall_at_k("q", list(predicted), k=k))


def trulens_success(actual: Ids, predicted: Ids, k: int) -> float:
    """Ask TruLens for the hit rate."""
    return float(_trulens(dict.fromkeys(actual, 1)).ir_hit_rate("q", list(predicted), k=k))


def _trulens(grades: Mapping[str, int]) -> Any:
    """Return its metrics of a query; a chunk's text is its id, and no language model is asked."""
    provider = _call("trulens.feedback.dummy.provider", "DummyProvider")
    chunks = [{"text": document, "expect_score": grade} for document, grade in grades.items()]
    return _call("trulens.feedback", "GroundTruthAgreement", [{"query": "q", "expected_chunks": chunks}], provider)


def pyvespa_ap(actual: Sequence[Ids], predicted: Sequence[Ids], k: int) -> float:
    """Ask pyvespa for AP of several queries."""
    return _pyvespa("map", actual, predicted, k)


def pyvespa_ndcg(actual: Sequence[Ids], predicted: Sequence[Ids], k: int) -> float:
    """Ask pyvespa for nDCG of several queries."""
    return _pyvespa("ndcg", actual, predicted, k)


def pyvespa_rr(actual: Sequence[Ids], predicted: Sequence[Ids], k: int) -> float:
    """Ask pyvespa for RR of several queries."""
    return _pyvespa("mrr", actual, predicted, k)


def pyvespa_p(actual: Sequence[Ids], predicted: Sequence[Ids], k: int) -> float:
    """Ask pyvespa for P of several queries."""
    return _pyvespa("precision", actual, predicted, k)


def pyvespa_r(actual: Sequence[Ids], predicted: Sequence[Ids], k: int) -> float:
    """Ask pyvespa for R of several queries."""
    return _pyvespa("recall", actual, predicted, k)


def pyvespa_success(actual: Sequence[Ids], predicted: Sequence[Ids], k: int) -> float:
    """Ask pyvespa for what it calls accuracy, of several queries."""
    return _pyvespa("accuracy", actual, predicted, k)


def _pyvespa(name: str, actual: Sequence[Ids], predicted: Sequence[Ids], k: int) -> float:
    """Answer its queries with what a server would return, for there is none."""
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


def _call(module: str, name: str, *arguments: Any, **options: Any) -> Any:
    return getattr(importlib.import_module(module), name)(*arguments, **options)


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


def ptranking_ap(relevance: Sequence[int], k: int) -> float:
    """Ask PT-Ranking for AP."""
    return _ptranking("torch_ap_at_k", relevance, k)


def ptranking_ndcg(relevance: Sequence[int], k: int) -> float:
    """Ask PT-Ranking for nDCG."""
    return _ptranking("torch_nDCG_at_k", relevance, k)


def ptranking_p(relevance: Sequence[int], k: int) -> float:
    """Ask PT-Ranking for P."""
    labels = _call("torch", "tensor", [[float(label) for label in relevance]])
    return float(_call("ptranking.metric.adhoc_metric", "torch_precision_at_k", labels, k=k))


def _ptranking(name: str, relevance: Sequence[int], k: int) -> float:
    """Hand over the labels in rank order and in falling order, as its own evaluation does."""
    given, ideal = (
        _call("torch", "tensor", [[float(label) for label in labels]])
        for labels in (relevance, sorted(relevance, reverse=True))
    )
    return float(_call("ptranking.metric.adhoc_metric", name, given, ideal, k=k))


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


def oml_ap(relevance: Sequence[int], num_relevant: int, k: int) -> float:
    """Ask Open Metric Learning for AP."""
    labels = importlib.import_module("torch").BoolTensor([bool(label) for label in relevance])
    metrics = importlib.import_module("oml.functional.metrics")
    return float(metrics.calc_map([labels], [num_relevant], (k,))[0][0])


# ---- Labels and scores


def catalyst_ap(y_true: Sequence[int], y_score: Sequence[float], k: int) -> float:
    """Ask Catalyst for AP of recommendations."""
    tensor = importlib.import_module("torch").tensor
    metrics = importlib.import_module("catalyst.metrics.functional._average_precision")
    (value,) = metrics.mean_average_precision(
        tensor([list(y_score)]), tensor([[float(label) for label in y_true]]), [k]
    )
    return float(value)


def catalyst_ndcg(y_true: Sequence[int], y_score: Sequence[float], k: int) -> float:
    """Ask Catalyst for nDCG."""
    tensor = importlib.import_module("torch").tensor
    metrics = importlib.import_module("catalyst.metrics.functional._ndcg")
    (value,) = metrics.ndcg(tensor([list(y_score)]), tensor([[float(label) for label in y_true]]), [k])
    return float(value)


def rmet_ap(y_true: Sequence[int], y_score: Sequence[float], k: int) -> float:
    """Ask rmet for AP, with numpy's arrays."""
    array = importlib.import_module("numpy").array
    metrics = importlib.import_module("rmet.metrics")
    return float(metrics.average_precision(array([y_score]), array([y_true]), k)[0])


def rmet_ndcg(y_true: Sequence[int], y_score: Sequence[float], k: int) -> float:
    """Ask rmet for nDCG."""
    array = importlib.import_module("numpy").array
    return float(importlib.import_module("rmet.metrics").ndcg(array([y_score]), array([y_true]), k)[0])


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


def mteb_ap(qrels: Judged, run: Scored, k: int) -> float:
    """Ask MTEB for AP."""
    return _mteb("map", f"MAP@{k}", qrels, run, k)


def mteb_ndcg(qrels: Judged, run: Scored, k: int) -> float:
    """Ask MTEB for nDCG."""
    return _mteb("ndcg", f"NDCG@{k}", qrels, run, k)


def mteb_rr(qrels: Judged, run: Scored, k: int) -> float:
    """Ask MTEB for RR."""
    return _mteb("mrr", f"MRR@{k}", qrels, run, k)


def mteb_p(qrels: Judged, run: Scored, k: int) -> float:
    """Ask MTEB for P."""
    return _mteb("precision", f"P@{k}", qrels, run, k)


def mteb_r(qrels: Judged, run: Scored, k: int) -> float:
    """Ask MTEB for R."""
    return _mteb("recall", f"Recall@{k}", qrels, run, k)


def mteb_success(qrels: Judged, run: Scored, k: int) -> float:
    """Ask MTEB for the hit rate."""
    return _mteb("hit_rate", f"HitRate@{k}", qrels, run, k)


def _mteb(kind: str, name: str, qrels: Judged, run: Scored, k: int) -> float:
    judged, scored = ({query: dict(of) for query, of in each.items()} for each in (qrels, run))
    scores = _call("mteb._evaluators.retrieval_metrics", "calculate_retrieval_scores", scored, judged, [k])
    return float(getattr(scores, kind)[name])


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
