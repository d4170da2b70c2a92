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
from typing import Any

from rankspec.conformance.cases.files.on_disk import write_whole
from rankspec.conformance.reports.compare import short_names
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import InputError
from rankspec.oracle.language.expression import expression_text
from rankspec.oracle.measures.derivations import Derivation, ListDerivation
from rankspec.oracle.reals.deciding import nearest_double
from rankspec.oracle.reals.real import Number
from rankspec.oracle.scoring.significance.comparing import Comparison, RunComparison
from rankspec.oracle.scoring.significance.results import PValue
from rankspec.oracle.values import to_double, to_text

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


def panels(count: int, width: float, height: float) -> tuple[Any, list[Any]]:
    """Return a figure and panels, one below another, in inches of one; `InputError` without matplotlib."""
    _require_matplotlib()
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    figure = Figure(figsize=(width, height * count), layout="constrained")
    figure.patch.set_alpha(0)
    drawn = figure.subplots(count, 1, squeeze=False).ravel().tolist()
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


def plot_comparison(comparisons: Mapping[Measure, RunComparison], path: Path) -> None:
    """Draw each pair's differences, largest first, by measure; `InputError` for too many pairs, or as `save`."""
    rows = [(measure, pair) for measure, compared in comparisons.items() for pair in compared.pairs]
    if len(rows) > _MOST_PAIRS:
        raise InputError(
            f"--plot: {len(rows)} pairs are too many for one picture ({_MOST_PAIRS}); give --baseline, or less",
            code="picture-too-large",
        )
    names = short_names(next(iter(comparisons.values())).evaluations)
    figure, drawn = panels(len(rows), 7.2, 2.6)
    alternatives = []
    for panel, (measure, pair) in zip(drawn, rows, strict=True):
        title = f"{measure}: {names[pair.first]} - {names[pair.second]}"
        words = f"mean {to_double(pair.paired.mean):+.4f}, {p_words(pair.p)}"
        _draw_differences(panel, pair)
        named(panel, f"{title}; {words}", "", str(measure))
        wins = list(pair.paired.signs.values())
        alternatives.append(f"{title}: {words}; better in {wins.count(1)} queries, worse in {wins.count(-1)}.")
    save(figure, path, "Differences of runs, query by query", " ".join(alternatives))


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


@dataclass(frozen=True)
class Bar:
    """A share of the value."""

    left: float  # where it begins, `width` how wide it is, `height` how high; the area is the share
    width: float
    height: float

    @property
    def right(self) -> float:
        """Where it ends."""
        return self.left + self.width


@dataclass(frozen=True)
class Picture:
    """A derivation of one query as a picture, in units of the axes."""

    title: str  # the measure under its convention
    across: str  # what the horizontal axis is; `up` the vertical one
    up: str
    # the operating points, best first: recall and precision; none for measures without a curve
    points: tuple[tuple[float, float], ...]
    bars: tuple[Bar, ...]  # what is counted
    levels: tuple[tuple[float, float], ...]  # the fixed recall levels, with the precision that is counted there
    text: str  # the picture in words, for those who can't see it


def picture(derivation: Derivation) -> Picture | None:
    """Return what there is to draw; None where there are several queries, or no rows."""
    if len(derivation.queries) != 1 or not derivation.queries[0].lists:
        return None
    listed = derivation.queries[0].lists[0]
    if not listed.rows:
        return None
    title = expression_text(derivation.measure, derivation.convention)
    curve = tuple((float(row.recall), float(row.precision)) for row in listed.rows if row.recall is not None)
    levels = tuple((float(level.recall), float(level.precision)) for level in listed.levels)
    if derivation.measure.family.is_area and curve:
        bars = () if levels else tuple(_areas(listed))
        counted = f"precision at {len(levels)} recall levels" if levels else f"{len(bars)} bars"
        text = f"Precision-recall curve through {len(curve)} operating points; {title} counts {counted}."
        return Picture(title, "recall", "precision", curve, bars, levels, text)
    bars = tuple(Bar(row.rank - 0.9, 0.8, _float(listed.contribution(row))) for row in listed.rows)
    text = f"What each of {len(bars)} ranks adds to {title}."
    return Picture(title, "rank", "contribution", (), bars, (), text)


def _areas(derivation: ListDerivation) -> list[Bar]:
    """Return a bar for each row that adds something, side by side."""
    bars: list[Bar] = []
    left = 0.0
    for row in derivation.rows:
        share = _float(derivation.contribution(row))
        height = float(row.precision if row.interpolated is None else row.interpolated)
        if share > 0 and height > 0:
            bars.append(Bar(left, share / height, height))
            left = bars[-1].right
    return bars


def _float(number: Number) -> float:
    return float(number) if isinstance(number, Fraction) else nearest_double(number)


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
