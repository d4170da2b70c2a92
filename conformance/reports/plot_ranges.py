"""`score --range --plot`: how far each query's value goes, and the value under the convention in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rankspec.conformance.reports.plot_style import COLOURS, INK, named, panels, save
from rankspec.conformance.reports.score import Scores
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import InputError
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.values import Exact, Undefined, to_double

_MOST_QUERIES = 40
_MOST_PANELS = 4
_SET = "all queries"


class Interval(NamedTuple):
    """A query, the ends of its range, and its value."""

    query: str
    low: float
    high: float
    value: float | None


def intervals(found: Scores, measure: Measure) -> list[Interval]:
    """Return the ranges of the queries that count, the widest first, then by name; those that are no numbers not."""
    values = found.evaluations[measure].exact_per_query
    listed = [
        Interval(query, to_double(each.low), to_double(each.high), _number(values.get(query)))
        for query, each in found.ranges[measure].per_query.items()
        if not isinstance(each.low, Undefined) and not isinstance(each.high, Undefined)
    ]
    return sorted(listed, key=lambda each: (each.low - each.high, each.query))


def plot_ranges(found: Scores, path: Path) -> None:
    """Draw an interval a query and one for the set, a panel a measure.

    Raises:
        InputError: there are too many measures, nothing to draw, no matplotlib, or the file can't be written.
    """
    if len(found.ranges) > _MOST_PANELS:
        raise InputError(
            f"--plot: {len(found.ranges)} measures are too many for one picture; give {_MOST_PANELS} at most"
        )
    by_measure = {measure: intervals(found, measure) for measure in found.ranges}
    if not any(by_measure.values()):
        raise InputError("--plot: no query has a range of numbers")
    shown = {measure: listed[:_MOST_QUERIES] for measure, listed in by_measure.items()}
    most = max(map(len, shown.values()))
    figure, drawn = panels(len(shown), 5.2, 1.4 + 0.2 * (most + 1), across=True)
    for panel, (measure, listed) in zip(drawn, shown.items(), strict=True):
        _draw(panel, found, measure, listed[::-1])
        left = len(by_measure[measure]) - len(listed)
        more = f" ({left} narrower ones are not shown)" if left else ""
        named(panel, f"{measure}: range over {found.range_over}{more}", str(measure))
    under = f"dots: under {convention_text(found.convention)}"
    figure.supxlabel(under, x=0.01, ha="left", fontsize=8, color=INK)
    save(figure, path, f"Ranges over {found.range_over}", _words(by_measure, found))


def _draw(panel: Any, found: Scores, measure: Measure, listed: list[Interval]) -> None:
    rows = list(listed)
    whole = found.ranges[measure].whole
    if not isinstance(whole.low, Undefined) and not isinstance(whole.high, Undefined):
        rows.append(
            Interval(_SET, to_double(whole.low), to_double(whole.high), _number(found.evaluations[measure].exact))
        )
    colours = [COLOURS[each.query == _SET] for each in rows]
    lows, highs = [each.low for each in rows], [each.high for each in rows]
    panel.hlines(range(len(rows)), lows, highs, color=colours, linewidth=4, alpha=0.6)
    panel.plot(lows, range(len(rows)), "|", color=INK)
    panel.plot(highs, range(len(rows)), "|", color=INK)
    points = [(each.value, place) for place, each in enumerate(rows) if each.value is not None]
    if points:
        panel.plot(*zip(*points, strict=True), ".", color=INK)
    panel.set_yticks(range(len(rows)), [each.query for each in rows], fontsize=8)
    panel.grid(axis="y", color=INK, alpha=0.2)


def _number(value: Exact | None) -> float | None:
    return None if value is None or isinstance(value, Undefined) else to_double(value)


def _words(by_measure: Mapping[Measure, list[Interval]], found: Scores) -> str:
    said = []
    for measure, listed in by_measure.items():
        open_ones = [each for each in listed if each.low < each.high]
        widest = f", the widest {_ends(open_ones[0])} ({open_ones[0].query})" if open_ones else ""
        low, high = found.ranges[measure].whole.low, found.ranges[measure].whole.high
        whole = f"; all queries {to_double(low):.4f} to {to_double(high):.4f}"
        said.append(f"{measure}: {len(open_ones)} of {len(listed)} queries are open{widest}{whole}.")
    return " ".join(said)


def _ends(interval: Interval) -> str:
    return f"{interval.low:.4f} to {interval.high:.4f}"
