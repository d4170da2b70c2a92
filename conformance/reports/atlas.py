"""The atlas for a person and for a program: the matrix, one library, and what changed since the record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rankspec.conformance.atlas.record import Measured, Record, as_data, axes_in, default_text
from rankspec.conformance.atlas.records import AtlasChange, history
from rankspec.conformance.reports.console import plain_table, say
from rankspec.conformance.reports.drift import change_lines
from rankspec.conformance.reports.listing import Listing
from rich.console import Console

SCHEMA = "rankspec/atlas/1"
_LEGEND = (
    "blank: the default, or no axis of the measure; a/b: undecided, both fit; -: not visible in this way of calling;"
    " ~: of the closest convention, which does not explain every answer"
)


def of_measure(records: Iterable[Record], measure: str | None) -> tuple[Record, ...]:
    """Return the records of those that have a measure (`AP`, with every cutoff; `AP@10`), with it alone."""
    if measure is None:
        return tuple(records)
    found = []
    for record in records:
        kept = tuple(each for each in record.measured if measure in {each.measure, each.measure.partition("@")[0]})
        if kept:
            found.append(Record(record.library, record.version, record.licence, record.home, record.why, kept))
    return tuple(found)


def matrix_json(records: Sequence[Record]) -> dict[str, Any]:
    """Return every record as one object, with the axes that occur."""
    return {"schema": SCHEMA, "axes": axes_in(tuple(records)), "records": [as_data(each) for each in records]}


def matrix(records: Sequence[Record], *, whole: bool) -> Listing:
    """Return a row an implementation, version and measure, and a column an axis.

    Args:
        records: of the rows.
        whole: with every axis and every value (for a program), not only those that differ from the default.
    """
    rows = [(record, each) for record in records for each in record.measured]
    axes = axes_in(tuple(records))
    if not whole:
        axes = [axis for axis in axes if any(_differs(each, axis) for _, each in rows)]
    table = plain_table("implementation", "version", "measure", "status", *axes)
    for record, each in rows:
        cells = [each.cell(axis) if whole else _shown(each, axis) for axis in axes]
        table.add_row(record.name_of(each), record.version, each.measure, each.status, *cells)
    if whole:
        for record in records:
            if record.why is not None:
                table.add_row(record.library, record.version or "", "", "not measured", *[""] * len(axes))
    return table


def _differs(each: Measured, axis: str) -> bool:
    return each.cell(axis).lstrip("~") not in {"", "-", default_text(axis)}


def _shown(each: Measured, axis: str) -> str:
    """Return a cell as a terminal shows it: blank means the default, so nothing else may be blank."""
    values = each.axes.get(axis, ())
    if len(values) > _MOST_VALUES and axis not in each.unused and axis not in each.not_observable:
        return f"{'/'.join(values[:_MOST_VALUES])}/+{len(values) - _MOST_VALUES}"
    cell = each.cell(axis)
    return "" if cell == default_text(axis) else cell


_MOST_VALUES = 2
"""Of an undecided axis, which may have nine; `atlas NAME` and --csv have all."""


def print_matrix(console: Console, records: Sequence[Record]) -> None:
    """Print the rows, what the cells mean, and what could not be measured."""
    console.print(matrix(records, whole=False), crop=False)
    say(console, "")
    say(console, _LEGEND, style="dim")
    missing = [each for each in records if each.why is not None]
    if missing:
        say(console, "")
        say(console, "not measured:", style="bold")
        for each in missing:
            say(console, f"  {_title(each)}: {each.why}")
    measured = [each for each in records if each.measured]
    say(console, f"{len(measured)} records; `rankspec atlas NAME` says all of one library.", style="dim")


def library_json(records: Sequence[Record]) -> dict[str, Any]:
    """Return the records of one library as one object, with what changed from version to version."""
    return {**matrix_json(records), "changes": changes_json(history(records))}


def print_library(console: Console, records: Sequence[Record]) -> None:
    """Print what is known of one library, version by version."""
    for record in records:
        say(console, _title(record), style="bold")
        about = ", ".join(text for text in (record.licence, record.home) if text)
        if about:
            say(console, f"  {about}", style="dim")
        if record.why is not None:
            say(console, f"  not measured: {record.why}")
        for each in record.measured:
            _print_measured(console, record, each)
    changed = [change for change in history(records) if change.what]
    if changed:
        say(console, "between versions", style="bold")
        print_changes(console, changed)


def _title(record: Record) -> str:
    return record.library if record.version is None else f"{record.library} {record.version}"


def _print_measured(console: Console, record: Record, each: Measured) -> None:
    say(console, f"  {each.measure} ({record.name_of(each)}): {each.status}")
    if each.expression is not None:
        say(console, f"    {'' if each.is_whole else 'nearest: '}{each.expression}")
    if each.undecided:
        say(console, f"    could not be told: {', '.join(each.undecided)}")
    if each.not_observable:
        say(console, f"    not observable in this shape: {', '.join(each.not_observable)}", style="dim")
    for text in each.observations:
        say(console, f"    * {text}")
    if each.remark is not None:
        say(console, f"    * {each.remark}")
    if each.smallest is not None:
        given = ", ".join(f"{name} {value}" for name, value in each.smallest.input.items())
        say(console, f"    smallest input: {given}: {each.smallest.got}, not {each.smallest.exact}")
    if each.versions is not None:
        answered = each.versions.versions
        since = f"since {each.versions.since}" if each.versions.changes else f"from {answered[0]} to {answered[-1]}"
        say(console, f"    answers so {since}")
        for line in change_lines(each.versions):
            say(console, f"      {line}")
    say(console, f"    called: {each.how} ({each.shape})", style="dim")
    say(console, f"    {each.date}, Python {each.python}, {each.platform}: {each.command}", style="dim")


def changes_json(found: Iterable[AtlasChange]) -> list[dict[str, Any]]:
    """Return changes as plain data."""
    return [
        {
            "implementation": each.implementation,
            "measure": each.measure,
            "versions": list(each.versions),
            "what": list(each.what),
        }
        for each in found
    ]


def print_changes(console: Console, found: Iterable[AtlasChange]) -> None:
    """Print a line a change."""
    for each in found:
        old, new = each.versions
        versions = old if old == new else f"{old} -> {new}"
        say(console, f"  {each.implementation} {versions}, {each.measure}: {'; '.join(each.what) or 'nothing changed'}")
