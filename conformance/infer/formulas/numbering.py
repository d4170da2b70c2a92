"""The grammar, second part: how ranks and hits are counted on a list.

A line each: words, and the numbers. Add a line, and it is searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from rankspec.conformance.infer.formulas.listing import Rows, ties


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
    Numbering("ranks are counted from 0", lambda rows: (range(len(rows)), _hits(rows))),
    Numbering("ranks are counted from 2", lambda rows: ([rank + 1 for rank in _ranks(rows)], _hits(rows))),
    Numbering("odd ranks are taken for the even one before", lambda rows: ([max(rank // 2 * 2, 1) for rank in _ranks(rows)], _hits(rows))),
    Numbering("even ranks are taken for the odd one before", lambda rows: ([(rank - 1) // 2 * 2 + 1 for rank in _ranks(rows)], _hits(rows))),
    Numbering("two documents share a rank", lambda rows: ([(rank + 1) // 2 for rank in _ranks(rows)], _hits(rows))),
    Numbering("ranks are counted from the end of the list", lambda rows: (range(len(rows), 0, -1), _hits(rows))),
    Numbering("the rank counts the misses above, and one more", lambda rows: ([r - c + int(row.gain > 0) for r, c, row in zip(_ranks(rows), _hits(rows), rows, strict=True)], _hits(rows))),
    Numbering("hits are counted without the one at hand", lambda rows: (_ranks(rows), [c - int(row.gain > 0) for c, row in zip(_hits(rows), rows, strict=True)])),
    Numbering("hits are counted from one too many", lambda rows: (_ranks(rows), [hits + 1 for hits in _hits(rows)])),
    *(
        Numbering(f"hits are counted anew after {after}", lambda rows, n=wanted: (_ranks(rows), _anew(rows, n)))  # type: ignore[misc]
        for wanted, after in ((1, "a miss"), (2, "2 misses in a row"), (3, "3 misses in a row"), (4, "4 misses in a row"), (5, "5 misses in a row"), (10, "10 misses in a row"))
    ),
    Numbering("hits that stand next to each other count as one", lambda rows: (_ranks(rows), _run_numbers(rows))),
    Numbering("grades are added up where hits are to be counted", lambda rows: (_ranks(rows), list(accumulate(row.gain for row in rows)))),
    Numbering("documents of equal score have the rank of the first of them, and of its hits", _of_ties(_best, _best), of_ties=True),
    Numbering("documents of equal score have the mean of their ranks, among the hits as well", _of_ties(_middle, _middle), of_ties=True),
    Numbering("documents of equal score have the rank of the last of them, and its hits", _of_ties(_worst, _worst), of_ties=True),
    Numbering("documents of equal score have the rank of the first of them, hits are counted one by one", _of_ties(_best, None), of_ties=True),
    Numbering("documents of equal score have the mean of their ranks, hits are counted one by one", _of_ties(_middle, None), of_ties=True),
    Numbering("documents of equal score have the rank of the last of them, hits are counted one by one", _of_ties(_worst, None), of_ties=True),
    Numbering("documents of equal score have the rank of the first of them, and all hits among them count", _of_ties(_best, _worst), of_ties=True),
    Numbering("documents of equal score have the rank of the last of them, and the first of their hits counts", _of_ties(_worst, _best), of_ties=True),
    Numbering("ranks count levels of score, not documents", _dense, of_ties=True),
)  # fmt: skip
