"""A derivation as a picture: the precision-recall curve, and the area that the convention counts; drawn as SVG.

What is counted is drawn as bars side by side whose areas are the contributions of the rows, so that together they are
the value. Measures that are no area have a bar a rank instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape

from rankspec.oracle.language.expression import expression_text
from rankspec.oracle.measures.derivations import Derivation, ListDerivation
from rankspec.oracle.reals.deciding import nearest_double
from rankspec.oracle.reals.real import Number

_WIDTH, _HEIGHT = 420, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 12, 12, 40
_TICKS = 4
_MOST_RANKS = 10


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


def _areas(listed: ListDerivation) -> list[Bar]:
    """Return a bar for each row that adds something, side by side."""
    bars: list[Bar] = []
    left = 0.0
    for row in listed.rows:
        share = _float(listed.contribution(row))
        height = float(row.precision if row.interpolated is None else row.interpolated)
        if share > 0 and height > 0:
            bars.append(Bar(left, share / height, height))
            left = bars[-1].right
    return bars


def _float(number: Number) -> float:
    return float(number) if isinstance(number, Fraction) else nearest_double(number)


def curve_svg(pictures: Sequence[Picture], name: str = "curve") -> str:
    """Draw one picture, or two over one another; `name` makes its ids unique on a page."""
    wide = max([1.0, *(bar.right for each in pictures for bar in each.bars)])
    high = max([bar.height for each in pictures for bar in each.bars] + [0.001])
    high = 1.0 if pictures[0].points else high
    text = " ".join(each.text for each in pictures)
    named = f'role="img" aria-labelledby="{name}-title {name}-desc"'
    lines = [
        f'<svg class="curve" viewBox="0 0 {_WIDTH} {_HEIGHT}" {named} xmlns="http://www.w3.org/2000/svg">',
        f'<title id="{name}-title">{escape(" and ".join(each.title for each in pictures))}</title>',
        f'<desc id="{name}-desc">{escape(text)}</desc>',
        *_frame(pictures[0], wide, high),
    ]
    for number, each in enumerate(pictures):
        lines += _drawn(each, number, wide, high)
    return "\n".join([*lines, "</svg>"])


def _across(value: float, wide: float) -> str:
    return f"{_LEFT + value / wide * (_WIDTH - _LEFT - _RIGHT):.1f}"


def _up(value: float, high: float) -> str:
    return f"{_HEIGHT - _BOTTOM - value / high * (_HEIGHT - _TOP - _BOTTOM):.1f}"


def _frame(shown: Picture, wide: float, high: float) -> Iterator[str]:
    for tick in range(_TICKS + 1):
        up = high * tick / _TICKS
        y = _up(up, high)
        yield f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>'
        yield f'<text x="{_LEFT - 6}" y="{float(y) + 4:.1f}" text-anchor="end">{up:.2g}</text>'
    for across, label in _labels(shown, wide):
        x = _across(across, wide)
        yield f'<text x="{x}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle">{label}</text>'
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    half = _HEIGHT / 2
    yield f'<text x="{middle}" y="{_HEIGHT - 6}" text-anchor="middle">{shown.across}</text>'
    yield f'<text x="10" y="{half}" text-anchor="middle" transform="rotate(-90 10 {half})">{shown.up}</text>'


def _labels(shown: Picture, wide: float) -> Iterator[tuple[float, str]]:
    """Yield what stands below the horizontal axis, and where: a rank below the middle of its bar."""
    if shown.points:
        for tick in range(_TICKS + 1):
            yield wide * tick / _TICKS, f"{wide * tick / _TICKS:.2g}"
        return
    for place in range(0, len(shown.bars), 1 + (len(shown.bars) - 1) // _MOST_RANKS):
        bar = shown.bars[place]
        yield bar.left + bar.width / 2, f"{bar.right + 0.1:.0f}"


def _drawn(shown: Picture, number: int, wide: float, high: float) -> Iterator[str]:
    base = float(_up(0, high))
    for bar in shown.bars:
        left, right, top = float(_across(bar.left, wide)), float(_across(bar.right, wide)), float(_up(bar.height, high))
        size = f'width="{right - left:.1f}" height="{base - top:.1f}"'
        yield f'<rect class="counted c{number}" x="{left:.1f}" y="{top:.1f}" {size}/>'
    for across, up in shown.levels:
        x, y = _across(across, wide), _up(up, high)
        yield f'<line class="level c{number}" x1="{x}" x2="{x}" y1="{base:.1f}" y2="{y}"/>'
        yield f'<circle class="level c{number}" cx="{x}" cy="{y}" r="3"/>'
    if shown.points:
        path = " ".join(f"{_across(across, wide)},{_up(up, high)}" for across, up in shown.points)
        yield f'<polyline class="line c{number}" points="{path}"/>'
        for across, up in shown.points:
            yield f'<circle class="point c{number}" cx="{_across(across, wide)}" cy="{_up(up, high)}" r="2.5"/>'
