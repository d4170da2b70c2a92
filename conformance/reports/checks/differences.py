"""Where the conventions of implementations differ, in plain words: the words of the axes' values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankspec.conformance.cases.plain_text import printable
from rankspec.conformance.checks.records import CheckRecord
from rankspec.conformance.reports.blocks import Line, Report, Table
from rankspec.conformance.reports.words import short_number
from rankspec.oracle.conventions.convention import AXES

_CUTOFF = "cutoff"
_MEANING_OF_CUTOFF = "Whether a list is cut off after k documents."
_NOT_VISIBLE = "Not visible: its inputs or these cases can't express it"
_CUTOFFS = {"k": "It takes k.", "none": "It takes no k."}


def differences_report(record: CheckRecord) -> Report:
    """Yield a paragraph an axis on which they differ, then in a line the axes on which they don't.

    First come the axes on which numbers differ, where most numbers do.
    """
    names = [each.name for each in record.implementations]
    yield Line("Where their conventions differ", style="bold")
    differing = by_interest(record.differences)
    for place, row in enumerate(differing):
        yield from _axis(row, names, has_headings=place == 0)
    if not differing:
        yield "  no difference found in these cases"
    same = [row for row in record.differences if not row.get("differs")]
    for what, rows in (
        ("No difference found", [row for row in same if len(_visible(row)) > 1]),
        ("Visible in one implementation only", [row for row in same if len(_visible(row)) <= 1]),
    ):
        if rows:
            listed = ", ".join(f"{row.get('axis')} ({', '.join(_visible(row)[:1]) or '-'})" for row in rows)
            yield Line(f"  {what}: {printable(listed)}", style="dim")
    for row in record.differences:
        for name, case in (row.get("contradicted") or {}).items():
            note = f"* {name}, {row.get('axis')}={(row.get('values') or {}).get(name)}: not in {case}"
            yield Line(f"  {printable(note)}", style="dim")
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


def _visible(row: Mapping[str, Any]) -> list[str]:
    """Return the values of the implementations in which the axis is visible."""
    return [str(value) for value in (row.get("values") or {}).values() if value is not None]


def _axis(row: Mapping[str, Any], names: list[str], *, has_headings: bool) -> Report:
    axis = str(row.get("axis"))
    values, numbers, contradicted = (row.get(key) or {} for key in ("values", "numbers", "contradicted"))
    meaning = axis_meaning(axis)
    yield Line("  ", (axis, "bold"), f": {meaning}" if meaning else "")
    answers = ["answers"] if numbers else []
    table = Table("implementation", *answers, "value", "what it means", indent=4, has_headings=has_headings)
    alike: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        value = values.get(name)
        shown = "-" if value is None else f"{value}{'*' if name in contradicted else ''}"
        what = _NOT_VISIBLE if value is None else value_meaning(axis, str(value))
        answer = [short_number(str(numbers.get(name, "")))] if answers else []
        alike.setdefault((*answer, shown, what), []).append(name)
    for said, those in alike.items():
        table.add_row(", ".join(those), *said)
    yield table
    if row.get("case"):
        yield Line(f"    shown by {printable(str(row['case']))}", style="dim")


def axis_meaning(axis: str) -> str:
    """Return what an axis is about, in a sentence."""
    if axis == _CUTOFF:
        return _MEANING_OF_CUTOFF
    return AXES[axis].meaning if axis in AXES else ""


def value_meaning(axis: str, value: str) -> str:
    """Return what a value of an axis means, in a sentence; nothing for a number, or an axis that is not known here."""
    if axis == _CUTOFF:
        return _CUTOFFS.get(value, "")
    known = AXES[axis].values if axis in AXES else None
    return next((each.meaning for each in known or () if str(each) == value), "")
