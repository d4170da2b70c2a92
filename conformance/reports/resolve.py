"""Which conventions give a number, or several, as text and as one object."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rankspec.conformance.answers.resolution import resolutions_answer
from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.cases.plain import data_of, plain
from rankspec.conformance.infer.resolve.resolve import JointResolution, Resolution
from rankspec.conformance.infer.resolve.search import Explanation
from rankspec.conformance.reports.answer import page_report
from rankspec.conformance.reports.blocks import Report, Table
from rankspec.oracle.values import to_text

_LONGEST_FRACTION = 9


def resolution_data(resolution: Resolution) -> dict[str, Any]:
    """Return what `resolve --json` has."""
    default = resolution.default_number
    return {
        "schema": "rankspec/resolve/1",
        **data_of(resolution, "measure", "status", value="printed"),
        "explanations": [_explanation_data(each) for each in resolution.explanations],
        "nearest": [_explanation_data(each) | {"percentage": each.percentage} for each in resolution.nearest],
        "default": {"exact": to_text(default), "decimal": decimal_text(default)},
        **data_of(resolution, "searched", "complete", "may_be_chance"),
        "expected_accidental": round(float(resolution.expected_accidental), 4),
        "errata": [plain(vars(each)) for each in resolution.errata],
    }


def joint_data(joint: JointResolution) -> dict[str, Any]:
    """Return what became of several numbers: `resolve --json`'s object of the first, and all of them under `values`."""
    values = [resolution_data(each) for each in joint.values]
    return {
        **values[0],
        "status": joint.status,
        "values": [{name: part for name, part in each.items() if name != "schema"} for each in values],
        "pairs": [
            {
                "first": {"value": one.printed, **_explanation_data(pair.first)},
                "second": {"value": other.printed, **_explanation_data(pair.second)},
                "axes": list(pair.axes),
                "parting": pair.parting and pair.parting.text,
            }
            for (one, other), pair in joint.paired
        ],
        "expected_accidental": round(float(joint.expected_accidental), 4),
    }


def _explanation_data(each: Explanation) -> dict[str, Any]:
    return {
        **data_of(each, "measure", "convention", "axes", "decimal", "agreement", "profiles"),
        **data_of(each, expression="text", exact="exact_text"),
        "differences": len(each.convention.differences()),
    }


def resolutions_report(joint: JointResolution, computing: Sequence[str] = (), *, all_of_them: bool = False) -> Report:
    """Yield what became of numbers; with `all_of_them` a table of every convention that gives them, by itself."""
    if all_of_them:
        for each in joint.values:
            yield f"{each.printed}: {len(each.explanations)} of {each.searched} conventions give it."
            yield _table(each.explanations or each.nearest)
    else:
        yield from page_report(resolutions_answer(joint, computing))


def _table(explanations: Iterable[Explanation]) -> Table:
    table = Table("convention", "exact", "decimal", "agreement", "as in")
    for each in explanations:
        agreement = "as a percentage" if each.percentage else each.agreement or ""
        profiles = ", ".join(name for name in each.profiles if name != each.convention_text)
        table.add_row(each.text, shortened(each.exact_text), each.decimal, agreement, profiles)
    return table


def shortened(exact: str) -> str:
    """Return a value as it is, or nothing where nobody would read it; a decimal stands beside it."""
    return exact if len(exact) <= _LONGEST_FRACTION else ""
