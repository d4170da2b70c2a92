"""pyndeval: ndeval's measures of novelty, from judgements of subtopics; it returns a value a query."""

from functools import partial

from rankspec.conformance.worker.adapter import Adapter, Run, UnsupportedError

Qrels = dict[str, dict[str, int | dict[str, int]]]


def _cut(name: str, qrels: Qrels, run: Run, k: int, rel: int = 1) -> dict[str, float]:
    """Ask for a measure at a cutoff: `ERR-IA@10`."""
    return _evaluate(f"{name}@{k}", qrels, run, rel)


def _alpha(  # noqa: PLR0913 - those of the measure
    name: str, qrels: Qrels, run: Run, k: int, rel: int = 1, alpha: float = 0.5
) -> dict[str, float]:
    """Ask for a measure at a cutoff that has an alpha: `alpha-DCG@10`."""
    return _evaluate(f"{name}@{k}", qrels, run, rel, alpha=alpha)


def _whole(  # noqa: PLR0913 - those of the measure
    name: str, qrels: Qrels, run: Run, rel: int = 1, alpha: float = 0.5, beta: float = 0.5
) -> dict[str, float]:
    """Ask for a measure without a cutoff: `NRBP`."""
    return _evaluate(name, qrels, run, rel, alpha=alpha, beta=beta)


def _evaluate(measure: str, qrels: Qrels, run: Run, rel: int = 1, **weights: float) -> dict[str, float]:
    from pyndeval import RelevanceEvaluator, ScoredDoc, SubtopicQrel

    judged = [
        SubtopicQrel(query, subtopic, docno, each)
        for query, graded in qrels.items()
        for docno, grade in graded.items()
        for subtopic, each in (grade.items() if isinstance(grade, dict) else (("0", grade),))
    ]
    listed = [ScoredDoc(query, docno, score) for query, scored in run.items() for docno, score in scored.items()]
    try:
        evaluator = RelevanceEvaluator(judged, [measure], relevance_level=rel, **weights)
    except AssertionError as error:
        raise UnsupportedError(f"it has no {measure}: {error}") from error
    return {query: values[measure] for query, values in evaluator.evaluate(listed).items()}


ADAPTER = Adapter(
    name="pyndeval",
    shape="qrels-run",
    convention="pyndeval",
    measures={"alpha_DCG": partial(_alpha, "alpha-DCG"), "alpha_nDCG": partial(_alpha, "alpha-nDCG")}
    | {"ERR_IA": partial(_alpha, "ERR-IA"), "nERR_IA": partial(_alpha, "nERR-IA")}
    | {"NRBP": partial(_whole, "NRBP"), "nNRBP": partial(_whole, "nNRBP"), "AP_IA": partial(_evaluate, "MAP-IA")}
    | {"P_IA": partial(_cut, "P-IA"), "StRecall": partial(_cut, "strec")},
)
