"""ir_measures: as it is mostly called, and each of its providers by itself; asked for one measure, a value a query."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from re import sub
from typing import Any

from rankspec.conformance.worker.adapter import Adapter, Printed, Run, UnsupportedError

Qrels = dict[str, dict[str, int | dict[str, int]]]

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
    try:
        return {metric.query_id: metric.value for metric in chosen.evaluator([measure], judged).iter_calc(run)}
    except AssertionError as error:
        if "only supports" not in str(error):
            raise
        raise UnsupportedError(f"it has no {measure}: {error}") from error


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
    """Write a measure as ir_measures spells it."""
    # The relevant documents that were retrieved are its `NumRet(rel=1)`; it reads no whole number where a float
    # belongs.
    spelt = expression.replace("NumRelRet(", "NumRet(").replace("NumRelRet", "NumRet(rel=1)")
    return sub(r"((?:alpha|beta|p|T)=\d+|IPrec(?:\(.*\))?@\d)(?=[,)]|$)", r"\1.0", spelt)


def gdeval(qrels: Qrels, run: Run, expression: str) -> dict[str, Printed]:
    """Ask TREC's Perl script, which reads no query that isn't a number: queries are numbered for it."""
    # It prints five places.
    names = {query: str(number) for number, query in enumerate(dict.fromkeys([*qrels, *run]), 1)}
    judged = {names[query]: graded for query, graded in qrels.items()}
    values = calculate("gdeval", judged, {names[query]: listed for query, listed in run.items()}, expression)
    return {query: Printed(f"{values[name]:.5f}") for query, name in names.items() if name in values}


def compile_ranx() -> None:
    """Compile, which ranx does for every length of docnos."""
    for docno in ("d", "doc"):
        with suppress(Exception):  # what goes wrong is told when it is asked for
            calculate("ranx", {"q": {docno: 1}}, {"q": {docno: 1.0}}, "AP")


def _adapter(
    provider: str,
    about: str,
    measures: tuple[str, ...],
    convention: str = "",
    function: Callable[..., object] | None = None,
    **options: Any,
) -> Adapter:
    """Return the adapter of a provider: `ir_measures_ranx` is the provider `ranx`, with a profile of its own name."""
    name = f"ir_measures_{provider}"
    return Adapter(
        name=name,
        about=f"ir_measures' provider {provider}, by itself{about}",
        distribution="ir-measures",
        shape="qrels-run",
        convention=convention or name,
        measures=dict.fromkeys(measures, function or partial(calculate, provider)),
        wheels_only=("numpy", "pandas", "scipy"),
        extra=name if "requires" in options else "",
        **options,
    )


BY_DOCNO = "default[score_precision=float64, ties=docno-ascending]"
DOUBLES = "default[score_precision=float64]"
ADAPTERS = (
    Adapter(
        name="ir_measures",
        about="ir_measures as it is mostly called: for each measure the first of its providers that is installed and "
        "has it",
        shape="qrels-run",
        convention="ir_measures",
        measures=dict.fromkeys(TREC_EVAL, partial(calculate, None)),
        wheels_only=("numpy", "pandas", "scipy"),
    ),
    _adapter("accuracy", ": the share of pairs of a hit and a miss in the right order", ("Accuracy",)),
    _adapter("compat", ": compatibility, the overlap with the nearest ideal ranking", ("Compat",), BY_DOCNO),
    _adapter(
        "cwl_eval",
        ": the C/W/L framework's measures",
        ("AP", "P", "RR", "RBP", "NERR8", "NERR9", "NERR10", "NERR11", "INST", "INSQ", "BPM", "SDCG"),
        requires=("cwl-eval",),
    ),
    _adapter(
        "gdeval",
        ": TREC's Perl script for nDCG with exponential gains and ERR, at a cutoff",
        ("nDCG", "ERR"),
        function=gdeval,
    ),
    _adapter("judged", ": its own share of judged documents", ("Judged",)),
    _adapter("msmarco", ": MS MARCO's reciprocal rank", ("RR",)),
    _adapter(
        "pyndeval",
        ": ndeval's measures of novelty",
        ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"),
        BY_DOCNO,
        requires=("pyndeval",),
    ),
    _adapter("pytrec_eval", ": trec_eval 9.0.8's code", TREC_EVAL, "ir_measures"),
    _adapter(
        "ranx",
        "",
        ("AP", "P", "SetP", "RR", "Rprec", "nDCG", "R", "SetR", "NumRelRet", "Success"),
        DOUBLES,
        prepare=compile_ranx,
        requires=("ranx", "pandas<3"),  # whose texts it takes for objects
        compiles=True,
        short_ids=True,
    ),
    _adapter(
        "trectools",
        "",
        ("P", "RR", "Rprec", "AP", "nDCG", "Bpref", "RBP"),
        DOUBLES,
        imports="trectools",
        requires=("trectools",),
    ),
)
