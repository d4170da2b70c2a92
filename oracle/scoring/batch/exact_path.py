"""The exact path: one query's list as the oracle's `Ranking`, and what the oracle makes of it.

The oracle's measures are loaded when the first value needs them: of a run, hardly any does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby

from rankspec.oracle.conventions.convention import Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.rankings.ordering import label_of
from rankspec.oracle.rankings.ranking import Block, Label, Ranking
from rankspec.oracle.scoring.batch.lists import Lists
from rankspec.oracle.values import Exact

RankingOf = Callable[[int], Ranking]  # Query, by its place in the batch -> its ranking


def exact_value(ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return the oracle's value of one list."""
    from rankspec.oracle.measures.values import value_of

    return value_of(ranking, measure, convention)


def exact_mean(values: Iterable[Exact], convention: Convention) -> Exact:
    """Return the oracle's mean of queries' values; `UndefinedValueError` for none under `error`."""
    from rankspec.oracle.evaluation import aggregate_exactly

    return aggregate_exactly(values, convention)


def rankings_of(lists: Lists, convention: Convention) -> RankingOf:
    """Return a function from queries to rankings: documents that the qrels do not name stand alone and unjudged."""
    rule = convention.negative_grades

    def ranking_of(query: int) -> Ranking:
        places = lists.places
        judged = lists.judged.whole
        mine = slice(*places.segments.starts[query : query + 2].tolist())
        ranks = places.ranks[mine].tolist()
        tops = [rank - 1 for rank in ranks] if places.tops is None else places.tops[mine].tolist()
        retrieved, every = (of.grades if of.objects is None else of.objects for of in (places, judged))
        labels = [label_of(grade, rule) for grade in retrieved[mine].tolist()]
        of_qrels = slice(*judged.segments.starts[query : query + 2].tolist())
        blocks = _blocks(list(zip(tops, ranks, labels, strict=True)), int(lists.lengths[query]))
        return Ranking(tuple(blocks), tuple(every[of_qrels].tolist()))

    return ranking_of


def _blocks(known: list[tuple[int, int, Label]], length: int) -> list[Block]:
    blocks: list[Block] = []
    above = 0
    for (top, end), together in groupby(known, key=lambda place: place[:2]):
        labels = [label for _, _, label in together]
        blocks += [(None,)] * (top - above)
        blocks.append((*labels, *(None,) * (end - top - len(labels))))
        above = end
    return blocks + [(None,)] * (length - above)
