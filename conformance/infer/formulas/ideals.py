"""The grammar, last part: lists of which the same is computed, and by which is divided.

A line each: a clause, and the list. Add a line, and it is searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rankspec.conformance.infer.formulas.listing import Query, Row, Rows
from rankspec.oracle.conventions.axes import Ideal
from rankspec.oracle.conventions.axis import Setting


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


def _worst_of(rows: Rows, _: Query) -> Rows:
    return _distinct(sorted(rows, key=lambda row: row.gain))


def _best_of_judged(_: Rows, query: Query) -> Rows:
    return _distinct(_best_first(_of_judged(query))[: query.k])


def _highest_alone(length: int, query: Query) -> Rows:
    best = max(query.judged, default=0)
    return [Row(best, ("ideal", place)) for place in range(length)]


BEST_OF_JUDGED = IdealList("divides by the value of the ideal list", _best_of_judged, {"ideal": Ideal.JUDGED})
IDEALS = (
    BEST_OF_JUDGED,
    IdealList("divides by the value of the ideal list beyond the cutoff", lambda _, query: _distinct(_best_first(_of_judged(query))), {"ideal": Ideal.JUDGED_UNCUT}, cuts=True),
    IdealList("divides by the value of the ideal list of the same length", lambda rows, query: _distinct(_best_first(_of_judged(query))[: len(rows)]), {"ideal": Ideal.JUDGED_TO_LENGTH}),
    IdealList("divides by the value of the list itself in ideal order", lambda rows, _: _distinct(_best_first(rows)), {"ideal": Ideal.RETRIEVED_TOP}),
    IdealList("divides by the value of the uncut list in ideal order", lambda _, query: _distinct(_best_first(list(query.rows))[: query.k]), {"ideal": Ideal.RETRIEVED}, cuts=True),
    IdealList("divides by the value of the judgments as they come, not in ideal order", lambda _, query: _distinct(_of_judged(query)[: query.k])),
    IdealList("divides by the value of the judgments with the lowest grade first", lambda _, query: _distinct(_best_first(_of_judged(query))[::-1][: query.k])),
    IdealList("divides by the value of as many documents of the highest grade", lambda rows, query: _highest_alone(len(rows), query)),
    IdealList("divides by the value of k documents of the highest grade", lambda _, query: _highest_alone(query.limit, query), cuts=True),
    IdealList("divides by the value of R documents of the highest grade", lambda _, query: _highest_alone(query.relevant, query)),
    IdealList("divides by the value of min(R, k) documents of grade 1", lambda _, query: [Row(1, ("ideal", place)) for place in range(min(query.relevant, query.limit))]),
    IdealList("takes (value - worst)/(ideal - worst): 0 is the value of the list in the worst order", _best_of_judged, above=_worst_of),
    IdealList("takes (value - worst)/(best - worst) of the list itself, in the worst and in the best order", lambda rows, _: _distinct(_best_first(rows)), above=_worst_of),
    IdealList("takes (value - worst)/(ideal - worst), the ideal list as long as the list", lambda rows, query: _distinct(_best_first(_of_judged(query))[: len(rows)]), above=_worst_of),
)  # fmt: skip
