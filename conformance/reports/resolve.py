"""What became of a number, for a person and for a program."""

from __future__ import annotations

from typing import Any

from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.reports.console import plain_table
from rankspec.conformance.reports.listing import Listing
from rankspec.conformance.settle.resolve.resolve import Explanation, Resolution
from rankspec.oracle.values import to_text
from rich.console import Group, RenderableType
from rich.text import Text

SCHEMA = "rankspec/resolve/1"

_MOST_SHOWN = 20


def resolution_data(found: Resolution) -> dict[str, Any]:
    """Return the finding as `resolve --json` has it."""
    return {
        "schema": SCHEMA,
        "value": found.printed,
        "measure": str(found.measure),
        "status": found.status,
        "explanations": [_explanation_data(each) for each in found.explanations],
        "nearest": [_explanation_data(each) | {"percentage": each.percentage} for each in found.nearest],
        "default": {"exact": to_text(found.default), "decimal": decimal_text(found.default)},
        "searched": found.searched,
        "complete": found.complete,
    }


def _explanation_data(each: Explanation) -> dict[str, Any]:
    return {
        "measure": str(each.measure),
        "convention": each.convention_text,
        "expression": each.text,
        "axes": each.axes,
        "differences": len(each.convention.differences()),
        "exact": each.exact_text,
        "decimal": each.decimal,
        "agreement": None if each.agreement is None else str(each.agreement),
        "profiles": list(each.profiles),
    }


def resolution_report(found: Resolution, *, all_of_them: bool = False) -> RenderableType:
    """Return the finding as text, the simplest explanations first."""
    among = f"{found.searched} conventions" + ("" if found.complete else " (the first ones; there are more)")
    equals = "" if decimal_text(found.default) == to_text(found.default) else f" = {decimal_text(found.default)}"
    default = Text(f"{found.measure} under default is {to_text(found.default)}{equals}.")
    if not found.explanations:
        head = Text(f"{found.printed} is unexplained: none of {among} gives it, rounded or truncated.")
        if not found.nearest:
            return Group(head, default)
        return Group(head, default, Text("The nearest values:"), _table(found.nearest))
    others = [each for each in found.explanations if each.measure.family is not found.measure.family]
    note = [Text(f"No convention of {found.measure} gives it; other measures do.")] if others else []
    shown = found.explanations if all_of_them else found.explanations[:_MOST_SHOWN]
    head = Text(f"{found.printed} is explained: {len(found.explanations)} of {among} give it, the simplest first.")
    rest = len(found.explanations) - len(shown)
    more = [Text(f"and {rest} more; --all lists them")] if rest else []
    return Group(head, *note, default, _table(shown), *more)


def _table(explanations: tuple[Explanation, ...]) -> Listing:
    table = plain_table("convention", "exact", "decimal", "agreement", "as in")
    for each in explanations:
        agreement = "as a percentage" if each.percentage else "" if each.agreement is None else str(each.agreement)
        profiles = [name for name in each.profiles if name != each.convention_text]
        table.add_row(each.text, each.exact_text, each.decimal, agreement, ", ".join(profiles))
    return table
