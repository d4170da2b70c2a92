"""The mean of an area over all orders of the documents inside each block of equal scores.

Wherever points add what is linear in their hits there is a closed form; for uninterpolated average precision it is that
of McSherry and Najork (ECIR 2008). The other estimators are walked back through the list as `estimators.area`
does, with every state that the orders can be in and its probability: states are fewer than orders.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from operator import truediv

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import At
from rankspec.oracle.conventions.measure import decimal_text
from rankspec.oracle.definitions.expression import Choice
from rankspec.oracle.limits import TIE_STATES
from rankspec.oracle.measures.areas.denominators import GRIDS, denominator, hits_for_level
from rankspec.oracle.measures.areas.estimators import (
    ESTIMATORS,
    Estimator,
    FixedLevels,
    OneLevel,
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
from rankspec.oracle.measures.derivations import Level, ListDerivation, ListReading, Row
from rankspec.oracle.rankings.ranking import Block, hits, length
from rankspec.oracle.reals.real import sum_of_fractions


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


class AreaList(ListReading):
    """A list as the estimator of an area reads it, or as precision at a recall level does."""

    @cached_property
    def estimator(self) -> Estimator:
        """Return what estimates the area under its curve."""
        blocks, grid, level = self.evaluated.blocks, self.convention.recall_grid, self.measure.recall
        if level is not None:
            return OneLevel(1, 0, None, grid, needed=hits_for_level(level, self.evaluated.relevant, grid))
        whole = denominator(self.convention.denominator, self.evaluated.counts)
        points = length(blocks) if self.is_undecided else len(blocks)
        return ESTIMATORS[self.convention.interpolation](whole, points, self.evaluated.k, grid)

    @clause("ap.form.*", "ap.cutoff", "ap.area", "iprec.at")
    def value(self) -> Fraction:
        """Return the area; the mean over the orders of its ties, if they are undecided."""
        blocks = self.evaluated.blocks
        area_ = _area_of_short if len(blocks) <= _SHORT else area_of
        return area_(self.estimator, blocks, undecided=self.is_undecided)

    def states(self, others: int = 0) -> int:
        """Count those of an estimator without a closed form."""
        if self.estimator.is_linear:
            return others
        return _number_of_states(self.estimator, self.evaluated.blocks, others)

    def rows(self) -> tuple[Row, ...]:
        """Return what the estimator adds at each operating point, in a block in random order its mean."""
        is_area = self.measure.recall is None
        if is_area and not self.evaluated.hits:  # a rule gives its value
            return self.rows_of([Fraction(0)] * len(self.points))
        if self.is_undecided:
            terms = mean_terms(self.estimator, self.evaluated.blocks)
            return self.rows_of([sum_of_fractions(each) for each in terms], terms=terms)
        looks_ahead = self.estimator.traits.looks_ahead or not is_area
        highest = highest_precisions(self.points) if looks_ahead else ()
        return self.rows_of(list(map(Fraction, additions(self.estimator, self.points))), interpolated=highest)

    def closing(self) -> ListDerivation:
        """Divide by what the estimator divides by, or say how many hits the level needs."""
        estimator, level = self.estimator, self.measure.recall
        if isinstance(estimator, OneLevel):
            formula = GRIDS[estimator.grid].formula
            stated = formula.format(level=decimal_text(level or Fraction(0)), relevant=self.evaluated.relevant)
            return ListDerivation(
                adds="the first row with enough hits adds the highest precision from there on",
                needed=f"{stated} = {estimator.needed}",
            )
        divisor, text = estimator.divided_by()
        equation = DefinedList(self.evaluated, self.measure, self.convention).equation
        return ListDerivation(
            Fraction(divisor),
            text,
            estimator.denominator,
            equation(Choice("denominator"), estimator.denominator),
            levels=() if self.is_undecided else levels_of(estimator, self.points),
        )


# Of 9,349 areas of one search for what fits some answers, 7,400 are those of 1,900 lists: most axes leave a short list
# as it is, and denominators that differ in name are one number.
_area_of_short = lru_cache(maxsize=1024)(area_of)
_SHORT = 50  # Longer lists are not remembered, since they take memory


def levels_of(estimator: Estimator, points: Sequence[Point]) -> tuple[Level, ...]:
    """Return the recall levels that an estimator reads precisions off at, if it has them."""
    if not isinstance(estimator, FixedLevels):
        return ()
    return tuple(
        Level(Fraction(level, estimator.traits.levels), needed, highest_precision(points, needed))
        for level, needed in enumerate(estimator.needed)
    )
