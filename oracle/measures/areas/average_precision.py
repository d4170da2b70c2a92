"""Average precision under a convention: AP, AP@k, AP11 and their interpolations.

The rules of undefined values come first, then the denominator, then the area under the curve; see `estimators.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Interpolation, RecallGrid, Ties
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.interpolations import INTERPOLATIONS
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.definitions.expression import Choice
from rankspec.oracle.measures.areas.curve import Point, highest_precision, highest_precisions
from rankspec.oracle.measures.areas.denominators import Counts, denominator
from rankspec.oracle.measures.areas.estimators import ESTIMATORS, Estimator, FixedLevels, additions
from rankspec.oracle.measures.areas.expectation import area_of, mean_terms, require_few_states
from rankspec.oracle.measures.defined import DefinedList
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.measures.working import Closing, Level, Listing, Part
from rankspec.oracle.rankings.cutting import Blocks, cut, uncut_lists
from rankspec.oracle.rankings.ranking import Ranking, hits, length
from rankspec.oracle.sums import sum_of_fractions
from rankspec.oracle.values import Exact


@clause("ap.form.*", "ap.cutoff", "ap.area")
def average_precision(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return the average precision of one ranking: a fraction, or undefined by the convention's rules.

    A limit inside a block of undecided order leaves several lists; the value is the mean over them.
    """
    relevant = ranking.relevant(measure.rel)
    if relevant == 0:
        return RULES[convention.no_relevant]
    lists = [
        (whole * part, evaluated, _counts(evaluated, hits(listed), relevant, measure))
        for whole, listed in uncut_lists(ranking.binary(measure.rel), convention)
        for part, evaluated in cut(listed, measure.k, convention.ties)
    ]
    if len(lists) > 1 and convention.ties is Ties.EXPECTED:
        estimated = ((each, _estimated(counts, measure, convention)) for _, each, counts in lists if counts.hits)
        require_few_states((estimator_for(each, by, convention.ties), each) for each, by in estimated)
    outcomes = ((share, _area_of(evaluated, counts, measure, convention)) for share, evaluated, counts in lists)
    return mean_over_lists(outcomes)


def _counts(evaluated: Blocks, hits_in_list: int, relevant: int, measure: Measure) -> Counts:
    """Return what is counted in a list without limits inside its blocks."""
    documents = length(evaluated)
    return Counts(relevant, measure.k or documents, documents, hits(evaluated), hits_in_list)


def _area_of(evaluated: Blocks, counts: Counts, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return the area under the curve of a list, by the convention's interpolation; without hits what its rule says."""
    if counts.hits == 0:
        return RULES[convention.no_hits]
    area = _area_of_short if len(evaluated) <= _SHORT else _area
    return area(evaluated, _estimated(counts, measure, convention), convention.ties)


def _estimated(counts: Counts, measure: Measure, convention: EffectiveConvention) -> _Estimated:
    whole = denominator(convention.denominator, counts)
    return whole, measure.k, convention.interpolation, convention.recall_grid


_Estimated = tuple[int, int | None, Interpolation, RecallGrid]
"""What an area is estimated by: the denominator, the cutoff, the interpolation, how levels of recall are reached."""


def _area(blocks: Blocks, by: _Estimated, ties: Ties) -> Fraction:
    return area_of(estimator_for(blocks, by, ties), blocks, undecided=ties is Ties.EXPECTED)


# Of 9,349 areas of one search for what fits some answers, 7,400 are those of 1,900 lists: most axes leave a short list
# as it is, and denominators that differ in name are one number.
_area_of_short = lru_cache(maxsize=1024)(_area)
_SHORT = 50
"""Longer lists are not remembered, since they take memory."""


def estimator_for(blocks: Blocks, by: _Estimated, ties: Ties) -> Estimator:
    """Return what estimates the area under the curve of a list."""
    whole, k, interpolation, grid = by
    points = length(blocks) if ties is Ties.EXPECTED else len(blocks)
    return ESTIMATORS[interpolation](whole, points, k, grid)


def area_parts(listing: Listing) -> tuple[Part, ...]:
    """Return parts that add what the estimator adds at an operating point, in a block in random order its mean."""
    blocks = listing.evaluated.binary
    if listing.hits == 0:
        return listing.parts([Fraction(0)] * len(blocks))
    estimator = _estimator(listing)
    if listing.convention.ties is Ties.EXPECTED:
        terms = mean_terms(estimator, blocks)
        return listing.parts([sum_of_fractions(each) for each in terms], terms=terms)
    ahead = INTERPOLATIONS[listing.convention.interpolation].looks_ahead
    highest = highest_precisions(listing.points) if ahead else ()
    return listing.parts(list(map(Fraction, additions(estimator, listing.points))), interpolated=highest)


def area_closing(listing: Listing) -> Closing:
    """Divide by what the estimator divides by."""
    estimator = _estimator(listing)
    undecided = listing.convention.ties is Ties.EXPECTED
    levels = levels_of(estimator, listing.points) if isinstance(estimator, FixedLevels) and not undecided else ()
    return Closing(
        Fraction(estimator.divisor),
        estimator.divisor_text,
        estimator.denominator,
        DefinedList(listing.evaluated, listing.measure, listing.convention).equation(
            Choice("denominator"), estimator.denominator
        ),
        levels=levels,
    )


def _estimator(listing: Listing) -> Estimator:
    convention = listing.convention
    whole = denominator(convention.denominator, listing.evaluated.counts)
    by = (whole, listing.limit, convention.interpolation, convention.recall_grid)
    return estimator_for(listing.evaluated.binary, by, convention.ties)


def levels_of(estimator: FixedLevels, points: Sequence[Point]) -> tuple[Level, ...]:
    """Return the recall levels that an estimator reads precisions off at."""
    return tuple(
        Level(Fraction(level, estimator.levels), needed, highest_precision(points, needed))
        for level, needed in enumerate(estimator.needed)
    )
