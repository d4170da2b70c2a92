"""Pictures of derivations as files, drawn by matplotlib, an extra; legible on a light and on a dark page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from io import BytesIO
from pathlib import Path

from rankspec.conformance.reports.curve import Picture, picture
from rankspec.oracle.errors import InputError
from rankspec.oracle.explaining.steps import Derivation

_INK = "#808080"
_COLOURS = ("#2f7fc1", "#d9701a")
"""Of middling lightness, so that they are seen on white and on black."""


def draw(derivations: Sequence[Derivation], path: Path) -> None:
    """Draw what each derivation counts, over one another, with the curve.

    Raises:
        InputError: matplotlib is not installed, there is nothing to draw, or the file can't be written.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ImportError:
        raise InputError("--plot needs matplotlib; pip install 'rankspec[plot]'") from None
    drawn = [found for found in map(picture, derivations) if found is not None]
    if not drawn:
        raise InputError("--plot: there is no list to draw; give one query with documents")
    figure = Figure(figsize=(6.4, 4), layout="constrained")
    figure.patch.set_alpha(0)
    axes = figure.subplots()
    axes.patch.set_alpha(0)
    axes.tick_params(colors=_INK)
    for side in axes.spines.values():
        side.set_color(_INK)
    for shown, colour in zip(drawn, _COLOURS, strict=False):
        lefts, widths = [bar.left for bar in shown.bars], [bar.width for bar in shown.bars]
        heights = [bar.height for bar in shown.bars]
        label = shown.title
        axes.bar(lefts, heights, widths, align="edge", color=colour, alpha=0.3, edgecolor=colour, label=label)
        if shown.levels:
            across, up = zip(*shown.levels, strict=True)
            axes.vlines(across, 0, up, color=colour)
            axes.plot(across, up, "o", color=colour)
        if shown.points:
            across, up = zip(*shown.points, strict=True)
            axes.plot(across, up, ".-", color=colour, linewidth=1)
    if drawn[0].points:
        axes.set_ylim(0, 1.02)
    axes.set_xlabel(drawn[0].across, color=_INK)
    axes.set_ylabel(drawn[0].up, color=_INK)
    axes.legend(labelcolor=_INK, framealpha=0)
    written = BytesIO()
    try:
        figure.savefig(written, format=path.suffix.removeprefix(".") or "svg")
        path.write_bytes(_described(written.getvalue(), drawn) if path.suffix in {"", ".svg"} else written.getvalue())
    except (OSError, ValueError) as error:
        raise InputError(f"--plot {path}: {error}") from None


def _described(svg: bytes, drawn: Sequence[Picture]) -> bytes:
    """Put into an SVG what it shows in words, for those who can't see it."""
    title = escape(" and ".join(each.title for each in drawn))
    words = f"<title>{title}</title><desc>{escape(' '.join(each.text for each in drawn))}</desc>"
    start = svg.index(b">", svg.index(b"<svg")) + 1
    return svg[:start] + words.encode() + svg[start:]
