"""Where the conventions of implementations differ, in plain words: the words of the axes' values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankspec.conformance.cases.plain_text import printable
from rankspec.conformance.checks.causes import rule_phrase
from rankspec.conformance.checks.records import CheckRecord
from rankspec.conformance.reports.blocks import Line, Report, Table
from rankspec.conformance.reports.words import counted, short_number
from rankspec.oracle.language.sentence import joined

_CUTOFF = "cutoff"
_CUTOFFS = {"k": "takes k", "none": "takes no k"}


def differences_report(record: CheckRecord) -> Report:
    """Yield a paragraph an axis on which they differ, first those that the most different numbers show."""
    names = [each.name for each in record.implementations]
    differing = by_interest(record.differences)
    rules = counted(len(differing), "rule") if differing else "no rule that these cases show"
    yield Line(f"{printable(joined(names))} differ on {rules}.", style="bold")
    for row in differing:
        yield from _axis(row, names)
    yield ""


def by_interest(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the rows on which implementations differ, those first that are shown by the most different numbers."""

    def interest(row: Mapping[str, Any]) -> tuple[bool, int, int]:
        numbers = [text for text in map(str, (row.get("numbers") or {}).values()) if _is_number(text)]
        return row.get("axis") == _CUTOFF, -len({*numbers}), -len(numbers)

    return sorted((row for row in rows if row.get("differs")), key=interest)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _axis(row: Mapping[str, Any], names: list[str]) -> Report:
    """Yield the axis with a case that shows it, and a line for those who answer alike: what they do, their answer."""
    axis = str(row.get("axis"))
    values, numbers, contradicted = (row.get(key) or {} for key in ("values", "numbers", "contradicted"))
    case = f"    ({printable(str(row['case']))})" if row.get("case") else ""
    yield Line("  ", (axis.replace("_", " "), "bold"), case)
    alike: dict[tuple[str, str], list[str]] = {}
    for name in names:
        if (value := values.get(name)) is not None:
            except_in = f" (but not in {contradicted[name]})" if name in contradicted else ""
            answer = short_number(str(numbers.get(name, "")))
            alike.setdefault((answer, f"{value_phrase(axis, str(value))}{except_in}"), []).append(name)
    table = Table("implementation", "answer", "rule", indent=4, has_headings=False)
    for said, those in alike.items():
        table.add_row(", ".join(those), *said)
    yield table


def value_phrase(axis: str, value: str) -> str:
    """Say what an implementation does that has a value of an axis; of an axis that is not known here, the value."""
    if axis == _CUTOFF:
        return _CUTOFFS.get(value, value)
    return rule_phrase(f"{axis}={value}") or value
