"""The grammar, first part: which list is looked at, and where it is cut off.

A line each: words, and what is done. Add a line, and it is searched for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from rankspec.conformance.infer.formulas.listing import Query, Row, Rows, ties


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
    Edit("the first document is lost", lambda rows, _: rows[1:]),
    Edit("the last document is lost", lambda rows, _: rows[:-1]),
    Edit("the first hit is taken for a miss", lambda rows, _: _unhit(rows, _nth(rows, 1, hit=True))),
    Edit("the last hit is taken for a miss", lambda rows, _: _unhit(rows, _last_hit(rows))),
    Edit("of hits that stand next to each other only the first counts", lambda rows, _: _runs(rows, 0, removed=False)),
    Edit("of hits that stand next to each other only the last counts", lambda rows, _: _runs(rows, -1, removed=False)),
    Edit("hits that stand next to each other are merged into one", lambda rows, _: _runs(rows, 0, removed=True)),
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
    Edit("the list ends after R hits, and R misses", ending(lambda rows, query: _nth(rows, query.relevant, hit=False))),
    Edit("the list ends once half of R is found", lambda rows, query: _after_hits(rows, (query.relevant + 1) // 2)),
    Edit("only every other document is looked at, from the first", lambda rows, _: rows[::2]),
    Edit("only every other document is looked at, from the second", lambda rows, _: rows[1::2]),
    Edit("hits at even ranks are misses", lambda rows, _: [Row(r.gain * (1 - n % 2), r.score) for n, r in enumerate(rows)]),
    Edit("hits at odd ranks are misses", lambda rows, _: [Row(r.gain * (n % 2), r.score) for n, r in enumerate(rows)]),
    Edit("the list ends at its last hit", _up_to_last_hit),
    Edit("the list begins at its first hit", lambda rows, _: rows[_nth(rows, 1, hit=True) or 0 :]),
    Edit("misses are dropped", lambda rows, _: [row for row in rows if row.gain > 0]),
    Edit("hits and misses are exchanged", lambda rows, _: [Row(int(row.gain == 0), row.score) for row in rows]),
    Edit("the first document is taken for a hit", lambda rows, _: [Row(max(r.gain, n == 0), r.score) for n, r in enumerate(rows)]),
    Edit("the first and the last document are exchanged", lambda rows, _: [*rows[-1:], *rows[1:-1], *rows[:1]] if len(rows) > 1 else rows),
    Edit("grades are put in order, the highest first", lambda rows, _: sorted(rows, key=lambda row: -row.gain)),
    Edit("a list shorter than R is filled up with misses", lambda rows, query: _padded(rows, query.relevant)),
    Edit("a short list is filled up with misses to k", lambda rows, query: _padded(rows, query.limit), cuts=True),
)  # fmt: skip
"""Before the cutoff, or after it."""

FIRST_K = Edit("", lambda rows, query: rows[: query.k])
FIRST_R = Edit("", lambda rows, query: rows[: query.relevant])
"""What R-precision looks at."""

IGNORED = Edit("it ignores the cutoff", lambda rows, _: rows, cuts=True)

CUTS = (
    Edit("it cuts off after k - 1 documents", lambda rows, query: rows[: query.limit - 1], cuts=True),
    Edit("it cuts off after k + 1 documents", lambda rows, query: rows[: query.limit + 1], cuts=True),
    Edit("it cuts off after 2k documents", lambda rows, query: rows[: 2 * query.limit], cuts=True),
    Edit("it cuts off after k/2 documents, rounded down", lambda rows, query: rows[: query.limit // 2], cuts=True),
    Edit("it cuts off after k/2 documents, rounded up", lambda rows, query: rows[: (query.limit + 1) // 2], cuts=True),
    Edit("it cuts off after an even number of documents, k or k - 1", lambda rows, query: rows[: query.limit // 2 * 2], cuts=True),
    Edit("it cuts off after max(k, R) documents", lambda rows, query: rows[: max(query.limit, query.relevant)], cuts=True),
    Edit("it cuts off after min(k, R) documents", lambda rows, query: rows[: min(query.limit, query.relevant)], cuts=True),
    Edit("it cuts off after k + R documents", lambda rows, query: rows[: query.limit + query.relevant], cuts=True),
    Edit("it cuts off after k hits, not after k documents", lambda rows, query: _after_hits(rows, query.limit), cuts=True),
    Edit("it cuts off at the k-th miss, not after k documents", ending(lambda rows, query: _nth(rows, query.limit, hit=False)), cuts=True),
    Edit("it keeps a tie whole into which the cutoff falls", lambda rows, query: _whole_ties(rows, query.limit, kept=True), cuts=True, of_ties=True),
    Edit("it drops a tie whole into which the cutoff falls", lambda rows, query: _whole_ties(rows, query.limit, kept=False), cuts=True, of_ties=True),
    Edit("it looks at the last k documents", lambda rows, query: rows[max(0, len(rows) - query.limit) :], cuts=True),
    IGNORED,
    Edit("it looks at the first R documents", FIRST_R.of),
    Edit("it looks at the first R + 1 documents", lambda rows, query: rows[: query.relevant + 1]),
    Edit("it looks at the first R - 1 documents", lambda rows, query: rows[: max(0, query.relevant - 1)]),
    Edit("it looks at the first 2R documents", lambda rows, query: rows[: 2 * query.relevant]),
    Edit("it looks at the first half of the list", lambda rows, _: rows[: (len(rows) + 1) // 2]),
)  # fmt: skip
