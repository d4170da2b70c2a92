"""What there is of every measure, as a table for people and as plain data for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rankspec.conformance.atlas.measure_coverage import NO_LIBRARY, MeasureCoverage
from rankspec.conformance.reports.console import plain_table
from rich.console import Group, RenderableType
from rich.text import Text

_FEW = 2
"""Libraries that are named; the others are counted."""


def measures_data(measures: Sequence[MeasureCoverage]) -> dict[str, Any]:
    """Return what there is of every measure as `fixtures coverage --json` has it."""
    return {
        each.name: {**asdict(each), "no_library": NO_LIBRARY.get(each.name), "holes": list(each.holes())}
        for each in measures
    }


def measures_report(measures: Sequence[MeasureCoverage]) -> RenderableType:
    """Return what there is of every measure, with the holes at the end."""
    table = plain_table("measure", "clauses", "cases", "naive twin", "explained", "libraries asked")
    for each in measures:
        twin = {None: "no tests here", True: "yes", False: "no"}[each.has_twin]
        cells = (str(len(each.clauses)), str(each.cases), twin, "yes" if each.is_explained else "no")
        table.add_row(each.name, *cells, _libraries(each))
    holes = [hole for each in measures for hole in each.holes()]
    ending = [Text(hole, style="red") for hole in holes] or [Text("no measure without one of these")]
    return Group(table, Text(), *ending, Text())


def _libraries(each: MeasureCoverage) -> str:
    if not each.asked:
        return f"none: {NO_LIBRARY[each.name]}" if each.name in NO_LIBRARY else "none"
    more = len(each.asked) - _FEW
    return ", ".join(each.asked[:_FEW]) + (f" and {more} more" if more > 0 else "")
