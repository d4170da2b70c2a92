"""What conventions do to runs: for a person, for a program, as Markdown and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rankspec.conformance.atlas.impact import Impact, Scored, Worth
from rankspec.conformance.reports.console import cases_table, say
from rankspec.conformance.reports.markdown import code, prose, table
from rankspec.conformance.reports.plot_style import COLOURS, named, panels, save
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.language.expression import convention_text, expression_text
from rich.console import Console

SCHEMA = "rankspec/impact/1"
_DIGITS = 4
_LONGEST = 40
_MOST_SWAPS = 3

Libraries = Mapping[Convention, Sequence[str]]


def impact_json(found: Impact, libraries: Libraries) -> dict[str, Any]:
    """Return what was found as one object; exact values are fractions, irrational ones to 50 places."""
    return {
        "schema": SCHEMA,
        "measure": str(found.measure),
        "convention": convention_text(found.convention),
        "tried": found.tried,
        "complete": found.complete,
        "runs": [
            {
                "run": span.run,
                "value": _value(span.base),
                "lowest": {**_value(span.lowest), "under": convention_text(span.lowest_under)},
                "highest": {**_value(span.highest), "under": convention_text(span.highest_under)},
            }
            for span in found.spans
        ],
        "swaps": [
            {
                "above": swap.above,
                "below": swap.below,
                "under": [_scored(each, swap.above, swap.below) for each in swap.under],
            }
            for swap in found.swaps
        ],
        "axes": [
            {"axis": each.axis, "value": each.value, "swaps": each.swaps, "tau": str(each.tau), "largest": each.largest}
            for each in found.axes
        ],
        "lowest_tau": {"tau": str(found.lowest_tau[0]), "under": convention_text(found.lowest_tau[1])},
        "libraries": [
            {"convention": convention_text(convention), "libraries": list(names)}
            for convention, names in libraries.items()
        ],
    }


def _value(worth: Worth) -> dict[str, Any]:
    return {"exact": str(worth.exact), "float": worth.double}


def _scored(each: Scored, above: str, below: str) -> dict[str, Any]:
    return {
        "convention": convention_text(each.convention),
        "changed": dict(each.changed),
        "values": {name: _value(each.worths[name]) for name in (above, below)},
    }


def print_impact(console: Console, found: Impact, libraries: Libraries) -> None:
    """Print the ranges, the pairs that change places and what each axis does."""
    say(console, f"{expression_text(found.measure, found.convention)}, and {_tried(found)}", style="bold")
    ranges = cases_table("run", "value", "lowest", "highest", "lowest under", "highest under")
    for span in found.spans:
        ranges.add_row(span.run, *map(_short, (span.base, span.lowest, span.highest)), *_ends(span))
    console.print(ranges, crop=False)
    say(console, "")
    say(console, _swaps_line(found), style="bold")
    for swap in found.swaps:
        say(console, f"  {swap.above} is above {swap.below}, but below it under")
        for each in swap.under[:_MOST_SWAPS]:
            values = f"{_short(each.worths[swap.above])} < {_short(each.worths[swap.below])}"
            say(console, f"    {_named(each, libraries)}: {values}")
        if len(swap.under) > _MOST_SWAPS:
            say(console, f"    and {len(swap.under) - _MOST_SWAPS} more, see --json", style="dim")
    if found.axes:
        say(console, "")
        say(console, f"{_axis_line(found)}; lowest Kendall's tau (a) {_tau_line(found)}", style="bold")
        axes = cases_table("axis", "pairs", "tau", "largest change", "by")
        for one in found.axes:
            axes.add_row(one.axis, one.swaps, one.tau, f"{one.largest:.{_DIGITS}f}", one.value)
        console.print(axes, crop=False)
    elif found.tried > 1:
        say(console, f"lowest Kendall's tau (a) {_tau_line(found)}", style="bold")


def impact_markdown(found: Impact, libraries: Libraries) -> str:
    """Return the same as Markdown."""
    ranges = [
        (prose(span.run), *map(_short, (span.base, span.lowest, span.highest)), *map(code, _ends(span)))
        for span in found.spans
    ]
    headings = ("run", "value", "lowest", "highest", "lowest under", "highest under")
    parts = [
        f"## What conventions do to {code(str(found.measure))}",
        f"Compared with {code(convention_text(found.convention))}: {prose(_tried(found))}.",
        table(headings, ranges),
        f"{prose(_swaps_line(found))}.",
    ]
    if found.swaps:
        rows = [
            (prose(swap.above), prose(swap.below), *(code(_named(each, libraries)) for each in swap.under[:1]))
            for swap in found.swaps
        ]
        parts.append(table(("above", "below", "change places under"), rows))
    if found.axes:
        axes = [
            (code(each.axis), str(each.swaps), str(each.tau), f"{each.largest:.{_DIGITS}f}", code(each.value))
            for each in found.axes
        ]
        parts.append(table(("axis", "pairs", "tau", "largest change", "by"), axes))
    return "\n\n".join(parts) + "\n"


def plot(found: Impact, path: Path) -> None:
    """Draw each run's range of values, with its value under the convention asked for.

    Raises:
        InputError: matplotlib is not installed, or the file can't be written.
    """
    figure, (panel,) = panels(1, 8, 1.2 + 0.4 * len(found.spans))
    places = range(len(found.spans), 0, -1)
    lows = [span.lowest.double for span in found.spans]
    panel.hlines(places, lows, [span.highest.double for span in found.spans], linewidth=4, color=COLOURS[0], alpha=0.6)
    panel.plot([span.base.double for span in found.spans], places, "o", color=COLOURS[1])
    panel.set_yticks(list(places), [span.run for span in found.spans])
    words = f"{found.measure}: {convention_text(found.convention)} (dot), and {_tried(found)} (line)"
    named(panel, "", words)
    said = [
        f"{each.run}: {_short(each.base)}, from {_short(each.lowest)} to {_short(each.highest)}" for each in found.spans
    ]
    save(figure, path, words, f"{'; '.join(said)}. {_swaps_line(found)}.")


def _tried(found: Impact) -> str:
    others = found.tried - 1
    whole = "" if found.complete else ", those with the fewest differences of all"
    return f"{others} other convention{'' if others == 1 else 's'}{whole}"


def _ends(span: Any) -> tuple[str, str]:
    return convention_text(span.lowest_under), convention_text(span.highest_under)


def _swaps_line(found: Impact) -> str:
    pairs = len(found.runs) * (len(found.runs) - 1) // 2
    if not found.swaps:
        return f"none of {pairs} pair{'' if pairs == 1 else 's'} of runs changes places under any of them"
    return f"{len(found.swaps)} of {pairs} pair{'' if pairs == 1 else 's'} of runs change places"


def _axis_line(found: Impact) -> str:
    return f"the axis that matters most is {found.axes[0].axis}"


def _tau_line(found: Impact) -> str:
    tau, convention = found.lowest_tau
    return f"{tau} (under {convention_text(convention)})"


def _named(each: Scored, libraries: Libraries) -> str:
    if names := libraries.get(each.convention):
        listed = ", ".join(names)
        return listed if len(listed) <= _LONGEST else f"{names[0]} and {len(names) - 1} more"
    return ", ".join(f"{axis}={value}" for axis, value in each.changed.items())


def _short(worth: Worth) -> str:
    return f"{worth.double:.{_DIGITS}f}"
