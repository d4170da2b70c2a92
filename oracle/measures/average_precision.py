"""Average precision under a convention: AP, AP@k, AP11 and their interpolations.

The rules of undefined values come first, then the denominator, then the area under the curve; see `estimators.py`.
"""

from __future__ import annotations

from fractions import Fraction

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.denominators import Counts, denominator
from rankspec.oracle.measures.estimators import ESTIMATORS
from rankspec.oracle.measures.expectation import area_of
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.rankings.cutting import Blocks, cut, uncut_lists
from rankspec.oracle.rankings.ranking import Ranking, hits, length
from rankspec.oracle.values import Exact


@clause("ap.form.*", "ap.cutoff", "ap.area")
def average_precision(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return the average precision of one ranking: a fraction, or undefined by the convention's rules.

    A limit inside a block of undecided order leaves several lists; the value is the mean over them.
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


def _area_of(
    looked_at: Blocks, hits_in_list: int, relevant: int, measure: Measure, convention: EffectiveConvention
) -> Exact:
    """Return the value of a list without limits inside its blocks."""
    documents = length(looked_at)
    counts = Counts(relevant, measure.k or documents, documents, hits(looked_at), hits_in_list)
    if counts.hits == 0:
        return RULES[convention.no_hits]
    return area_under(looked_at, denominator(convention.denominator, counts), measure.k, convention)


def area_under(blocks: Blocks, denominator_: int, k: int | None, convention: EffectiveConvention) -> Fraction:
    """Return the area under the curve of a list with a hit, by the convention's interpolation."""
    undecided = convention.ties is Ties.EXPECTED
    points = length(blocks) if undecided else len(blocks)
    estimator = ESTIMATORS[convention.interpolation](denominator_, points, k, convention.recall_grid)
    return area_of(estimator, blocks, undecided=undecided)
