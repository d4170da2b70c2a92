"""Many ways to judge one ranking's unjudged documents, of which few can have the ends of a measure's range."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.judging.ordered import Judging, OrderedRanking
from rankspec.oracle.limits import JUDGED_DOCUMENTS
from rankspec.oracle.rankings.ranking import is_judged
from rankspec.oracle.scoring.batch.evaluated import NUMBER, Outcomes
from rankspec.oracle.scoring.batch.fixed import Mask, Segments
from rankspec.oracle.scoring.batch.lists import Judged, Lists, Places
from rankspec.oracle.scoring.batch.routes import exactly
from rankspec.oracle.scoring.batch.values import outcomes_of

_AT_ONCE = 1 << 20  # Documents of lists that are evaluated together: arrays of some 100 MB


@clause("range.judgements")
def ends_by_number(given: OrderedRanking, grade: int, other: int) -> Iterator[Judging]:
    """Yield ways that may have the ends, of those that `is_by_number` names, by certified doubles.

    `other` is the grade of documents that are judged not relevant. `InputError` where all have to be evaluated exactly,
    and are too many.
    """
    unjudged, inside = given.unjudged, len(given.inside)
    first = np.tri(len(unjudged) + 1, len(unjudged), -1, np.bool_)
    one = first[: len(unjudged) - inside + 1, ::-1].copy()
    one[:, inside - 1 : inside] = True  # nothing where none is inside
    ways = np.concatenate((first, first[:, ::-1], one))
    step = max(1, _AT_ONCE // max(given.documents, 1))
    found = [_outcomes(given, ways[start : start + step], grade, other) for start in range(0, len(ways), step)]
    doubles, certain, states = (np.concatenate([getattr(each, name) for each in found]) for name in _LOOKED_AT)
    numbers = doubles[certain & (states == NUMBER)]
    ends = (numbers.min(), numbers.max()) if numbers.size else ()
    at_ends = (states == NUMBER) & np.isin(doubles, ends)
    if given.measure.family.cut is Cut.RECALL:  # different precisions have different doubles
        at_ends[np.setdiff1d(np.flatnonzero(at_ends), np.unique(doubles, return_index=True)[1])] = False
    chosen = ways[~certain | at_ends]
    if len(chosen) * given.documents > JUDGED_DOCUMENTS.most:
        listed = f"a list of {given.documents} documents would be evaluated {len(chosen)} times, which is"
        raise JUDGED_DOCUMENTS.exceeded(f"{given.measure}: no closed rule is known", listed)
    for row in chosen.tolist():
        yield {place: grade for place, is_chosen in zip(unjudged, row, strict=True) if is_chosen}


_LOOKED_AT = ("doubles", "certain", "states")


def _outcomes(given: OrderedRanking, ways: Mask, grade: int, other: int) -> Outcomes:
    """Return the values if so many ways judge."""
    ranking, count = given.ranking, len(ways)
    if exactly(given.measure, given.convention, blocks=True) is not None:
        return Outcomes.nothing(count)
    labels = [label for block in ranking.blocks for label in block]
    verdicts = np.where(ways, grade, other)
    listed = np.tile(np.array([label if is_judged(label) else 0 for label in labels], np.int64), (count, 1))
    listed[:, [not is_judged(label) for label in labels]] = verdicts
    judged = np.concatenate((np.tile(np.array(ranking.judged, np.int64), (count, 1)), verdicts), axis=1)
    sizes = np.array([*map(len, ranking.blocks)], np.int64)
    ends = np.repeat(np.array(given.ends, np.int64), sizes)
    segments, of_qrels = (Segments(np.arange(count + 1) * each.shape[1]) for each in (listed, judged))
    tops = np.tile(ends - np.repeat(sizes, sizes), count) if given.convention.ties is Ties.GROUPED else None
    places = Places(segments, np.tile(ends, count), tops, listed.ravel())
    lists = Lists(places, segments.sizes, Judged(of_qrels, judged.ravel()))
    return outcomes_of(given.measure, lists, given.convention)
