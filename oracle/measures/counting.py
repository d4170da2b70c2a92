"""Measures that only count what is in the list looked at: precision, recall, F, success, R-precision, and counts."""

from __future__ import annotations

from fractions import Fraction

from rankspec.oracle.conventions.axes import FWeight
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.denominators import denominator
from rankspec.oracle.measures.looked_at import NONRELEVANT, Looked


def precision(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001 - one signature
    """Return hits over k, or over what there is. Clauses precision.at, precision.denominator.*."""
    return _share(looked.hits, denominator(convention.precision_denominator, looked.counts))


def recall(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits over R, or over what can be reached. Clauses recall.at, recall.denominator.*."""
    return _share(looked.hits, denominator(convention.recall_denominator, looked.counts))


def f_measure(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:
    """Return F of precision and recall at the cutoff. Clause f.at."""
    return _f(precision(looked, measure, convention), recall(looked, measure, convention), measure, convention)


def success(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return 1 if there is a hit. Clause success.at."""
    return Fraction(looked.hits > 0)


def r_precision(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits among the first R, over R; the list looked at has R documents at most. Clause rprec.at."""
    return Fraction(looked.hits, looked.relevant)


def set_precision(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits over n, or over min(n, R). Clauses set.precision, set.relative-precision."""
    return _share(looked.hits, min(looked.length, looked.relevant) if measure.relative else looked.length)


def set_recall(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits over R. Clause set.recall."""
    return Fraction(looked.hits, looked.relevant)


def set_f(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:
    """Return F of the whole list's precision and recall. Clause set.f."""
    return _f(set_precision(looked, measure, convention), set_recall(looked, measure, convention), measure, convention)


def set_average_precision(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:
    """Return precision times recall of the whole list. Clause set.average-precision."""
    return set_precision(looked, measure, convention) * set_recall(looked, measure, convention)


def judged(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return judged documents over k, or over what there is. Clause judged.at."""
    return _share(looked.judged, denominator(convention.precision_denominator, looked.counts))


def number_retrieved(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return n. Clause count.retrieved."""
    return Fraction(looked.length)


def number_relevant(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return R. Clause count.relevant."""
    return Fraction(looked.relevant)


def number_relevant_retrieved(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return hits. Clause count.relevant-retrieved."""
    return Fraction(looked.hits)


def number_nonrelevant_retrieved(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return the retrieved documents that are judged and not relevant. Clause count.nonrelevant-judged-retrieved."""
    return Fraction(looked.count(NONRELEVANT))


def number_of_queries(looked: Looked, measure: Measure, convention: EffectiveConvention) -> Fraction:  # noqa: ARG001
    """Return 1, for the query. Clause count.queries."""
    return Fraction(1)


def _share(part: int, whole: int) -> Fraction:
    """Return part/whole; 0 of an empty list."""
    return Fraction(part, whole) if whole else Fraction(0)


def _f(precision_: Fraction, recall_: Fraction, measure: Measure, convention: EffectiveConvention) -> Fraction:
    """Return (1 + w) P R / (w P + R), w the weight of recall. Clauses f.weight.*."""
    beta = Fraction(1) if measure.beta is None else measure.beta
    weight = beta**2 if convention.f_weight is FWeight.BETA_SQUARED else beta
    both = weight * precision_ + recall_
    return (1 + weight) * precision_ * recall_ / both if both else Fraction(0)
