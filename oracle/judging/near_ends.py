"""Many ways to judge one ranking's unjudged documents, of which few can have the ends of a measure's range."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import INTERPOLATIONS, Interpolation
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.definitions.expression import Operator
from rankspec.oracle.judging.choices import Judging, OrderedRanking
from rankspec.oracle.limits import JUDGED_DOCUMENTS
from rankspec.oracle.measures.areas.denominators import Counts, denominator, hits_for_level, hits_needed
from rankspec.oracle.measures.choices import settled
from rankspec.oracle.measures.evaluated_list import counts_as_judged
from rankspec.oracle.measures.terms import compiled
from rankspec.oracle.reals.real import sum_of_fractions

_AT_ONCE = 1 << 20  # Documents of lists that are evaluated together: arrays of some 100 MB
_CLOSE = 1e-11  # Values below 1, sums of less than a million doubles, are off by far less
Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]
Ways = NDArray[np.bool_]  # A row a way to judge: which of the unjudged documents are relevant


@clause("range.judgements")
def ends_by_number(ordered: OrderedRanking, grade: int) -> Iterator[Judging]:
    """Yield ways that may have the ends, of those that `is_by_number` names, by doubles.

    `InputError` where all have to be evaluated exactly, and are too many.
    """
    unjudged, inside = ordered.unjudged, len(ordered.inside)
    first = np.tri(len(unjudged) + 1, len(unjudged), -1, np.bool_)
    one = first[: len(unjudged) - inside + 1, ::-1].copy()
    one[:, inside - 1 : inside] = True  # nothing where none is inside
    ways = np.concatenate((first, first[:, ::-1], one))
    step = max(1, _AT_ONCE // max(ordered.documents, 1))
    near = np.concatenate([_values(ordered, ways[start : start + step]) for start in range(0, len(ways), step)])
    without_hits, numbers = np.flatnonzero(np.isnan(near)), near[~np.isnan(near)]
    ends = (numbers.min(), numbers.max()) if numbers.size else ()
    places = np.flatnonzero(np.any([np.abs(near - end) < _CLOSE for end in ends], axis=0)) if ends else without_hits[:0]
    if ordered.measure.family.cut is Cut.RECALL:  # different precisions have different doubles
        places = places[np.unique(near[places], return_index=True)[1]]
    elif is_plain(ordered):  # of which many ways may have one value
        exact = {place: _plain_area(ordered, ways[place : place + 1]) for place in places.tolist()}
        places = np.array([pick(exact, key=exact.__getitem__) for pick in (min, max) if exact], np.int64)
    # All ways without a hit that have a relevant document are worth the same.
    chosen = ways[[*places.tolist(), *without_hits[ways[without_hits].any(axis=1)][:1].tolist()]]
    if len(chosen) * ordered.documents > JUDGED_DOCUMENTS.most:
        listed = f"a list of {ordered.documents} documents would be evaluated {len(chosen)} times, which is"
        raise JUDGED_DOCUMENTS.exceeded(f"{ordered.measure}: no closed rule is known", listed)
    for row in chosen.tolist():
        yield {place: grade for place, is_chosen in zip(unjudged, row, strict=True) if is_chosen}


def is_plain(ordered: OrderedRanking) -> bool:
    """Tell whether a value is a sum of precisions at hits over D."""
    return ordered.measure.family.is_area and ordered.convention.interpolation is Interpolation.STEP


def _hits(ordered: OrderedRanking, ways: Ways) -> Integers:
    hits = np.tile(np.array(ordered.hits, np.int64), (len(ways), 1))
    for column, (block, _) in enumerate(ordered.unjudged):
        hits[:, block] += ways[:, column]
    return hits


def _divisors(ordered: OrderedRanking, ways: Ways, every: Integers) -> list[int]:
    """Return D of each way, 1 where it is 0: then there is no hit."""
    length = ordered.ends[ordered.evaluated - 1]
    sums = (every[:, : ordered.evaluated].sum(axis=1).tolist(), every[:, : ordered.depth].sum(axis=1).tolist())
    rows = zip((ordered.relevant + ways.sum(axis=1)).tolist(), *sums, strict=True)
    counted = (Counts(each, ordered.measure.k or length, length, found, there) for each, found, there in rows)
    return [denominator(ordered.convention.denominator, each) or 1 for each in counted]


def _plain_area(ordered: OrderedRanking, way: Ways) -> Fraction:
    every = _hits(ordered, way)
    hits = every[0, : ordered.evaluated].tolist()
    rows = zip(hits, accumulate(hits), ordered.ends, strict=False)
    return sum_of_fractions(Fraction(new * count, end) for new, count, end in rows) / _divisors(ordered, way, every)[0]


def _values(ordered: OrderedRanking, ways: Ways) -> Doubles:
    """Return the value of each way in doubles, NaN where no hit is evaluated."""
    every = _hits(ordered, ways)
    has_hit = every[:, : ordered.evaluated].any(axis=1)
    return np.where(has_hit, _numbers(ordered, ways, every), np.nan) if has_hit.any() else np.full(len(ways), np.nan)


def _numbers(ordered: OrderedRanking, ways: Ways, every: Integers) -> Doubles:
    measure, convention, relevant = ordered.measure, ordered.convention, ordered.relevant + ways.sum(axis=1)
    hits, ends = every[:, : ordered.evaluated], np.array(ordered.ends[: ordered.evaluated], np.int64)
    counts = hits.cumsum(axis=1)
    if (definition := measure.family.definition) is not None:  # Bpref
        judged = sum(map(counts_as_judged(convention), ordered.ranking.judged)) + len(ordered.unjudged)
        above = np.concatenate(([0], ends[:-1])) - (counts - hits)
        of_list = {"relevant": relevant, "nonrelevant_in_qrels": judged - relevant}
        columns = {name: numbers[:, None] for name, numbers in of_list.items()}
        term = settled(definition.term, measure, convention)
        lost = compiled(term, _OPERATIONS)({**columns, "hit": 1, "nonrelevant_above": above})
        added: Doubles = (hits * lost).sum(axis=1) / np.maximum(relevant, 1)
        return added
    precisions = counts / ends
    if is_plain(ordered):
        area: Doubles = (hits * precisions).sum(axis=1) / _divisors(ordered, ways, every)
        return area
    highest = np.maximum.accumulate(precisions[:, ::-1], axis=1)[:, ::-1]
    if measure.recall is not None:
        needed = [(hits_for_level(measure.recall, each or 1, convention.recall_grid),) for each in relevant.tolist()]
        return _at_levels(highest, counts, np.array(needed))
    divisors, levels = _divisors(ordered, ways, every), INTERPOLATIONS[convention.interpolation].levels
    if levels:
        each_needed = [hits_needed(convention.recall_grid, levels, each) for each in divisors]
        return _at_levels(highest, counts, np.array(each_needed))
    envelope: Doubles = (hits * highest).sum(axis=1) / divisors
    return envelope


def _at_levels(highest: Doubles, counts: Integers, needed: Integers) -> Doubles:
    """Return the mean of the highest precisions with at least so many hits, 0 beyond."""
    rows, padded = np.arange(len(counts)), np.pad(highest, ((0, 0), (0, 1)))
    reached = [padded[rows, (counts < each[:, None]).sum(axis=1)] for each in needed.T]
    mean: Doubles = np.mean(reached, axis=0)
    return mean


def _quotient(one: Any, other: Any) -> Any:
    return np.divide(one, other, out=np.zeros(np.broadcast(one, other).shape), where=np.asarray(other) != 0)


_OPERATIONS: Mapping[Operator, Callable[..., Any]] = {
    Operator.ADD: np.add,
    Operator.SUBTRACT: np.subtract,
    Operator.MULTIPLY: np.multiply,
    Operator.DIVIDE: _quotient,
    Operator.LEAST: np.minimum,
}
