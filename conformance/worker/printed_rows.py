"""What a program printed in trec_eval's three columns (measure, query, value), read as an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rankspec.conformance.worker.messages import Answer, Unusable, Value, Values, WireNumber
from rankspec.conformance.worker.trec_names import row_names
from rankspec.conformance.worker.values import PRINTED, one_line, short

ALL = "all"
"""What stands in the second column for the whole set."""

_COLUMNS = 3
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf|infinity)", re.ASCII | re.IGNORECASE)
_MOST_NAMED = 8


class _Row(NamedTuple):
    measure: str
    query: str
    value: str


def read_rows(printed: str, expression: str) -> Answer:
    """Read the values of a measure.

    The rows of the measure are those under one of its names. If there are none, but all rows with a number are of
    one measure, they are taken, whatever it is called. Lines that are not three columns are ignored.
    """
    rows = [_Row(*columns) for line in printed.splitlines() if len(columns := line.split()) == _COLUMNS]
    chosen = _chosen(rows, row_names(expression))
    if not chosen:
        return Unusable(_why_none(rows, expression))
    if unreadable := next((row for row in chosen if not _NUMBER.fullmatch(row.value)), None):
        return Unusable(
            f"it printed for {unreadable.measure} of {unreadable.query} {short(unreadable.value)}, no number"
        )
    values: dict[str, str] = {}
    for row in chosen:
        if values.setdefault(row.query, row.value) != row.value:
            other = values[row.query]
            return Unusable(f"it printed for {row.measure} of {row.query} both {other} and {row.value}")
    overall = values.pop(ALL, None)
    if not values and overall is not None:
        return Value(WireNumber(overall, PRINTED))
    queries = tuple((query, WireNumber(value, PRINTED)) for query, value in values.items())
    return Values(queries, None if overall is None else WireNumber(overall, PRINTED))


def _chosen(rows: Sequence[_Row], names: Iterable[str]) -> list[_Row]:
    for name in names:
        if found := [row for row in rows if row.measure == name]:
            return found
    numeric = [row for row in rows if _NUMBER.fullmatch(row.value)]
    return numeric if len({row.measure for row in numeric}) == 1 else []


def _why_none(rows: Sequence[_Row], expression: str) -> str:
    if not rows:
        return "it printed no row of three columns (measure, query, value)"
    printed = list(dict.fromkeys(row.measure for row in rows))
    listed = ", ".join(printed[:_MOST_NAMED]) + (", ..." if len(printed) > _MOST_NAMED else "")
    return one_line(f"it printed no row of {row_names(expression)[0]}, but {listed}", 300)
