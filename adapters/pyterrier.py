"""PyTerrier: `Evaluate` on data frames, which asks ir_measures, without its Java part; it returns a value a query."""

from rankspec.adapters._frames import relevant, retrieved
from rankspec.conformance.worker.adapter import Adapter, Qrels, Run


def evaluate(qrels: Qrels, run: Run, expression: str) -> dict[str, float]:
    """Evaluate by a measure as ir_measures writes it; every judgement is handed over, whatever its grade."""
    import ir_measures
    import pyterrier as pt

    lowest = min((grade for graded in qrels.values() for grade in graded.values()), default=0)
    judged = relevant(qrels, lowest, ("qid", "docno", "label")).astype({"label": int})
    ranked = retrieved(run, ("qid", "docno", "score"))
    measure = ir_measures.parse_measure(expression)
    values = pt.Evaluate(ranked, judged, metrics=[measure], perquery=True)
    return {str(query): float(value) for query, named in values.items() for value in named.values()}


ADAPTER = Adapter(
    name="pyterrier",
    shape="qrels-run",
    convention="ir_measures",
    measures=dict.fromkeys(("AP", "P", "R", "RR", "nDCG", "Rprec", "Bpref"), evaluate),
    imports="pyterrier",
)
