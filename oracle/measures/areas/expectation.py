"""The mean of an area over all orders of the documents inside each block of equal scores.

Wherever points add what is linear in their hits there is a closed form; for uninterpolated average precision it is that
of McSherry and Najork (ECIR 2008). The other estimators are walked back through the list as `estimators.area`
does, with every state that the orders can be in and its probability: states are fewer than orders.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from operator import truediv

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Interpolation, RecallGrid, Ties
from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.interpolations import INTERPOLATIONS, At
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.definitions.expression import Choice
from rankspec.oracle.limits import TIE_STATES
from rankspec.oracle.measures.areas.denominators import Counts, denominator
from rankspec.oracle.measures.areas.estimators import (
    ESTIMATORS,
    Estimator,
    FixedLevels,
    Point,
    Rest,
    SumOverHits,
    additions,
    area,
    highest_precision,
    highest_precisions,
    operating_points,
)
from rankspec.oracle.measures.defined import DefinedList
from rankspec.oracle.measures.derivations import Level, ListDerivation, Listing, Row
from rankspec.oracle.measures.rules import RULES, mean_over_lists
from rankspec.oracle.rankings.ranking import Block, Blocks, Ranking, cut, hits, length, uncut_lists
from rankspec.oracle.reals.real import sum_of_fractions
from rankspec.oracle.values import Exact


@clause("ranking.ties.expected")
def area_of(estimator: Estimator, blocks: Sequence[Block], *, undecided: bool) -> Fraction:
    """Return the area under the curve of a list; its mean over all orders inside the blocks, if they are undecided."""
    if not undecided:
        return area(estimator, operating_points(blocks))
    return sum_of_fractions(term for terms in mean_terms(estimator, blocks) for term in terms) / estimator.divisor


def mean_terms(estimator: Estimator, blocks: Sequence[Block]) -> list[tuple[Fraction, ...]]:
    """Return what each block adds to the sum on average: the terms of the closed form, or one term."""
    if isinstance(estimator, SumOverHits) and estimator.traits.precisions == (At.HIT,):
        return [tuple(terms) for terms in _linear_terms(estimator, blocks)]
    return [(addition,) for addition in expected_additions(estimator, blocks)]


def expected_area(estimator: Estimator, blocks: Sequence[Block]) -> Fraction:
    """Return the mean of `area` over all orders inside the blocks."""
    return sum_of_fractions(expected_additions(estimator, blocks)) / estimator.divisor


def expected_additions(estimator: Estimator, blocks: Sequence[Block]) -> list[Fraction]:
    """Return what each block adds on average over its orders; `InputError` for too many states, counted first."""
    # Of n tied documents with r hits, a linear estimator takes n steps; one that remembers the highest precision has up
    # to (n r)^2 states.
    if estimator.is_linear:
        return [sum_of_fractions(terms) for terms in _linear_terms(estimator, blocks)]
    # A state has hits at a position, and at most one precision of a later one. Nothing is walked where they can't be
    # too many.
    places = sum(len(block) * (block.count(1) + 1) for block in blocks)
    if 2 * places * (places + 1) > TIE_STATES.most:
        _number_of_states(estimator, blocks)
    states: dict[Rest, Fraction] = {None: Fraction(1)}
    before, hits_before = length(blocks), hits(blocks)
    additions_: list[Fraction] = []
    for block in reversed(blocks):
        before -= len(block)
        hits_before -= block.count(1)
        added: list[Fraction] = []
        states = back_through(estimator, block, Point(before, hits_before), states, added)
        additions_.append(sum_of_fractions(added))
    return additions_[::-1]


def _linear_terms(estimator: Estimator, blocks: Sequence[Block]) -> Iterator[list[Fraction]]:
    """Yield what the positions of each block add on average, where that is linear in the hits."""
    # Behind B hits, j - 1 of a block of n documents with r hits stand above its j-th one. Of the others r - 1 are hits
    # if that one is, else r, so that B + (j-1)(r-1)/(n-1) or B + (j-1) r/(n-1) hits stand above it on average; what no
    # hit and what one hit above would make it add say what they do.
    before = hits_before = 0
    documents = length(blocks)
    for block in blocks:
        size, chances = len(block), (len(block) - block.count(1), block.count(1))
        terms = []
        for place in range(size):
            rest = None if before + place + 1 == documents else _BEHIND
            for is_hit, number in enumerate(chances):
                if not number:
                    continue
                of_none, of_one = (
                    estimator.back(rest, Point(before + place, hits_), Point(before + place + 1, hits_ + is_hit))[1]
                    for hits_ in (0, 1)
                )
                if of_none or of_one:
                    ways = max(size - 1, 1)
                    above = hits_before * ways + place * (chances[1] - is_hit)
                    weighted = of_none * (ways - above) + of_one * above
                    terms.append(weighted * Fraction(number, size * ways))
        yield terms
        before += size
        hits_before += chances[1]


_BEHIND = "behind"  # The rest that points leave which have others behind them, to estimators that ask for nothing else


def require_few_states(lists: Iterable[tuple[Estimator, Sequence[Block]]]) -> None:
    """Refuse (`InputError`) lists that a limit leaves of a tie, each with an estimator, of too many states in all."""
    number = 0
    for estimator, blocks in lists:
        if not estimator.is_linear:
            number = _number_of_states(estimator, blocks, number)


def _number_of_states(estimator: Estimator, blocks: Sequence[Block], others: int = 0) -> int:
    """Return the most states of a block and others, by the same walk without probabilities, precisions in doubles."""
    rests: set[Rest] = {None}
    before, hits_before, most = length(blocks), hits(blocks), 0
    for block in reversed(blocks):
        before -= len(block)
        hits_before -= block.count(1)
        open_rests, number = {block.count(1): rests}, 0  # by the hits among the positions not yet walked
        for position in range(len(block), 0, -1):
            earlier: dict[int, set[Rest]] = defaultdict(set)
            for left, behind in open_rests.items():
                point = Point(before + position, hits_before + left, truediv)
                for is_hit in range(max(left - position + 1, 0), min(left, 1) + 1):
                    previous = Point(before + position - 1, hits_before + left - is_hit, truediv)
                    earlier[left - is_hit].update(estimator.leave(rest, previous, point) for rest in behind)
                    number += len(behind)
            TIE_STATES.require(others + number, "states or more")
            open_rests = earlier
        rests, most = set().union(*open_rests.values()), max(most, number)
    return others + most


def back_through(
    estimator: Estimator, block: Block, start: Point, states: dict[Rest, Fraction], added: list[Fraction]
) -> dict[Rest, Fraction]:
    """Walk back through one block; append what its positions add on average, and return the states before it."""
    orders = math.comb(len(block), block.count(1))
    # (hits among the positions not yet walked, state) -> probability of the state * arrangements of those walked
    open_states: dict[tuple[int, Rest], Fraction] = {(block.count(1), rest): weight for rest, weight in states.items()}
    for position in range(len(block), 0, -1):
        earlier: dict[tuple[int, Rest], Fraction] = defaultdict(Fraction)
        for (left, rest), weight in open_states.items():
            for is_hit in (0, 1):
                arrangements = math.comb(position - 1, left - is_hit) if left >= is_hit else 0
                if arrangements:
                    previous = Point(start.retrieved + position - 1, start.hits + left - is_hit)
                    point = Point(start.retrieved + position, start.hits + left)
                    new_rest, addition = estimator.back(rest, previous, point)
                    added.append(addition * weight * arrangements / orders)
                    earlier[left - is_hit, new_rest] += weight
        open_states = earlier
    return {rest: weight / orders for (_, rest), weight in open_states.items()}


# ---- Average precision


@clause("ap.form.*", "ap.cutoff", "ap.area")
def average_precision(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return the average precision of one ranking: a fraction, or undefined by the convention's rules."""
    # A limit inside a block of undecided order leaves several lists; the value is the mean over them.
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
_SHORT = 50  # Longer lists are not remembered, since they take memory


def estimator_for(blocks: Blocks, by: _Estimated, ties: Ties) -> Estimator:
    """Return what estimates the area under the curve of a list."""
    whole, k, interpolation, grid = by
    points = length(blocks) if ties is Ties.EXPECTED else len(blocks)
    return ESTIMATORS[interpolation](whole, points, k, grid)


def estimator_rows(estimator: Estimator, listing: Listing, *, looks_ahead: bool = False) -> tuple[Row, ...]:
    """Return rows that add what an estimator adds at an operating point, in a block in random order its mean."""
    if listing.convention.ties is Ties.EXPECTED:
        terms = mean_terms(estimator, listing.evaluated.binary)
        return listing.rows([sum_of_fractions(each) for each in terms], terms=terms)
    highest = highest_precisions(listing.points) if looks_ahead else ()
    return listing.rows(list(map(Fraction, additions(estimator, listing.points))), interpolated=highest)


def area_rows(listing: Listing) -> tuple[Row, ...]:
    """Return the rows of an area; nothing is added where there is no hit."""
    if listing.hits == 0:
        return listing.rows([Fraction(0)] * len(listing.evaluated.blocks))
    looks_ahead = INTERPOLATIONS[listing.convention.interpolation].looks_ahead
    return estimator_rows(_estimator(listing), listing, looks_ahead=looks_ahead)


def area_closing(listing: Listing) -> ListDerivation:
    """Divide by what the estimator divides by."""
    estimator = _estimator(listing)
    undecided = listing.convention.ties is Ties.EXPECTED
    levels = levels_of(estimator, listing.points) if isinstance(estimator, FixedLevels) and not undecided else ()
    return ListDerivation(
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
        Level(Fraction(level, estimator.traits.levels), needed, highest_precision(points, needed))
        for level, needed in enumerate(estimator.needed)
    )
