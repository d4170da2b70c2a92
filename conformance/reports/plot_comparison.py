"""`compare --plot`: how much two runs differ in each query, with the p-value, a panel a pair and measure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankspec.conformance.reports.compare import short_names
from rankspec.conformance.reports.plot_style import COLOURS, INK, named, panels, save
from rankspec.conformance.reports.score import fraction_text
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import InputError
from rankspec.oracle.significance.comparing import Compared, Comparison
from rankspec.oracle.significance.results import PValue
from rankspec.oracle.values import to_double

_MOST_PANELS = 12
_MOST_NAMED = 40
_LONGEST_FRACTION = 24


def plot_comparison(found: Mapping[Measure, Compared], path: Path) -> None:
    """Draw the differences of each pair under each measure, the largest first.

    Raises:
        InputError: there are too many pairs, matplotlib is not installed, or the file can't be written.
    """
    listed = [(measure, pair) for measure, compared in found.items() for pair in compared.pairs]
    if len(listed) > _MOST_PANELS:
        raise InputError(
            f"--plot: {len(listed)} pairs are too many for one picture ({_MOST_PANELS}); give --baseline, or less"
        )
    names = short_names(next(iter(found.values())).evaluations)
    figure, drawn = panels(len(listed), 7.2, 2.6)
    said = []
    for panel, (measure, pair) in zip(drawn, listed, strict=True):
        title = f"{measure}: {names[pair.first]} - {names[pair.second]}"
        words = f"mean {to_double(pair.paired.mean):+.4f}, {p_words(pair.p)}"
        _draw(panel, pair)
        named(panel, f"{title}; {words}", "", str(measure))
        wins = list(pair.paired.signs.values())
        said.append(f"{title}: {words}; better in {wins.count(1)} queries, worse in {wins.count(-1)}.")
    save(figure, path, "Differences of runs, query by query", " ".join(said))


def _draw(panel: Any, pair: Comparison) -> None:
    values = sorted(((to_double(each), query) for query, each in pair.paired.differences.items()), reverse=True)
    heights = [value for value, _ in values]
    panel.bar(range(len(values)), heights, color=[COLOURS[value < 0] for value in heights])
    panel.axhline(0, color=INK, linewidth=0.8)
    panel.axhline(to_double(pair.paired.mean), color=INK, linewidth=0.8, linestyle="--")
    if len(values) <= _MOST_NAMED:
        panel.set_xticks(range(len(values)), [query for _, query in values], rotation=90, fontsize=7)
    else:
        panel.set_xticks([])
        panel.set_xlabel(f"{len(values)} queries", color=INK)


def p_words(p: PValue) -> str:
    """Write a p-value and what it is: exact (with its fraction, where that is short), estimated, or of a t test."""
    if p.number is None:
        return f"p undefined ({p.undefined})"
    decimal = f"p = {to_double(p.number):.3g}"
    if p.exact is not None:
        fraction = fraction_text(p.exact)
        return f"{decimal} = {fraction}, exact" if len(fraction) <= _LONGEST_FRACTION else f"{decimal}, exact"
    return f"{decimal}, estimated" if p.sampling is not None else f"{decimal}, t test"
