"""Pictures of derivations as files: the curve, and what each convention counts, over one another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rankspec.conformance.reports.curve import picture
from rankspec.conformance.reports.plot_style import COLOURS, INK, named, panels, save
from rankspec.oracle.errors import InputError
from rankspec.oracle.explaining.steps import Derivation


def draw(derivations: Sequence[Derivation], path: Path) -> None:
    """Draw what each derivation counts, over one another, with the curve.

    Raises:
        InputError: matplotlib is not installed, there is nothing to draw, or the file can't be written.
    """
    drawn = [found for found in map(picture, derivations) if found is not None]
    if not drawn:
        raise InputError("--plot: there is no list to draw; give one query with documents")
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
