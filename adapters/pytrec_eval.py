"""pytrec_eval (the distribution pytrec-eval-terrier): trec_eval 9.0.8 from dicts; it returns a value a query."""

from functools import partial

from rankspec.conformance.worker.adapter import Adapter, Qrels, Run


def average_precision(qrels: Qrels, run: Run, k: int | None = None, rel: int = 1) -> dict[str, float]:
    """Ask for `map` or `map_cut_k`."""
    return _evaluate("map" if k is None else f"map_cut.{k}", qrels, run, rel)


def ndcg(qrels: Qrels, run: Run, k: int | None = None) -> dict[str, float]:
    """Ask for `ndcg` or `ndcg_cut_k`."""
    return _evaluate("ndcg" if k is None else f"ndcg_cut.{k}", qrels, run)


def interpolated_precision(qrels: Qrels, run: Run, recall: float, rel: int = 1) -> dict[str, float]:
    """Ask for `iprec_at_recall` at a level; trec_eval names it by two places."""
    return _evaluate(f"iprec_at_recall.{recall:.2f}", qrels, run, rel)


def set_f(qrels: Qrels, run: Run, beta: float = 1.0, rel: int = 1) -> dict[str, float]:
    """Ask for `set_F` with its parameter."""
    return _evaluate(f"set_F.{beta}", qrels, run, rel)


def set_precision(qrels: Qrels, run: Run, rel: int = 1, *, relative: bool = False) -> dict[str, float]:
    """Ask for `set_P` or `set_relative_P`."""
    return _evaluate("set_relative_P" if relative else "set_P", qrels, run, rel)


def precision(qrels: Qrels, run: Run, k: int, rel: int = 1, *, relative: bool = False) -> dict[str, float]:
    """Ask for `P` or `relative_P` at a cutoff."""
    return _evaluate(f"relative_P.{k}" if relative else f"P.{k}", qrels, run, rel)


def precision_at_multiple(qrels: Qrels, run: Run, multiple: float, rel: int = 1) -> dict[str, float]:
    """Ask for `Rprec_mult` at a multiple of R; trec_eval names it by two places."""
    return _evaluate(f"Rprec_mult.{multiple:.2f}", qrels, run, rel)


def _whole(name: str, qrels: Qrels, run: Run) -> dict[str, float]:
    return _evaluate(name, qrels, run)


def _cut(name: str, qrels: Qrels, run: Run, k: int, rel: int = 1) -> dict[str, float]:
    return _evaluate(f"{name}.{k}", qrels, run, rel)


def _geometric(name: str, qrels: Qrels, run: Run, rel: int = 1) -> float:
    """Ask for `gm_map` or `gm_bpref`, of which it gives the logarithms, and for the mean that it makes of these."""
    from pytrec_eval import compute_aggregated_measure

    return compute_aggregated_measure(name, [*_evaluate(name, qrels, run, rel).values()])


def _evaluate(measure: str, qrels: Qrels, run: Run, rel: int = 1) -> dict[str, float]:
    from pytrec_eval import RelevanceEvaluator

    results = RelevanceEvaluator(qrels, {measure}, relevance_level=rel).evaluate(run)
    return {query: value for query, values in results.items() for value in values.values()}


ADAPTER = Adapter(
    name="pytrec_eval",
    distribution="pytrec-eval-terrier",
    shape="qrels-run",
    convention="trec_eval-9.0.8",
    call=_evaluate,
    measures={"AP": average_precision, "AP11": "11pt_avg", "IPrec": interpolated_precision, "P": precision}
    | {"R": partial(_cut, "recall"), "Success": partial(_cut, "success"), "RR": "recip_rank", "Rprec": "Rprec"}
    | {"SetP": set_precision, "SetR": "set_recall", "SetF": set_f, "SetAP": "set_map", "nDCG": ndcg}
    | {"Bpref": "bpref", "GMAP": partial(_geometric, "gm_map"), "GMBpref": partial(_geometric, "gm_bpref")}
    | {"infAP": "infAP", "NumQ": "num_q", "NumRet": "num_ret", "NumRel": "num_rel", "NumRelRet": "num_rel_ret"}
    | {"NumNonrelJudgedRet": "num_nonrel_judged_ret", "RprecMult": precision_at_multiple}
    | {"nDCGRel": partial(_whole, "ndcg_rel"), "RnDCG": partial(_whole, "Rndcg"), "G": partial(_whole, "G")}
    | {"BinG": "binG", "Utility": "utility"},
    requires=("numpy",),  # 0.5.6 imports it without saying so in its metadata
    wheels_only=("numpy", "scipy"),
)
