"""What the adapters of ir_measures' providers share: one provider by itself, asked for one measure, a value a query."""

from __future__ import annotations

from functools import partial
from re import sub
from typing import TYPE_CHECKING, Any

from rankspec.conformance.worker.adapter import Adapter, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Qrels = dict[str, dict[str, int | dict[str, int]]]
Run = dict[str, dict[str, float]]

TREC_EVAL = (
    *("AP", "P", "R", "RR", "Rprec", "Success", "SetP", "SetR", "SetF", "SetAP", "IPrec", "nDCG", "Bpref", "infAP"),
    *("NumQ", "NumRet", "NumRel", "NumRelRet"),
)
"""What its provider of trec_eval has."""


def calculate(provider: str | None, qrels: Qrels, run: Run, expression: str) -> dict[str, float]:
    """Calculate a measure by a provider, or by the first one that has it, as `ir_measures.calc` does."""
    import ir_measures

    try:
        measure: Any = ir_measures.parse_measure(_spelling(expression))
        measure.validate_params()
    except AssertionError as error:
        raise UnsupportedError(f"it reads no {expression}: {error}") from error
    if provider is None and "exp-log2" in expression:
        raise UnsupportedError("it hands them to gdeval, which is asked by itself")
    chosen: Any = ir_measures.DefaultPipeline if provider is None else ir_measures.providers.registry[provider]
    if not chosen.supports(measure):
        raise UnsupportedError(f"its provider {provider or 'pipeline'} has no {measure}")
    judged: Any = list(_lines(qrels)) if _has_subtopics(qrels) else qrels
    return {metric.query_id: metric.value for metric in chosen.evaluator([measure], judged).iter_calc(run)}


def _has_subtopics(qrels: Qrels) -> bool:
    return any(isinstance(grade, dict) for graded in qrels.values() for grade in graded.values())


def _lines(qrels: Qrels) -> Iterator[object]:
    """Give the lines of qrels; the subtopic is what ir_measures calls the iteration."""
    from ir_measures import Qrel

    for query, graded in qrels.items():
        for docno, grade in graded.items():
            for subtopic, each in grade.items() if isinstance(grade, dict) else (("0", grade),):
                yield Qrel(query_id=query, doc_id=docno, relevance=each, iteration=subtopic)


def _spelling(expression: str) -> str:
    """Write a measure as ir_measures spells it.

    The relevant documents that were retrieved are its `NumRet(rel=1)`; it reads no whole number where a float belongs.
    """
    spelt = expression.replace("NumRelRet(", "NumRet(").replace("NumRelRet", "NumRet(rel=1)")
    return sub(r"((?:alpha|beta|p|T)=\d+|IPrec(?:\(.*\))?@\d)(?=[,)]|$)", r"\1.0", spelt)


def adapter_of(
    provider: str | None, measures: tuple[str, ...], convention: str, requires: tuple[str, ...] = (), extra: str = ""
) -> Adapter:
    """Make the adapter of a provider: `ir_measures_ranx` is the provider `ranx`."""
    name = "ir_measures" if provider is None else f"ir_measures_{provider}"
    function: Callable[..., object] = partial(calculate, provider)
    return Adapter(
        name=name,
        distribution="ir-measures",
        shape="qrels-run",
        convention=convention,
        measures=dict.fromkeys(measures, function),
        requires=requires,
        extra=extra or "ir_measures",
        wheels_only=("numpy", "pandas", "scipy"),
    )
