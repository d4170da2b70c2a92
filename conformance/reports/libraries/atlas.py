"""The atlas for programs: the matrix and the records; what changed between versions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from rankspec.conformance.atlas.record import Record, VersionHistory, as_data, axes_in
from rankspec.conformance.atlas.records import history
from rankspec.conformance.cases.plain import data_of, plain
from rankspec.conformance.reports.blocks import Line, Report, Table
from rankspec.oracle.language.sentence import joined


def of_measure(records: Iterable[Record], measure: str | None) -> tuple[Record, ...]:
    """Return the records of those that have a measure (`AP`, with every cutoff; `AP@10`), with it alone."""
    if measure is None:
        return tuple(records)
    cut = (
        (each, [m for m in each.measured if measure in {m.measure, m.measure.partition("@")[0]}]) for each in records
    )
    return tuple(replace(record, measured=tuple(measured)) for record, measured in cut if measured)


def matrix_data(records: Sequence[Record]) -> dict[str, Any]:
    """Return every record as `atlas --json` has them, with the axes that occur."""
    axes = axes_in(tuple(records))
    return {"schema": "rankspec/atlas/1", "axes": axes, "records": [as_data(each) for each in records]}


def matrix(records: Sequence[Record]) -> Table:
    """Return a row an implementation, version and measure, and a column an axis: all of it, for a program."""
    axes = axes_in(tuple(records))
    table = Table("implementation", "version", "measure", "status", *axes)
    for record in records:
        for each in record.measured:
            cells = [each.cell(axis) for axis in axes]
            table.add_row(record.name_of(each), record.version, each.measure, each.status, *cells)
        if record.why is not None:
            table.add_row(record.library, record.version or "", "", "not measured", *[""] * len(axes))
    return table


def library_data(records: Sequence[Record]) -> dict[str, Any]:
    """Return the records of one library as `atlas NAME --json` has them, with what changed from version to version."""
    return {**matrix_data(records), "changes": plain(history(records))}


def versions_data(implementation: str, measure: str, history: VersionHistory, *, bisected: bool) -> dict[str, Any]:
    """Return between which versions a library changed as `drift --json` has it."""
    return {
        "schema": "rankspec/drift/1",
        "implementation": implementation,
        "measure": measure,
        "bisected": bisected,
        **data_of(history, asked="versions", failed="failed"),
        "since": history.since if bisected else None,
        **data_of(history, "changes", "command", "date"),
    }


def versions_report(implementation: str, measure: str, history: VersionHistory, *, bisected: bool) -> Report:
    """Yield between which versions answers changed, with the smallest input of each change, and what was asked."""
    first, last = history.versions[0], history.versions[-1]
    if history.changes:
        changed = joined([f"between {each.before} and {each.since}" for each in history.changes])
        steady = f"; from {history.since} on nothing did" if bisected else ""
        headline = f"{implementation} changed its values of {measure} {changed}{steady}."
    else:
        headline = f"{implementation} {first} and {last} return the same values of {measure}."
    yield Line(headline, style="bold")
    if not history.changes:
        yield "A change between them that was undone would not be seen."
    for each in history.changes:
        between = f" ({', '.join(each.unasked)} could not be asked)" if each.unasked else ""
        span = f"{each.before} to {each.since}{between}"
        yield f"  {span}: {each.differing} of {each.compared} inputs return another value"
        shown = ", ".join(f"{name} {value}" for name, value in each.input.items())
        yield f"    smallest: {shown}: {each.old}, then {each.new}"
    yield Line(f"Asked: {', '.join(history.versions)}.", style="dim")
    yield from (Line(f"Could not be asked: {version}: {why}", style="dim") for version, why in history.failed.items())
