"""`resolve --plot`: where a printed number lies among the values of all conventions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from rankspec.conformance.cases.printed import Printed
from rankspec.conformance.infer.resolve.resolve import Resolution, read_number
from rankspec.conformance.infer.resolve.search import Level
from rankspec.conformance.reports.plot_style import COLOURS, INK, named, panels, save
from rankspec.oracle.conventions.convention import DEFAULT, setting_text
from rankspec.oracle.errors import InputError
from rankspec.oracle.values import Undefined

_MOST_NAMED = 14
_LONGEST = 46
_ROOM = 0.04
_SAME = 1e-9
"""Doubles of one value differ by less."""


@dataclass(frozen=True)
class Row:
    """A value that is named: its conventions, and whether the printed number is it."""

    value: float
    words: str
    fits: bool


def rows_of(found: Resolution, levels: Sequence[Level], printed: Printed) -> list[Row]:
    """Return the values that are named, the lowest first: the default's, and those nearest to the number."""
    number = _number(printed)
    fitting = {float(each.exact) for each in found.explanations if not isinstance(each.exact, Undefined)}
    near = sorted(levels, key=lambda level: (level.simplest != DEFAULT, abs(level.value - number)))[:_MOST_NAMED]
    return [
        Row(level.value, _words(level), any(abs(level.value - value) < _SAME for value in fitting))
        for level in sorted(near, key=lambda level: level.value)
    ]


def plot_resolution(found: Resolution, levels: Sequence[Level], path: Path) -> None:
    """Draw the values of all conventions on a line, the nearest ones by name, and the printed number across.

    Raises:
        InputError: the number is none, no convention gives one, matplotlib is not installed, or the file can't be
            written.
    """
    printed = read_number(found.printed)
    number = _number(printed)
    if not levels:
        raise InputError("--plot: no convention gives a number here")
    rows = rows_of(found, levels, printed)
    figure, (panel,) = panels(1, 7.6, 1.5 + 0.24 * (len(rows) + 1))
    panel.axvspan(number - float(printed.unit) / 2, number + float(printed.unit) / 2, color=COLOURS[1], alpha=0.35)
    panel.axvline(number, color=COLOURS[1], label=f"printed: {found.printed}")
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
    status = f"{found.printed} is {found.status}: {found.measure} under all conventions"
    named(panel, status, f"{found.measure}")
    figure.legend(labelcolor=INK, framealpha=0, fontsize=8, loc="outside lower left", ncols=3)
    told = "; ".join(f"{row.value:.4f} {row.words}{', which gives it' if row.fits else ''}" for row in rows)
    save(figure, path, status, f"{everything}, from {levels[0].value:.4f} to {levels[-1].value:.4f}. {told}.")


def _number(printed: Printed) -> float:
    if not isinstance(printed.number, Fraction):
        raise InputError(f"--plot: {printed.text} lies nowhere on a line; leave it out")
    return float(printed.number)


def _words(level: Level) -> str:
    """Name a level by what its simplest convention has changed; by the settings alone where that is long."""
    changed = {axis: setting_text(setting) for axis, setting in level.simplest.differences().items()}
    text = ", ".join(f"{axis}={setting}" for axis, setting in changed.items()) or "default"
    text = text if len(text) <= _LONGEST else ", ".join(changed.values())
    short = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    more = f" (+{level.conventions - 1})" if level.conventions > 1 else ""
    return f"{short}{more}"
