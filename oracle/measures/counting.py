"""Measures that only count what is in the list looked at: precision, recall, F, success, R-precision, and counts."""

from __future__ import annotations

from fractions import Fraction

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import FWeight
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.denominators import denominator
from rankspec.oracle.measures.looked_at import NONRELEVANT, Looked


@clause("precision.at", "precision.denominator.*")
def precision(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001 - one signature
    """Return hits over k, or over what there is."""
    return _share(looked.hits, denominator(convention.precision_denominator, looked.counts))


@clause("recall.at", "recall.denominator.*")
def recall(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits over R, or over what can be reached."""
    return _share(looked.hits, denominator(convention.recall_denominator, looked.counts))


@clause("f.at")
def f_measure(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:
    """Return F of precision and recall at the cutoff."""
    return _f(precision(looked, measure, convention), recall(looked, measure, convention), measure, convention)


@clause("success.at")
def success(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return 1 if there is a hit."""
    return Fraction(looked.hits > 0)


@clause("rprec.at")
def r_precision(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits among the first R, over R; the list looked at has R documents at most."""
    return Fraction(looked.hits, looked.relevant)


@clause("set.precision", "set.relative-precision")
def set_precision(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits over n, or over min(n, R)."""
    return _share(looked.hits, min(looked.length, looked.relevant) if measure.relative else looked.length)


@clause("set.recall")
def set_recall(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits over R."""
    return Fraction(looked.hits, looked.relevant)


@clause("set.f")
def set_f(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:
    """Return F of the whole list's precision and recall."""
    return _f(set_precision(looked, measure, convention), set_recall(looked, measure, convention), measure, convention)


@clause("set.average-precision")
def set_average_precision(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:
    """Return precision times recall of the whole list."""
    return set_precision(looked, measure, convention) * set_recall(looked, measure, convention)


@clause("judged.at")
def judged(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return judged documents over k, or over what there is."""
    return _share(looked.judged, denominator(convention.precision_denominator, looked.counts))


@clause("count.retrieved")
def number_retrieved(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return n."""
    return Fraction(looked.length)


@clause("count.relevant")
def number_relevant(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return R."""
    return Fraction(looked.relevant)


@clause("count.relevant-retrieved")
def number_relevant_retrieved(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits."""
    return Fraction(looked.hits)


@clause("count.nonrelevant-judged-retrieved")
def number_nonrelevant_retrieved(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return the retrieved documents that are judged and not relevant."""
    return Fraction(looked.count(NONRELEVANT))


@clause("count.queries")
def number_of_queries(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return 1, for the query."""
    return Fraction(1)


def _share(part: int, whole: int) -> Fraction:
    """Return part/whole; 0 of an empty list."""
    return Fraction(part, whole) if whole else Fraction(0)


@clause("f.weight.*")
def _f(precision_: Fraction, recall_: Fraction, measure: Measure, convention: EffectiveConvention) -> Fraction:
    """Return (1 + w) P R / (w P + R), w the weight of recall."""
    beta = Fraction(1) if measure.beta is None else measure.beta
    weight = beta**2 if convention.f_weight is FWeight.BETA_SQUARED else beta
    both = weight * precision_ + recall_
    return (1 + weight) * precision_ * recall_ / both if both else Fraction(0)
