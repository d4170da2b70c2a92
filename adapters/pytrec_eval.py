"""pytrec_eval (the distribution pytrec-eval-terrier): trec_eval 9.0.8 from dicts; it returns a value a query."""

from __future__ import annotations

from rankspec.conformance.implementations.adapter import Adapter

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def average_precision(qrels: Qrels, run: Run, k: int | None = None, rel: int = 1) -> dict[str, float]:
    """Ask for `map` or `map_cut_k`."""
    return _evaluate(qrels, run, "map" if k is None else f"map_cut.{k}", rel)


def eleven_point_average_precision(qrels: Qrels, run: Run, rel: int = 1) -> dict[str, float]:
    """Ask for `11pt_avg`."""
    return _evaluate(qrels, run, "11pt_avg", rel)


def _evaluate(qrels: Qrels, run: Run, measure: str, rel: int) -> dict[str, float]:
    from pytrec_eval import RelevanceEvaluator

    results = RelevanceEvaluator(qrels, {measure}, relevance_level=rel).evaluate(run)
    return {query: value for query, values in results.items() for value in values.values()}


ADAPTER = Adapter(
    name="pytrec_eval",
    distribution="pytrec-eval-terrier",
    shape="qrels-run",
    convention="trec_eval-9.0.8",
    measures={"AP": average_precision, "AP11": eleven_point_average_precision},
    requires=("numpy",),  # 0.5.6 imports it without saying so in its metadata
)
