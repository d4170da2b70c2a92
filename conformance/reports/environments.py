"""The environments of stated versions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rankspec.conformance.reports.console import cases_table, say
from rankspec.conformance.reports.listing import Listing
from rankspec.conformance.run.environments import Environment
from rich.console import Console


def environments_json(root: Path, found: Sequence[Environment], *, cleared: bool) -> dict[str, Any]:
    """Return the list as one object."""
    return {
        "schema": "rankspec/environments/1",
        "folder": str(root),
        "cleared": cleared,
        "environments": [
            {
                "distribution": each.distribution,
                "version": each.version,
                "python": each.python,
                "folder": str(each.folder),
                "packages_before": each.before,
                "packages": dict(each.packages),
            }
            for each in found
        ],
    }


def environments_listing(found: Sequence[Environment]) -> Listing:
    """Return a row an environment."""
    table = cases_table("library", "version", "python", "packages", "folder", indent=0)
    for each in found:
        table.add_row(each.distribution, each.version, each.python, str(len(each.packages)), each.folder.name)
    return table


def print_environments(console: Console, root: Path, found: Sequence[Environment], *, cleared: bool) -> None:
    """Print a line an environment, or that they are deleted."""
    if not found:
        say(console, f"no environment in {root}; `rankspec check ranx==0.3.20` makes one")
        return
    if cleared:
        say(console, f"{len(found)} environment{'s' if len(found) > 1 else ''} deleted")
        return
    console.print(environments_listing(found), crop=False)
    say(console, f"in {root}", style="dim")
