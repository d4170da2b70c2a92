"""The strength of the cases: as a table, and as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankspec.conformance.reports.console import plain_table
from rankspec.conformance.settle.witness.strength import Strength
from rich.console import Group, RenderableType
from rich.text import Text

_MOST_NAMED = 20


def strength_data(strong: Sequence[Strength]) -> list[dict[str, Any]]:
    """Return how strong the cases are, as `fixtures coverage --json` has it."""
    return [
        {
            "family": each.family,
            "kind": each.kind,
            "pairs": each.pairs,
            "equal": each.equal,
            "separable": each.separable,
            "separated": each.separated,
            "share": each.share,
            "unseparated": [list(pair) for pair in each.unseparated],
        }
        for each in strong
    ]


def strength_report(strong: Sequence[Strength]) -> RenderableType:
    """Return how strong the cases are, with the pairs that they leave together at the end."""
    table = plain_table("measure", "convention pairs", "pairs", "one convention", "separable", "separated", "share")
    for each in strong:
        counts = map(str, (each.pairs, each.equal, each.separable, each.separated))
        table.add_row(each.family, each.kind, *counts, f"{_share(each):.2f} %")
    left = [pair for each in strong for pair in each.unseparated]
    named = [Text(f"not separated: {first} and {second}", style="red") for first, second in left[:_MOST_NAMED]]
    more = [Text(f"and {len(left) - _MOST_NAMED} more")] if len(left) > _MOST_NAMED else []
    return Group(table, Text(), *named, *more, Text(_total(strong)), Text())


def _share(each: Strength) -> float:
    """Return a percentage that says 100 only where nothing is left."""
    return 100.0 if not each.unseparated else min(100 * each.share, 99.99)


def _total(strong: Sequence[Strength]) -> str:
    separable, separated = sum(each.separable for each in strong), sum(each.separated for each in strong)
    return f"{separated:,} of {separable:,} pairs of conventions that can be separated are separated by a case"
