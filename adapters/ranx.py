"""ranx: `evaluate` of a whole query set, from dicts; it returns the mean."""

from __future__ import annotations

from rankspec.conformance.implementations.adapter import Adapter

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def average_precision(qrels: Qrels, run: Run, k: int | None = None, rel: int = 1) -> float:
    """Ask for `map`, `map@k`, `map-l2`, as ranx spells them."""
    from ranx import Qrels, Run, evaluate

    cutoff = "" if k is None else f"@{k}"
    threshold = "" if rel == 1 else f"-l{rel}"
    value: float = evaluate(Qrels(qrels), Run(run), f"map{cutoff}{threshold}")
    return value


def prepare() -> None:
    """Compile. ranx does so for every length of docnos, 9 s each where it was never used; the cases have 1 and 3."""
    for docno in ("d", "doc"):
        average_precision({"q": {docno: 1}}, {"q": {docno: 1.0}})


ADAPTER = Adapter(
    name="ranx",
    distribution="ranx",
    shape="qrels-run",
    convention="ranx",
    measures={"AP": average_precision},
    prepare=prepare,
)
