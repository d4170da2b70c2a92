"""The drift between versions of one library, for a person and for a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankspec.conformance.checks.check import Checked, outcome_value
from rankspec.conformance.checks.drift import Change, Drift
from rankspec.conformance.reports.words import short_number
from rich.console import Console
from rich.table import Table
from rich.text import Text


def labelled(name: str, version: str | None) -> str:
    """Write a name and the version; one that the name states is not said twice.

    >>> labelled("ranx==0.3.16", "0.3.16"), labelled("scikit-learn==1.2", "1.2.0"), labelled("ranx", "0.3.21")
    ('ranx==0.3.16', 'scikit-learn==1.2 (1.2.0)', 'ranx 0.3.21')
    """
    if not version or name.endswith(f"=={version}"):
        return name
    return f"{name} ({version})" if "==" in name and ":" not in name else f"{name} {version}"


def drift_json(found: Sequence[Drift]) -> list[dict[str, Any]]:
    """Return each step from one version to another as an object."""
    return [
        {
            "library": drift.library,
            "old": _version_json(drift.old),
            "new": _version_json(drift.new),
            "compared": drift.compared,
            "changed": len(drift.changes),
            "changed_beyond_rounding": len(drift.real),
            "begun_to_fail": drift.begun_to_fail,
            "mended": drift.mended,
            "cases": [_change_json(change) for change in drift.changes],
        }
        for drift in found
    ]


def _version_json(checked: Checked) -> dict[str, Any]:
    return {"name": checked.name, "version": checked.hello.version, "python": checked.hello.python}


def _change_json(change: Change) -> dict[str, Any]:
    return {
        "id": change.id,
        "measure": str(change.new.question.measure),
        "kind": change.kind.value,
        "old": outcome_value(change.old.outcome),
        "new": outcome_value(change.new.outcome),
        "exact": change.exact,
        "old_text": change.texts[0],
        "new_text": change.texts[1],
        "old_verdict": change.old.verdict.value,
        "new_verdict": change.new.verdict.value,
        "query": change.query,
    }


def print_drift(console: Console, found: Sequence[Drift]) -> None:
    """Print each step from one version to another: how many cases changed, and a line for each."""
    for drift in found:
        console.print(Text(heading(drift), style="bold"), soft_wrap=True)
        if drift.real:
            console.print(_table(drift.real))
        console.print()


def heading(drift: Drift) -> str:
    """Say in a line what changed: `ranx 0.3.16 -> 0.3.20: 3 of 120 cases changed (1 began to fail)`."""
    step = f"{drift.library} {drift.old.hello.version} -> {drift.new.hello.version}"
    rounded = len(drift.changes) - len(drift.real)
    notes = [
        f"{drift.begun_to_fail} began to fail" if drift.begun_to_fail else "",
        f"{drift.mended} {'was' if drift.mended == 1 else 'were'} mended" if drift.mended else "",
        f"{rounded} more in the last digits alone" if rounded else "",
    ]
    said = ", ".join(note for note in notes if note)
    number = len(drift.real) or "none"
    return f"{step}: {number} of {drift.compared} cases changed{f' ({said})' if said else ''}"


def _table(changes: Sequence[Change]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for title in ("  case", "measure", "old", "new", "exact", "verdict"):
        table.add_column(title, no_wrap=title == "  case", overflow="fold")
    for change in changes:
        old, new = change.texts
        verdicts = dict.fromkeys((change.old.verdict.value, change.new.verdict.value))
        table.add_row(
            f"  {change.id}",
            str(change.new.question.measure),
            _short(old),
            _short(new),
            change.exact or "",
            " -> ".join(verdicts),
        )
    return table


def _short(text: str) -> str:
    query, colon, number = text.rpartition(": ")
    return f"{query}{colon}{short_number(number)}"
