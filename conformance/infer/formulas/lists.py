"""The grammar of lists: which documents a formula looks at, how ranks and hits are counted, and ideal lists to divide by.

A line each: words, and what is done. Add a line, and it is searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, groupby
from typing import Any, NamedTuple

from rankspec.oracle.conventions.axes import Ideal, Unjudged
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.rankings.ranking import Label, Ranking, is_judged, is_relevant


class Row(NamedTuple):
    """A document in a list.

    Attributes:
        gain: its grade, 0 if it is not relevant; 1 for all relevant ones where grades are no gains.
        score: documents next to each other with an equal one are tied.
    """

    gain: int
    score: Any


Rows = list[Row]


@dataclass(frozen=True)
class Query:
    """A query's list before any cutoff.

    Attributes:
        judged: the gains of all that was judged, in the order of the judgments.
        k: the cutoff.
    """

    rows: tuple[Row, ...]
    judged: tuple[int, ...]
    k: int | None

    @cached_property
    def relevant(self) -> int:
        """R, the relevant documents."""
        return sum(gain > 0 for gain in self.judged)

    @property
    def limit(self) -> int:
        """The cutoff, or the length of a list without one."""
        return len(self.rows) if self.k is None else self.k


def query_of(ranking: Ranking, measure: Measure, convention: Convention) -> Query:
    """Return what is left of a ranking: removed documents are gone, the cutoff is still to come."""
    scores = ranking.scores or tuple(range(len(ranking.blocks)))
    removes = convention.unjudged is Unjudged.REMOVED
    levels = {score: level for level, score in enumerate(dict.fromkeys(scores))}
    rows = tuple(
        Row(_gain(label, measure), levels[score])
        for block, score in zip(ranking.blocks, scores, strict=True)
        for label in block
        if is_judged(label) or not removes
    )
    return Query(rows, tuple(_gain(grade, measure) for grade in ranking.judged), measure.k)


def _gain(label: Label, measure: Measure) -> int:
    if measure.is_graded:
        return label if is_judged(label) and label > 0 else 0
    return int(is_relevant(label, measure.rel))


def ties(rows: Rows) -> Iterator[list[int]]:
    """Yield the places of each group of equal scores."""
    for _, group in groupby(range(len(rows)), key=lambda place: rows[place].score):
        yield list(group)


@dataclass(frozen=True, eq=False)
class Edit:
    """What becomes of a list.

    Attributes:
        words: a clause that says it; empty for what is plain.
        of: the list that is left of a list of a query.
        cuts: it is about the cutoff, and means nothing where there is none.
        of_ties: it differs from the plain one in ties alone.
    """

    words: str
    of: Callable[[Rows, Query], Rows]
    cuts: bool = False
    of_ties: bool = False


def ending(is_end: Callable[[Rows, Query], int | None]) -> Callable[[Rows, Query], Rows]:
    """Return the list before the place where it ends."""
    return lambda rows, query: rows[: is_end(rows, query)]


def _nth(rows: Rows, wanted: int, *, hit: bool) -> int | None:
    """Return the place of the nth hit, or miss; None if there are fewer."""
    places = [place for place, row in enumerate(rows) if (row.gain > 0) is hit]
    return places[wanted - 1] if 0 < wanted <= len(places) else None


def _after_hits(rows: Rows, wanted: int) -> Rows:
    place = _nth(rows, wanted, hit=True)
    return rows if place is None else rows[: place + 1]


def _after_gap(rows: Rows, wanted: int) -> Rows:
    misses = 0
    for place, row in enumerate(rows):
        misses = 0 if row.gain > 0 else misses + 1
        if misses == wanted:
            return rows[: place + 1]
    return rows


def _runs(rows: Rows, kept: int, *, removed: bool) -> Rows:
    """Return the list with one hit of every run of hits; the others become misses, or are removed."""
    found: Rows = []
    for is_hit, run in groupby(rows, key=lambda row: row.gain > 0):
        same = list(run)
        stays = kept % len(same)
        for place, row in enumerate(same):
            if not is_hit or place == stays:
                found.append(row)
            elif not removed:
                found.append(Row(0, row.score))
    return found


def _unhit(rows: Rows, place: int | None) -> Rows:
    if place is None:
        return rows
    return [Row(0, row.score) if each == place else row for each, row in enumerate(rows)]


def _padded(rows: Rows, length: int) -> Rows:
    return [*rows, *(Row(0, ("padding", place)) for place in range(length - len(rows)))]


def _last_hit(rows: Rows) -> int | None:
    return max((place for place, row in enumerate(rows) if row.gain > 0), default=None)


def _up_to_last_hit(rows: Rows, _: Query) -> Rows:
    last = _last_hit(rows)
    return rows if last is None else rows[: last + 1]


def _whole_ties(rows: Rows, limit: int, *, kept: bool) -> Rows:
    found: Rows = []
    for group in ties(rows):
        if len(found) >= limit or (not kept and len(found) + len(group) > limit):
            break
        found += [rows[place] for place in group]
    return found


PLAIN_LIST = Edit("", lambda rows, _: rows)

EDITS = (
    Edit("the list is read from its end", lambda rows, _: rows[::-1]),
    Edit("the first document is left out", lambda rows, _: rows[1:]),
    Edit("the last document is left out", lambda rows, _: rows[:-1]),
    Edit("the last hit counts as a miss", lambda rows, _: _unhit(rows, _last_hit(rows))),
    Edit("only the first of adjacent hits counts", lambda rows, _: _runs(rows, 0, removed=False)),
    Edit("only the last of adjacent hits counts", lambda rows, _: _runs(rows, -1, removed=False)),
    Edit("adjacent hits are merged into one", lambda rows, _: _runs(rows, 0, removed=True)),
    *(
        Edit(f"the list ends at the {nth} miss", ending(lambda rows, _, wanted=wanted: _nth(rows, wanted, hit=False)))  # type: ignore[misc]
        for wanted, nth in ((1, "first"), (2, "second"), (3, "third"), (4, "fourth"), (5, "fifth"), (10, "tenth"))
    ),
    *(
        Edit(f"the list ends after {wanted} misses in a row", lambda rows, _, wanted=wanted: _after_gap(rows, wanted))  # type: ignore[misc]
        for wanted in (2, 3, 4, 5, 10, 20)
    ),
    *(
        Edit(f"the list ends after {wanted} hit{'s' * (wanted > 1)}", lambda rows, _, n=wanted: _after_hits(rows, n))  # type: ignore[misc]
        for wanted in (1, 2, 3, 4, 5, 10)
    ),
    Edit("the list ends at its last hit", _up_to_last_hit),
    Edit("the list begins at its first hit", lambda rows, _: rows[_nth(rows, 1, hit=True) or 0 :]),
    Edit("the list is sorted by grade, the highest first", lambda rows, _: sorted(rows, key=lambda row: -row.gain)),
    Edit("a short list is filled up with misses to k", lambda rows, query: _padded(rows, query.limit), cuts=True),
)  # fmt: skip
"""Before the cutoff, or after it."""

FIRST_K = Edit("", lambda rows, query: rows[: query.k])
FIRST_R = Edit("", lambda rows, query: rows[: query.relevant])
"""What R-precision looks at."""

CUTS = (
    Edit("it cuts off after an even number of documents, k or k - 1", lambda rows, query: rows[: query.limit // 2 * 2], cuts=True),
    Edit("it cuts off after max(k, R) documents", lambda rows, query: rows[: max(query.limit, query.relevant)], cuts=True),
    Edit("it cuts off after min(k, R) documents", lambda rows, query: rows[: min(query.limit, query.relevant)], cuts=True),
    Edit("it cuts off after k hits, not after k documents", lambda rows, query: _after_hits(rows, query.limit), cuts=True),
    Edit("it keeps all documents of a tie at the cutoff", lambda rows, query: _whole_ties(rows, query.limit, kept=True), cuts=True, of_ties=True),
    Edit("it drops all documents of a tie at the cutoff", lambda rows, query: _whole_ties(rows, query.limit, kept=False), cuts=True, of_ties=True),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Numbering:
    """How places are counted: the rank i of each document, and c, the hits down to it.

    Attributes:
        of: i and c of each document.
        of_ties: it differs from the plain one in ties alone.
    """

    words: str
    of: Callable[[Rows], tuple[Sequence[float], Sequence[float]]]
    of_ties: bool = False


def _hits(rows: Rows) -> list[int]:
    return list(accumulate(int(row.gain > 0) for row in rows))


def _ranks(rows: Rows) -> range:
    return range(1, len(rows) + 1)


def _anew(rows: Rows, wanted: int) -> list[int]:
    """Count hits anew after so many misses in a row."""
    found: list[int] = []
    hits = misses = 0
    for row in rows:
        misses = 0 if row.gain > 0 else misses + 1
        hits = 0 if misses >= wanted else hits + int(row.gain > 0)
        found.append(hits)
    return found


def _run_numbers(rows: Rows) -> list[int]:
    before = [False, *(row.gain > 0 for row in rows)]
    return list(accumulate(int(row.gain > 0 and not prior) for row, prior in zip(rows, before, strict=False)))


def _of_ties(
    rank: Callable[[int, int], float] | None, count: Callable[[int, int], float] | None
) -> Callable[[Rows], tuple[Sequence[float], Sequence[float]]]:
    """Number a tie as a whole: by what is above it, and by its size; its hits by the hits above it, and in it."""

    def numbered(rows: Rows) -> tuple[Sequence[float], Sequence[float]]:
        ranks: list[float] = list(_ranks(rows))
        counts: list[float] = list(_hits(rows))
        above = 0
        for group in ties(rows):
            hits = sum(rows[place].gain > 0 for place in group)
            for place in group:
                ranks[place] = ranks[place] if rank is None else rank(group[0], len(group))
                counts[place] = counts[place] if count is None else count(above, hits)
            above += hits
        return ranks, counts

    return numbered


def _best(above: int, _: int) -> float:
    return above + 1


def _worst(above: int, size: int) -> float:
    return above + size


def _middle(above: int, size: int) -> float:
    return above + (size + 1) / 2


def _dense(rows: Rows) -> tuple[Sequence[float], Sequence[float]]:
    ranks = [number for number, group in enumerate(ties(rows), start=1) for _ in group]
    return ranks, _hits(rows)


PLAIN_NUMBERING = Numbering("", lambda rows: (_ranks(rows), _hits(rows)))

NUMBERINGS = (
    Numbering("odd ranks count as the even rank before", lambda rows: ([max(rank // 2 * 2, 1) for rank in _ranks(rows)], _hits(rows))),
    Numbering("even ranks count as the odd rank before", lambda rows: ([(rank - 1) // 2 * 2 + 1 for rank in _ranks(rows)], _hits(rows))),
    *(
        Numbering(f"the count of hits restarts after {after}", lambda rows, n=wanted: (_ranks(rows), _anew(rows, n)))  # type: ignore[misc]
        for wanted, after in ((1, "a miss"), (2, "2 misses in a row"), (3, "3 misses in a row"), (4, "4 misses in a row"), (5, "5 misses in a row"), (10, "10 misses in a row"))
    ),
    Numbering("adjacent hits count as one", lambda rows: (_ranks(rows), _run_numbers(rows))),
    Numbering("it adds up grades instead of counting hits", lambda rows: (_ranks(rows), list(accumulate(row.gain for row in rows)))),
    Numbering("tied documents have the rank and the hit count of the first", _of_ties(_best, _best), of_ties=True),
    Numbering("tied documents have the mean of their ranks and of their hit counts", _of_ties(_middle, _middle), of_ties=True),
    Numbering("tied documents have the rank and the hit count of the last", _of_ties(_worst, _worst), of_ties=True),
    Numbering("tied documents have the rank of the first; hits are counted one by one", _of_ties(_best, None), of_ties=True),
    Numbering("tied documents have the mean of their ranks; hits are counted one by one", _of_ties(_middle, None), of_ties=True),
    Numbering("tied documents have the rank of the last; hits are counted one by one", _of_ties(_worst, None), of_ties=True),
    Numbering("tied documents have the rank of the first and the hit count of the last", _of_ties(_best, _worst), of_ties=True),
    Numbering("tied documents have the rank of the last and the hit count of the first", _of_ties(_worst, _best), of_ties=True),
    Numbering("ranks count distinct scores, not documents", _dense, of_ties=True),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class IdealList:
    """A list of which the same is computed, and by which is divided.

    Attributes:
        of: the list, of what is looked at of a query, and the query.
        above: the same of this list is taken off first, from both.
    """

    words: str
    of: Callable[[Rows, Query], Rows]
    settings: Mapping[str, Setting] = field(default_factory=dict)
    above: Callable[[Rows, Query], Rows] | None = None
    cuts: bool = False


def _best_first(gains: Rows) -> Rows:
    return sorted((row for row in gains if row.gain > 0), key=lambda row: -row.gain)


def _of_judged(query: Query) -> Rows:
    return [Row(gain, ("ideal", place)) for place, gain in enumerate(query.judged)]


def _distinct(rows: Rows) -> Rows:
    return [Row(row.gain, ("ideal", place)) for place, row in enumerate(rows)]


def _best_of_judged(_: Rows, query: Query) -> Rows:
    return _distinct(_best_first(_of_judged(query))[: query.k])


BEST_OF_JUDGED = IdealList("it divides by the value of the ideal list", _best_of_judged, {"ideal": Ideal.JUDGED})
IDEALS = (
    BEST_OF_JUDGED,
    IdealList("it divides by the value of the ideal list beyond the cutoff", lambda _, query: _distinct(_best_first(_of_judged(query))), {"ideal": Ideal.JUDGED_UNCUT}, cuts=True),
    IdealList("it divides by the value of the ideal list of the same length", lambda rows, query: _distinct(_best_first(_of_judged(query))[: len(rows)]), {"ideal": Ideal.JUDGED_TO_LENGTH}),
    IdealList("it divides by the value of the list itself in ideal order", lambda rows, _: _distinct(_best_first(rows)), {"ideal": Ideal.RETRIEVED_TOP}),
    IdealList("it divides by the value of the uncut list in ideal order", lambda _, query: _distinct(_best_first(list(query.rows))[: query.k]), {"ideal": Ideal.RETRIEVED}, cuts=True),
    IdealList("it divides by the value of min(R, k) documents of grade 1", lambda _, query: [Row(1, ("ideal", place)) for place in range(min(query.relevant, query.limit))]),
    IdealList("it returns (value - worst)/(ideal - worst), where worst is the value of the worst order", _best_of_judged, above=lambda rows, _: _distinct(sorted(rows, key=lambda row: row.gain))),
)  # fmt: skip
