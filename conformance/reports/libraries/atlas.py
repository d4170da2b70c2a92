"""The atlas for programs: the matrix and the records; what changed between versions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from rankspec.conformance.atlas.record import Record, as_data, axes_in
from rankspec.conformance.atlas.records import history
from rankspec.conformance.cases.plain import plain
from rankspec.conformance.reports.blocks import Table


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
