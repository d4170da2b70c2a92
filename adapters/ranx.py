"""ranx: `evaluate` of a whole query set, from dicts; it returns the mean."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from rankspec.conformance.worker.adapter import Adapter, Qrels, Run


def _measure(name: str, qrels: Qrels, run: Run, k: int | None = None, rel: int = 1, **options: bool) -> float:
    """Ask for `map`, `map@k`, `map-l2`, as ranx spells them."""
    return _evaluate(qrels, run, name if k is None else f"{name}@{k}", rel, **options)


def _gained(name: str, qrels: Qrels, run: Run, k: int | None = None, dcg: str = "log2") -> float:
    """Ask for a measure of gains: `ndcg@10`, or Burges et al.'s."""
    kind = name if dcg == "log2" else f"{name}_burges"
    return _evaluate(qrels, run, kind if k is None else f"{kind}@{k}", 1)


def rank_biased_precision(qrels: Qrels, run: Run, p: float, rel: int = 1) -> float:
    """Ask for `rbp.80`: ranx reads what stands after the point as decimals."""
    return _evaluate(qrels, run, f"rbp.{repr(p).partition('.')[2]}", rel)


def hits(qrels: Qrels, run: Run, rel: int = 1) -> dict[str, float]:
    """Ask for `hits`, of each query: it is a count, and its mean would be none."""
    from ranx import Qrels, Run, evaluate

    results = Run(run)
    name = _spelled("hits", rel)
    evaluate(Qrels(qrels), results, name)
    return dict(results.scores[name])


def _evaluate(qrels: Qrels, run: Run, name: str, rel: int, **options: bool) -> float:
    from ranx import Qrels, Run, evaluate

    return evaluate(Qrels(qrels), Run(run), _spelled(name, rel), **options)


def _spelled(name: str, rel: int) -> str:
    return name if rel == 1 else f"{name}-l{rel}"


NAMES = {"AP": "map", "P": "precision", "R": "recall", "F": "f1", "Success": "hit_rate", "RR": "mrr"}
NAMES |= {"Rprec": "r-precision", "SetP": "precision", "SetR": "recall", "SetF": "f1"}
MEASURES: dict[str, Callable[..., object]] = {
    **{name: partial(_measure, spelling) for name, spelling in NAMES.items()},
    "nDCG": partial(_gained, "ndcg"),
    "DCG": partial(_gained, "dcg"),
    "Bpref": partial(_measure, "bpref"),
    "NumRelRet": hits,
}


def prepare() -> None:
    """Compile. ranx does so for every length of docnos, 9 s each where it was never used; the cases have 1 and 3."""
    # So ids that don't matter are asked to be short ones, which are all of one length.
    for docno in ("d", "doc"):
        MEASURES["AP"]({"q": {docno: 1}}, {"q": {docno: 1.0}})
    for function in MEASURES.values():
        with suppress(Exception):  # what an older version lacks is told when it is asked for
            function({"q": {"d": 1}}, {"q": {"d": 1.0}})
    with suppress(Exception):
        rank_biased_precision({"q": {"d": 1}}, {"q": {"d": 1.0}}, 0.5)


# The option adds the queries which the run lacks, and drops those that nobody judged.
comparable = partial(_measure, make_comparable=True)


def prepare_comparable() -> None:
    """Compile what is compiled for any call."""
    for docno in ("d", "doc"):
        comparable("map", {"q": {docno: 1}}, {"q": {docno: 1.0}})


_adapter = partial(
    Adapter,
    distribution="ranx",
    shape="qrels-run",
    compiles=True,
    short_ids=True,
    wheels_only=("llvmlite", "numba", "numpy", "pandas", "pyarrow", "scikit-learn", "scipy"),
)
ADAPTERS = (
    _adapter(name="ranx", convention="ranx", measures={**MEASURES, "RBP": rank_biased_precision}, prepare=prepare),
    _adapter(
        name="ranx_comparable",
        about="ranx: `evaluate` of a whole query set, from dicts, with `make_comparable=True`; it returns the mean",
        convention="ranx[missing_query=zero, unknown_query=skip]",
        call=comparable,
        measures={"AP": "map", "P": "precision", "R": "recall", "RR": "mrr", "nDCG": "ndcg", "Success": "hit_rate"},
        prepare=prepare_comparable,
    ),
)
