"""Quantities that a case can be about beside a value: parts of a computation, comparisons of several runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.inputs import CaseInput
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run, Score
from rankspec.oracle.errors import InputError, UndefinedValueError
from rankspec.oracle.evaluation import evaluate, tap_cutoff
from rankspec.oracle.language.expression import family_in, parse_measure
from rankspec.oracle.measures.areas.estimators import highest_precision, operating_points
from rankspec.oracle.measures.gain import label_gain_of
from rankspec.oracle.ranges import RunRange, judgement_range, tie_range
from rankspec.oracle.rankings.ordering import ranking_of
from rankspec.oracle.scoring.significance.comparing import Comparison, Plan, SignificanceTest, compare_runs
from rankspec.oracle.scoring.significance.results import Correction, Side
from rankspec.oracle.values import Exact, Undefined, to_text

PERMUTATIONS, SEED = 999, 1  # What `p-monte-carlo` is drawn with

_RUN = "the run"


_QUANTITIES: Mapping[str, tuple[Plan, Callable[[Comparison], Exact | None]]] = {
    "difference": (Plan(), lambda compared: compared.paired.mean),
    "p-randomization": (Plan(), lambda compared: compared.p.number),
    "p-greater": (Plan(side=Side.GREATER), lambda compared: compared.p.number),
    "p-less": (Plan(side=Side.LESS), lambda compared: compared.p.number),
    "p-monte-carlo": (Plan(permutations=PERMUTATIONS, seed=SEED), lambda compared: compared.p.number),
    "p-holm": (Plan(correction=Correction.HOLM), lambda compared: compared.corrected),
    "p-bonferroni": (Plan(correction=Correction.BONFERRONI), lambda compared: compared.corrected),
    "t": (
        Plan(test=SignificanceTest.STUDENT),
        lambda compared: None if (student := compared.p.student) is None else student.t,
    ),
}
COMPARISONS = frozenset(_QUANTITIES)  # The quantities that compare runs


def comparison_text(kind: str, other: str, source: CaseInput, measure: Measure, convention: Convention) -> str:
    """Return the run's quantity against another run's, as text; `InputError` if the case has no such run."""
    if other not in source.against:
        raise InputError(f"the input has no run {other!r} in `against`", code="unknown-run")
    plan, quantity = _QUANTITIES[kind]
    runs = {_RUN: source.run, **source.against}
    pairs = compare_runs([measure], source.qrels, runs, convention, replace(plan, baseline=_RUN))[measure].pairs
    number = next(quantity(pair) for pair in pairs if pair.second == other)
    return to_text(Undefined.NAN if number is None else number)


_QUANTITY = re.compile(r"([a-z-]+)(?:@(.+))?", re.IGNORECASE)


def known_quantity(case: Case) -> str | None:
    """Return what the oracle says, as text; None if it does not compute such a thing."""
    computation = _computation_of(case)
    return None if computation is None else computation()


def is_known(case: Case) -> bool:
    """Tell whether the oracle computes what the case is about, without computing it."""
    return _computation_of(case) is not None


def _computation_of(case: Case) -> Callable[[], str] | None:
    """Return what computes the quantity of a case; None if nothing of the oracle does."""
    parsed = _QUANTITY.fullmatch(case.quantity)
    if case.input is None or family_in(case.measure) not in FAMILIES or parsed is None:
        return None
    given = (case.input, parse_measure(case.measure), case.parsed_convention)
    kind, at = parsed[1].lower(), parsed[2]
    if kind in _WHOLE and at is None:
        return partial(_WHOLE[kind], *given)
    if kind in {"ap", "apcp"} and at is not None:
        return partial(value_text, *given, at)
    if kind in _RANGES:
        return partial(_end_text, kind, *given, at)
    if kind in _OF_LABELS and at is not None:
        return partial(_text_of_labels, kind, at, *given)

    return partial(comparison_text, kind, at, *given) if kind in COMPARISONS and at is not None else None


def value_text(source: CaseInput, measure: Measure, convention: Convention, query: str | None = None) -> str:
    """Return the value of the set, or of one query, as text; `error` where the convention demands one."""
    try:
        evaluation = evaluate(measure, source.qrels, source.run, convention)
    except UndefinedValueError:
        return "error"
    if query in evaluation.excluded:
        return "skip"
    return to_text(evaluation.value if query is None else evaluation.per_query[query])


def _cutoff_text(source: CaseInput, measure: Measure, convention: Convention) -> str:
    score: Score | None = tap_cutoff(measure, source.qrels, source.run, convention)
    return "none" if score is None else str(Fraction(score))


def _text_of_labels(kind: str, at: str, source: CaseInput, measure: Measure, convention: Convention) -> str:
    (query,) = source.qrels
    labels, relevant = _labels(source, query, measure, convention)
    return str(_OF_LABELS[kind](labels, relevant, at))


def _end_text(kind: str, source: CaseInput, measure: Measure, convention: Convention, query: str | None) -> str:
    """Return the lowest or the highest value of the run, or of one query, as text."""
    ranged, end = _RANGES[kind]
    try:
        interval = ranged(measure, source.qrels, source.run, convention)
    except UndefinedValueError:
        return "error"
    return to_text(getattr(interval.whole if query is None else interval.per_query[query], end))


_RANGES: Mapping[str, tuple[Callable[[Measure, Qrels, Run, Convention], RunRange], str]] = {
    "tie-low": (tie_range, "low"),
    "tie-high": (tie_range, "high"),
    "judged-low": (judgement_range, "low"),
    "judged-high": (judgement_range, "high"),
}
"""The ends of the range over all orders of tied documents, and over all ways to judge the unjudged ones."""

_WHOLE: Mapping[str, Callable[[CaseInput, Measure, Convention], str]] = {
    "value": value_text,
    "cutoff": _cutoff_text,
    "hits": lambda *of: str(sum(sum(_labels(of[0], query, *of[1:])[0]) for query in of[0].qrels)),
    "length": lambda *of: str(sum(len(_labels(of[0], query, *of[1:])[0]) for query in of[0].qrels)),
}
_OF_LABELS: Mapping[str, Callable[[list[int], int, str], Fraction]] = {
    "precision": lambda labels, _, at: Fraction(sum(labels[: int(at)]), int(at)),
    "recall": lambda labels, relevant, at: Fraction(sum(labels[: int(at)]), relevant),
    "interpolated": lambda labels, relevant, at: highest_precision(
        operating_points([(label,) for label in labels]), ceil(Fraction(at) * relevant)
    ),
}
"""What document 004 says of a list without ties: precision and recall at a rank, precision interpolated at a recall."""


def _labels(source: CaseInput, query: str, measure: Measure, convention: Convention) -> tuple[list[int], int]:
    """Return 0/1 labels in rank order, up to the cutoff, and R, of one query."""
    holding, grades = measure.under(convention), source.qrels.grades(query)
    ranking = ranking_of(query, source.run.documents(query), grades, holding, label_gain_of(measure, holding))
    labels = [int(label == 1) for block in ranking.binary(measure.rel) for label in block]
    return labels[: measure.cutoff], ranking.relevant(measure.rel)
