"""Pictures that matplotlib, an extra, draws: legible on a light and on a dark page, with words for those who can't see.

Nothing is drawn behind a picture; ink and colours are of such lightness that they are seen on white and on black.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from rankspec.conformance.atlas.impact import Impact
from rankspec.conformance.cases.exact import Printed
from rankspec.conformance.cases.files.whole_files import write_whole
from rankspec.conformance.infer.resolve.resolve import Resolution, read_number
from rankspec.conformance.infer.resolve.search import Level
from rankspec.conformance.reports.compare import short_names
from rankspec.conformance.reports.derivations.curve import picture
from rankspec.conformance.reports.impact import headline, short, tried_text
from rankspec.conformance.reports.scores import Cell, Scores
from rankspec.oracle.conventions.convention import DEFAULT, setting_text
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import InputError
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.measures.derivations import Derivation
from rankspec.oracle.scoring.significance.comparing import Compared, Comparison
from rankspec.oracle.scoring.significance.results import PValue
from rankspec.oracle.values import Undefined, to_double, to_text

INK = "#767676"
"""Contrast 4.5 to white and to black, so that text in it can be read on both."""
COLOURS = ("#2f7fc1", "#d9701a")

_KINDS = (".svg", ".pdf", ".png")


def require_plotting(path: Path) -> None:
    """Refuse (`InputError`) what could not be drawn: a kind of file, or any without matplotlib."""
    if path.suffix not in _KINDS:
        raise InputError(
            f"--plot {path}: give a file that ends in {', '.join(_KINDS[:-1])} or {_KINDS[-1]}",
            code="picture-kind-unknown",
        )
    _require_matplotlib()


def _require_matplotlib() -> None:
    if find_spec("matplotlib") is None:
        raise InputError("--plot needs matplotlib; pip install 'rankspec[plot]'", code="package-missing")


def panels(count: int, width: float, height: float, *, across: bool = False) -> tuple[Any, list[Any]]:
    """Return a figure and panels, one below another or across, in inches of one; `InputError` without matplotlib."""
    _require_matplotlib()
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    rows, columns = (1, count) if across else (count, 1)
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    figure.patch.set_alpha(0)
    drawn = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for panel in drawn:
        panel.patch.set_alpha(0)
        panel.tick_params(colors=INK)
        for place, side in panel.spines.items():
            side.set_color(INK)
            side.set_visible(place in {"left", "bottom"})
    return figure, drawn


def named(panel: Any, title: str, across: str, up: str = "") -> None:
    """Put words at a panel."""
    panel.set_title(title, color=INK, fontsize=10, loc="left")
    panel.set_xlabel(across, color=INK)
    panel.set_ylabel(up, color=INK)


def save(figure: Any, path: Path, title: str, text: str) -> None:
    """Write a picture, into an SVG with its content in words; `InputError` if it can't be written."""
    import matplotlib as mpl  # noqa: PLC0415 - an extra

    written = BytesIO()
    kind = path.suffix.removeprefix(".")
    with mpl.rc_context({"svg.hashsalt": "rankspec"}):  # ids that stay the same
        figure.savefig(written, format=kind, metadata={"Date": None} if kind == "svg" else None)
    content = _described(written.getvalue(), title, text) if kind == "svg" else written.getvalue()
    try:
        write_whole(path, content)
    except OSError as error:
        raise InputError(f"--plot {path}: {error.strerror}", code="file-not-writable") from None


def _described(svg: bytes, title: str, text: str) -> bytes:
    words = f"<title>{escape(title)}</title><desc>{escape(text)}</desc>"
    start = svg.index(b"<svg") + len(b"<svg")
    end = svg.index(b">", start)
    return svg[:start] + b' role="img"' + svg[start : end + 1] + words.encode() + svg[end + 1 :]


_MOST_PAIRS = 12
_MOST_QUERIES_NAMED = 40
_LONGEST_FRACTION = 24


def plot_comparison(comparisons: Mapping[Measure, Compared], path: Path) -> None:
    """Draw each pair's differences, largest first, by measure; `InputError` for too many pairs, or as `save`."""
    listed = [(measure, pair) for measure, compared in comparisons.items() for pair in compared.pairs]
    if len(listed) > _MOST_PAIRS:
        raise InputError(
            f"--plot: {len(listed)} pairs are too many for one picture ({_MOST_PAIRS}); give --baseline, or less",
            code="picture-too-large",
        )
    names = short_names(next(iter(comparisons.values())).evaluations)
    figure, drawn = panels(len(listed), 7.2, 2.6)
    said = []
    for panel, (measure, pair) in zip(drawn, listed, strict=True):
        title = f"{measure}: {names[pair.first]} - {names[pair.second]}"
        words = f"mean {to_double(pair.paired.mean):+.4f}, {p_words(pair.p)}"
        _draw_differences(panel, pair)
        named(panel, f"{title}; {words}", "", str(measure))
        wins = list(pair.paired.signs.values())
        said.append(f"{title}: {words}; better in {wins.count(1)} queries, worse in {wins.count(-1)}.")
    save(figure, path, "Differences of runs, query by query", " ".join(said))


def _draw_differences(panel: Any, pair: Comparison) -> None:
    values = sorted(((to_double(each), query) for query, each in pair.paired.differences.items()), reverse=True)
    heights = [value for value, _ in values]
    panel.bar(range(len(values)), heights, color=[COLOURS[value < 0] for value in heights])
    panel.axhline(0, color=INK, linewidth=0.8)
    panel.axhline(to_double(pair.paired.mean), color=INK, linewidth=0.8, linestyle="--")
    if len(values) <= _MOST_QUERIES_NAMED:
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
        fraction = to_text(p.exact)
        return f"{decimal} = {fraction}, exact" if len(fraction) <= _LONGEST_FRACTION else f"{decimal}, exact"
    return f"{decimal}, estimated" if p.sampling is not None else f"{decimal}, t test"


_MOST_QUERIES = 40
_MOST_MEASURES = 4
_SET = "all queries"


class Interval(NamedTuple):
    """A query, the ends of its range, and its value."""

    query: str
    low: float
    high: float
    value: float | None


def intervals(scores: Scores, measure: Measure) -> list[Interval]:
    """Return the ranges of the queries that count, the widest first, then by name; those that are no numbers not."""
    cells = scores.columns[measure].per_query().items()
    listed = [interval for query, cell in cells if (interval := _interval(query, cell)) is not None]
    return sorted(listed, key=lambda each: (each.low - each.high, each.query))


def _interval(query: str, cell: Cell) -> Interval | None:
    if cell.ends is None or isinstance(cell.ends.low, Undefined) or isinstance(cell.ends.high, Undefined):
        return None
    value = cell.exact()
    number = None if isinstance(value, Undefined) else to_double(value)
    return Interval(query, to_double(cell.ends.low), to_double(cell.ends.high), number)


def plot_ranges(scores: Scores, path: Path) -> None:
    """Draw an interval a query and one for the set, a panel a measure; `InputError` for none or too many."""
    if len(scores.columns) > _MOST_MEASURES:
        raise InputError(
            f"--plot: {len(scores.columns)} measures are too many for one picture; give {_MOST_MEASURES} at most",
            code="picture-too-large",
        )
    by_measure = {measure: intervals(scores, measure) for measure in scores.columns}
    if not any(by_measure.values()):
        raise InputError("--plot: no query has a range of numbers", code="picture-empty")
    shown = {measure: listed[:_MOST_QUERIES] for measure, listed in by_measure.items()}
    most = max(map(len, shown.values()))
    figure, drawn = panels(len(shown), 5.2, 1.4 + 0.2 * (most + 1), across=True)
    for panel, (measure, listed) in zip(drawn, shown.items(), strict=True):
        _draw_intervals(panel, scores, measure, listed[::-1])
        left = len(by_measure[measure]) - len(listed)
        more = f" ({left} narrower ones are not shown)" if left else ""
        named(panel, f"{measure}: range over {scores.range_over}{more}", str(measure))
    under = f"dots: under {convention_text(scores.convention)}"
    figure.supxlabel(under, x=0.01, ha="left", fontsize=8, color=INK)
    save(figure, path, f"Ranges over {scores.range_over}", _range_words(by_measure, scores))


def _draw_intervals(panel: Any, scores: Scores, measure: Measure, listed: list[Interval]) -> None:
    whole = _interval(_SET, scores.columns[measure].whole)
    rows = [*listed, *([] if whole is None else [whole])]
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


def _range_words(by_measure: Mapping[Measure, list[Interval]], scores: Scores) -> str:
    said = []
    for measure, listed in by_measure.items():
        open_ones = [each for each in listed if each.low < each.high]
        widest = f", the widest {_ends(open_ones[0])} ({open_ones[0].query})" if open_ones else ""
        ends = _interval(_SET, scores.columns[measure].whole)
        whole = "" if ends is None else f"; all queries {_ends(ends)}"
        said.append(f"{measure}: {len(open_ones)} of {len(listed)} queries are open{widest}{whole}.")
    return " ".join(said)


def _ends(interval: Interval) -> str:
    return f"{interval.low:.4f} to {interval.high:.4f}"


_MOST_LEVELS = 14
_LONGEST_LEVEL = 46
_ROOM = 0.04
_SAME = 1e-9  # Doubles of one value differ by less


@dataclass(frozen=True)
class LevelRow:
    """A value that is named: its conventions, and whether the printed number is it."""

    value: float
    words: str
    fits: bool


def rows_of(resolution: Resolution, levels: Sequence[Level], printed: Printed) -> list[LevelRow]:
    """Return the values that are named, the lowest first: the default's, and those nearest to the number."""
    number = _number(printed)
    fitting = {float(each.exact) for each in resolution.explanations if not isinstance(each.exact, Undefined)}
    near = sorted(levels, key=lambda level: (level.simplest != DEFAULT, abs(level.value - number)))[:_MOST_LEVELS]
    return [
        LevelRow(level.value, _level_words(level), any(abs(level.value - value) < _SAME for value in fitting))
        for level in sorted(near, key=lambda level: level.value)
    ]


def plot_resolution(resolution: Resolution, levels: Sequence[Level], path: Path) -> None:
    """Draw all conventions' values on a line, the nearest named, and the number; `InputError` if there are none."""
    printed = read_number(resolution.printed)
    number = _number(printed)
    if not levels:
        raise InputError("--plot: no convention gives a number here", code="picture-empty")
    rows = rows_of(resolution, levels, printed)
    figure, (panel,) = panels(1, 7.6, 1.5 + 0.24 * (len(rows) + 1))
    panel.axvspan(number - float(printed.unit) / 2, number + float(printed.unit) / 2, color=COLOURS[1], alpha=0.35)
    panel.axvline(number, color=COLOURS[1], label=f"printed: {resolution.printed}")
    panel.plot([level.value for level in levels], [0] * len(levels), "|", color=INK, markersize=12)
    for fits, sign in ((False, "o"), (True, "D")):
        places = [place for place, row in enumerate(rows, 1) if row.fits is fits]
        values = [rows[place - 1].value for place in places]
        label = "gives it" if fits else "another value"
        if places:
            panel.plot(values, places, sign, color=COLOURS[fits], label=label)
    conventions = sum(level.conventions for level in levels)
    everything = f"{len(levels)} values of {conventions} conventions"
    panel.set_yticks(range(len(rows) + 1), [everything, *(row.words for row in rows)], fontsize=8)
    panel.grid(axis="y", color=INK, alpha=0.25)
    ends = [number, *(level.value for level in levels)]
    room = _ROOM * ((max(ends) - min(ends)) or 1)
    panel.set_xlim(min(ends) - room, max(ends) + room)
    status = f"{resolution.printed} is {resolution.status}: {resolution.measure} under all conventions"
    named(panel, status, f"{resolution.measure}")
    figure.legend(labelcolor=INK, framealpha=0, fontsize=8, loc="outside lower left", ncols=3)
    told = "; ".join(f"{row.value:.4f} {row.words}{', which gives it' if row.fits else ''}" for row in rows)
    save(figure, path, status, f"{everything}, from {levels[0].value:.4f} to {levels[-1].value:.4f}. {told}.")


def _number(printed: Printed) -> float:
    if not isinstance(printed.number, Fraction):
        raise InputError(f"--plot: {printed.text} lies nowhere on a line; leave it out", code="picture-empty")
    return float(printed.number)


def _level_words(level: Level) -> str:
    """Name a level by what its simplest convention has changed; by the settings alone where that is long."""
    changed = {axis: setting_text(setting) for axis, setting in level.simplest.differences().items()}
    text = ", ".join(f"{axis}={setting}" for axis, setting in changed.items()) or "default"
    text = text if len(text) <= _LONGEST_LEVEL else ", ".join(changed.values())
    short = text if len(text) <= _LONGEST_LEVEL else f"{text[: _LONGEST_LEVEL - 1]}…"
    more = f" (+{level.conventions - 1})" if level.conventions > 1 else ""
    return f"{short}{more}"


def plot_derivations(derivations: Sequence[Derivation], path: Path) -> None:
    """Draw what each derivation counts, over one another, with the curve; `InputError` if nothing is drawn."""
    drawn = [found for found in map(picture, derivations) if found is not None]
    if not drawn:
        raise InputError("--plot: there is no list to draw; give one query with documents", code="picture-empty")
    figure, (panel,) = panels(1, 6.4, 4)
    for shown, colour in zip(drawn, COLOURS, strict=False):
        lefts, widths = [bar.left for bar in shown.bars], [bar.width for bar in shown.bars]
        heights = [bar.height for bar in shown.bars]
        panel.bar(lefts, heights, widths, align="edge", color=colour, alpha=0.3, edgecolor=colour, label=shown.title)
        if shown.levels:
            across, up = zip(*shown.levels, strict=True)
            panel.vlines(across, 0, up, color=colour)
            panel.plot(across, up, "o", color=colour)
        if shown.points:
            across, up = zip(*shown.points, strict=True)
            panel.plot(across, up, ".-", color=colour, linewidth=1)
    if drawn[0].points:
        panel.set_ylim(0, 1.02)
    named(panel, "", drawn[0].across, drawn[0].up)
    panel.legend(labelcolor=INK, framealpha=0)
    save(figure, path, " and ".join(each.title for each in drawn), " ".join(each.text for each in drawn))


def plot_impact(impact: Impact, path: Path) -> None:
    """Draw each run's range, with its value under the convention asked for; `InputError` as `save`."""
    figure, (panel,) = panels(1, 8, 1.2 + 0.4 * len(impact.spans))
    places = range(len(impact.spans), 0, -1)
    lows = [span.lowest.double for span in impact.spans]
    panel.hlines(places, lows, [span.highest.double for span in impact.spans], linewidth=4, color=COLOURS[0], alpha=0.6)
    panel.plot([span.base.double for span in impact.spans], places, "o", color=COLOURS[1])
    panel.set_yticks(list(places), [span.run for span in impact.spans])
    words = f"{impact.measure}: {convention_text(impact.convention)} (dot), and {tried_text(impact)} (line)"
    named(panel, "", words)
    said = [
        f"{each.run}: {short(each.base)}, from {short(each.lowest)} to {short(each.highest)}" for each in impact.spans
    ]
    save(figure, path, words, f"{'; '.join(said)}. {headline(impact)}")
