"""Average precision under a convention: AP, AP@k, AP11 and their interpolations.

The rules of undefined values come first, then the denominator, then the area under the curve; see `estimators.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rankspec.oracle.conventions.axes import Denominator, Interpolation, Ties
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.curve import operating_points
from rankspec.oracle.measures.estimators import ESTIMATORS, area
from rankspec.oracle.measures.expectation import expected_area, expected_sum_of_precisions
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.rankings.cutting import Blocks, cut, uncut_lists
from rankspec.oracle.rankings.ranking import Ranking, hits, length
from rankspec.oracle.values import Exact


@dataclass(frozen=True)
class Counts:
    """What denominators are made of, for one list that is looked at.

    Attributes:
        relevant: R.
        cutoff: k; the length of the list where the measure has none.
        length: n, the documents looked at.
        hits: the relevant ones among them.
        hits_in_list: the relevant ones in the list before the cutoff.
    """

    relevant: int
    cutoff: int
    length: int
    hits: int
    hits_in_list: int


DENOMINATORS: Mapping[Denominator, Callable[[Counts], int]] = {
    Denominator.RELEVANT: lambda counts: counts.relevant,
    Denominator.MIN_RELEVANT_CUTOFF: lambda counts: min(counts.relevant, counts.cutoff),
    Denominator.MIN_RELEVANT_CUTOFF_LENGTH: lambda counts: min(counts.relevant, counts.cutoff, counts.length),
    Denominator.MIN_RELEVANT_LENGTH: lambda counts: min(counts.relevant, counts.length),
    Denominator.MIN_CUTOFF_LENGTH: lambda counts: min(counts.cutoff, counts.length),
    Denominator.RETRIEVED_RELEVANT: lambda counts: counts.hits,
    Denominator.RELEVANT_IN_LIST: lambda counts: counts.hits_in_list,
    Denominator.CUTOFF: lambda counts: counts.cutoff,
    Denominator.LENGTH: lambda counts: counts.length,
}
"""Clauses ap.denominator.*."""


def average_precision(ranking: Ranking, measure: Measure, convention: Convention) -> Exact:
    """Return the average precision of one ranking: a fraction, or undefined by the convention's rules.

    Clauses ap.form.*, ap.cutoff, ap.area. A limit inside a block of undecided order leaves several lists; the value is
    the mean over them.
    """
    relevant = ranking.relevant(measure.rel)
    if relevant == 0:
        return RULES[convention.no_relevant]
    outcomes = [
        (whole * part, _area_of(looked_at, hits(listed), relevant, measure, convention))
        for whole, listed in uncut_lists(ranking.binary(measure.rel), convention)
        for part, looked_at in cut(listed, measure.k, convention.ties)
    ]
    return mean_over_lists(outcomes)


def _area_of(looked_at: Blocks, hits_in_list: int, relevant: int, measure: Measure, convention: Convention) -> Exact:
    """Return the value of a list without limits inside its blocks."""
    documents = length(looked_at)
    counts = Counts(relevant, measure.k or documents, documents, hits(looked_at), hits_in_list)
    if counts.hits == 0:
        return RULES[convention.no_hits]
    denominator = DENOMINATORS[convention.denominator](counts)
    interpolation = measure.interpolation(convention)
    undecided = convention.ties is Ties.EXPECTED
    if undecided and interpolation is Interpolation.STEP:
        return expected_sum_of_precisions(looked_at) / denominator
    points = documents if undecided else len(looked_at)
    estimator = ESTIMATORS[interpolation](denominator, points, measure.k, convention.recall_grid)
    return expected_area(estimator, looked_at) if undecided else area(estimator, operating_points(looked_at))
