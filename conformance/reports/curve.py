"""What a picture of a derivation shows: the precision-recall curve, and the area that the convention counts.

What is counted is drawn as bars side by side whose areas are the contributions of the rows, so that together they are
the value. Measures that are no area have a bar a rank instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from rankspec.oracle.explaining.steps import Derivation, ListDerivation, Row
from rankspec.oracle.language.expression import expression_text
from rankspec.oracle.reals.deciding import nearest_double
from rankspec.oracle.reals.real import Number


@dataclass(frozen=True)
class Bar:
    """A share of the value.

    Attributes:
        left: where it begins, `width` how wide it is, `height` how high; the area is the share.
    """

    left: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Where it ends."""
        return self.left + self.width


@dataclass(frozen=True)
class Picture:
    """A derivation of one query as a picture, in units of the axes.

    Attributes:
        title: the measure under its convention.
        across: what the horizontal axis is; `up` the vertical one.
        points: the operating points, best first: recall and precision; none for measures without a curve.
        bars: what is counted.
        levels: the fixed recall levels, with the precision that is counted there.
        text: the picture in words, for those who can't see it.
    """

    title: str
    across: str
    up: str
    points: tuple[tuple[float, float], ...]
    bars: tuple[Bar, ...]
    levels: tuple[tuple[float, float], ...]
    text: str


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
        height = float(_height(row))
        if share > 0 and height > 0:
            bars.append(Bar(left, share / height, height))
            left = bars[-1].right
    return bars


def _height(row: Row) -> Fraction:
    return row.precision if row.interpolated is None else row.interpolated


def _float(number: Number) -> float:
    return float(number) if isinstance(number, Fraction) else nearest_double(number)
