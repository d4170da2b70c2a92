"""What the page "compare two libraries" answers from: rows, what parts any two of them, and the words for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankspec.conformance.answers.library import ARBITRARY, words
from rankspec.conformance.atlas.entries import Row, entries_of
from rankspec.conformance.atlas.pairs import compared_as, shipped_pairs
from rankspec.conformance.reports.cases import with_decimal
from rankspec.conformance.site.records import anchor, slug
from rankspec.oracle.conventions.convention import AXES, parse_setting

_NO_ORDER = "in no fixed order"
"""How records say that ties follow no rule; no value of the axis."""


def which_two(rows: Iterable[Row]) -> dict[str, Any]:
    """Return all of it as plain data: `rows`; `shown`, by measure, convention, axis and value; `phrases`; `axes`."""
    listed = [row for entry in entries_of(rows) for row in entry.rows]
    values = {(axis, value) for row in listed for axis, seen in row.found.axes.items() for value in seen}
    return {
        "rows": [_row(row) for row in listed],
        "shown": {
            f"{each.measure}|{each.under}|{each.axis}|{each.value}": [
                found.input,
                *map(with_decimal, found.values or ()),
            ]
            for each, found in shipped_pairs().items()
            if found.input is not None
        },
        "phrases": {f"{axis}|{value}": _phrase(axis, value) for axis, value in sorted(values)}
        | {f"ties|{_NO_ORDER}": ARBITRARY},
        "axes": {axis: AXES[axis].meaning for axis, _ in sorted(values)},
    }


def _row(row: Row) -> dict[str, Any]:
    compared = compared_as(row.found)
    found = row.found
    return {
        "library": row.library,
        "name": " ".join(filter(None, (row.library, row.versions, row.adapter and f"({row.adapter})"))),
        "spec": found.spec,
        "measure": f"{row.family}@k" if "@" in found.measure else found.measure,
        "asked": found.measure,
        "href": f"libraries/{slug(row)}.html#{anchor(row)}",
        "words": words(found),
        "measured": "" if compared is None else str(compared[0]),
        "under": "" if compared is None else compared[1],
        "axes": _axes(row) if compared else {},
        "deviations": [text for text in found.deviations if _NO_ORDER not in text],
        "hidden": found.not_observable,
        "smallest": found.smallest and [found.smallest.input, found.smallest.got, found.smallest.exact],
    }


def _axes(row: Row) -> dict[str, tuple[str, ...]]:
    found = row.found
    seen = {axis: found.axes[axis] for axis in found.axes if found.cell(axis)}
    return seen | ({"ties": (_NO_ORDER,)} if found.cell("ties") == _NO_ORDER else {})


def _phrase(axis: str, value: str) -> str:
    return AXES[axis].phrase(parse_setting(axis, value))
