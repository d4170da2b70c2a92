"""Between which versions a library's behaviour changes: for a person and for a program."""

from __future__ import annotations

from typing import Any

from rankspec.conformance.atlas.record import VersionsAsked
from rankspec.conformance.reports.console import say
from rich.console import Console

SCHEMA = "rankspec/drift/1"


def drift_json(implementation: str, measure: str, found: VersionsAsked, *, bisected: bool) -> dict[str, Any]:
    """Return what was found as one object."""
    return {
        "schema": SCHEMA,
        "implementation": implementation,
        "measure": measure,
        "bisected": bisected,
        "asked": list(found.versions),
        "failed": dict(found.failed),
        "since": found.since if bisected else None,
        "changes": [
            {
                "before": each.before,
                "since": each.since,
                "unasked": list(each.unasked),
                "differing": each.differing,
                "asked": each.asked,
                "input": dict(each.input),
                "old": each.old,
                "new": each.new,
            }
            for each in found.changes
        ],
        "command": found.command,
        "date": found.date,
    }


def print_drift(console: Console, implementation: str, measure: str, found: VersionsAsked, *, bisected: bool) -> None:
    """Print a change a paragraph, and what was asked."""
    first, last = found.versions[0], found.versions[-1]
    say(console, f"{implementation}, {measure}, {first} to {last}", style="bold")
    for line in change_lines(found):
        say(console, line)
    if not found.changes:
        say(console, "the first and the last answer alike; what came between and went again is not seen")
    elif bisected:
        say(console, f"as now since {found.since}")
    say(console, f"asked: {', '.join(found.versions)}", style="dim")
    for version, why in found.failed.items():
        say(console, f"could not be asked: {version}: {why}", style="dim")


def change_lines(found: VersionsAsked) -> list[str]:
    """Return what changed, two lines a change."""
    lines = []
    for each in found.changes:
        between = f" ({', '.join(each.unasked)} could not be asked)" if each.unasked else ""
        lines.append(f"{each.before} -> {each.since}{between}: {each.differing} of {each.asked} inputs")
        stated = ", ".join(f"{name} {value}" for name, value in each.input.items())
        lines.append(f"  smallest: {stated}: {each.old}, then {each.new}")
    return lines
