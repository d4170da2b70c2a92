"""TAP-k (the module `tapk`): threshold average precision, from qrels and a run; it returns a value a query."""

from rankspec.conformance.worker.adapter import Adapter, Qrels, Run


def threshold_average_precision(qrels: Qrels, run: Run, k: int, rel: int = 1) -> dict[str, float]:
    """Write the retrieval lists as lines of its format, best score first, and call `tapk`."""
    from tapk import tapk

    lines: list[str] = []
    for query, graded in qrels.items():
        ranked = sorted(run.get(query, {}).items(), key=lambda pair: -pair[1])
        relevant = {docno for docno, grade in graded.items() if grade >= rel}
        lines += [query, str(len(relevant)), *(f"{int(docno in relevant)} {score!r}" for docno, score in ranked), ""]
    return {result.query: result.tap for result in tapk([lines], k=k, monotonicity="desc").queries}


ADAPTER = Adapter(name="tapk", distribution="TAP-k", shape="qrels-run", measures={"TAP": threshold_average_precision})
