"""The one style of every picture that matplotlib, an extra, draws: legible on a light and on a dark page, with words.

Nothing is drawn behind a picture; ink and colours are of such lightness that they are seen on white and on black.
"""

from __future__ import annotations

from html import escape
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

from rankspec.oracle.errors import InputError

INK = "#767676"
"""Contrast 4.5 to white and to black, so that text in it can be read on both."""
COLOURS = ("#2f7fc1", "#d9701a")

_KINDS = (".svg", ".pdf", ".png")


def require_plotting(path: Path) -> None:
    """Refuse what could not be drawn, before anything is computed.

    Raises:
        InputError: matplotlib is not installed, or the file is of no kind that is drawn.
    """
    if path.suffix not in _KINDS:
        raise InputError(f"--plot {path}: give a file that ends in {', '.join(_KINDS[:-1])} or {_KINDS[-1]}")
    if find_spec("matplotlib") is None:
        raise InputError("--plot needs matplotlib; pip install 'rankspec[plot]'")


def panels(count: int, width: float, height: float, *, across: bool = False) -> tuple[Any, list[Any]]:
    """Return a figure and its panels, under one another or across; sizes in inches, of one panel.

    Raises:
        InputError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ImportError:
        raise InputError("--plot needs matplotlib; pip install 'rankspec[plot]'") from None
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
    """Write a picture; into an SVG, what it shows in words, for those who can't see it.

    Raises:
        InputError: the file can't be written.
    """
    import matplotlib as mpl  # noqa: PLC0415 - an extra

    written = BytesIO()
    kind = path.suffix.removeprefix(".")
    with mpl.rc_context({"svg.hashsalt": "rankspec"}):  # ids that stay the same
        figure.savefig(written, format=kind, metadata={"Date": None} if kind == "svg" else None)
    content = _described(written.getvalue(), title, text) if kind == "svg" else written.getvalue()
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(f"--plot {path}: {error.strerror}") from None


def _described(svg: bytes, title: str, text: str) -> bytes:
    words = f"<title>{escape(title)}</title><desc>{escape(text)}</desc>"
    start = svg.index(b"<svg") + len(b"<svg")
    end = svg.index(b">", start)
    return svg[:start] + b' role="img"' + svg[start : end + 1] + words.encode() + svg[end + 1 :]
