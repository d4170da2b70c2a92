"""The mean of an area over all orders of the documents inside each block of equal scores.

For uninterpolated average precision there is a closed form (McSherry and Najork, ECIR 2008). The other estimators are
walked back through the list as `estimators.area` does, with every state that the orders can be in and its probability:
states are few, orders are not.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction

from rankspec.oracle.clauses import clause
from rankspec.oracle.limits import TIE_STATES
from rankspec.oracle.measures.curve import Point, operating_points
from rankspec.oracle.measures.estimators import Estimator, Rest, Step, area
from rankspec.oracle.rankings.ranking import Block, hits, length
from rankspec.oracle.sums import sum_of_fractions


def expected_sum_of_precisions(blocks: Sequence[Block]) -> Fraction:
    """Return the expected sum of the precisions at relevant documents."""
    return sum_of_fractions(term for terms in expected_terms(blocks) for term in terms)


def expected_terms(blocks: Sequence[Block]) -> Iterator[list[Fraction]]:
    """Yield the terms that each block adds to the expected sum of precisions, one for each of its positions.

    A block of n documents, r of them relevant, behind N documents with B relevant ones adds, over its positions j,
    (r/n) * (B + 1 + (j-1)(r-1)/(n-1)) / (N+j).
    """
    before = relevant_before = 0
    for block in blocks:
        size, relevant = len(block), block.count(1)
        others = Fraction(relevant - 1, size - 1) if size > 1 else Fraction(0)
        yield [
            Fraction(relevant, size) * (relevant_before + 1 + (j - 1) * others) / (before + j)
            for j in range(1, size + 1)
            if relevant
        ]
        before += size
        relevant_before += relevant


@clause("ranking.ties.expected")
def area_of(estimator: Estimator, blocks: Sequence[Block], *, undecided: bool) -> Fraction:
    """Return the area under the curve of a list; its mean over all orders inside the blocks, if they are undecided."""
    if not undecided:
        return area(estimator, operating_points(blocks))
    return sum_of_fractions(term for terms in mean_terms(estimator, blocks) for term in terms) / estimator.divisor


def mean_terms(estimator: Estimator, blocks: Sequence[Block]) -> list[tuple[Fraction, ...]]:
    """Return what each block adds to the sum on average: the terms of the closed form, or one term."""
    if isinstance(estimator, Step):
        return [tuple(terms) for terms in expected_terms(blocks)]
    return [(addition,) for addition in expected_additions(estimator, blocks)]


def expected_area(estimator: Estimator, blocks: Sequence[Block]) -> Fraction:
    """Return the mean of `area` over all orders inside the blocks."""
    return sum_of_fractions(expected_additions(estimator, blocks)) / estimator.divisor


def expected_additions(estimator: Estimator, blocks: Sequence[Block]) -> list[Fraction]:
    """Return what each block adds to the sum on average over its orders, first to last."""
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


def back_through(
    estimator: Estimator, block: Block, start: Point, states: dict[Rest, Fraction], added: list[Fraction]
) -> dict[Rest, Fraction]:
    """Walk back through one block; append what its positions add on average, and return the states before it.

    Raises:
        InputError: there are too many states.
    """
    orders = math.comb(len(block), block.count(1))
    # (hits among the positions not yet walked, state) -> probability of the state * arrangements of those walked
    open_states: dict[tuple[int, Rest], Fraction] = {(block.count(1), rest): weight for rest, weight in states.items()}
    for position in range(len(block), 0, -1):
        TIE_STATES.require(len(added) + len(open_states), "states or more")
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
