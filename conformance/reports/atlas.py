"""The atlas: the matrix, one library, what changed since a record or between versions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rankspec.conformance.atlas.record import Measured, Record, VersionsAsked, as_data, axes_in
from rankspec.conformance.atlas.records import AtlasChange, history
from rankspec.conformance.cases.plain import data_of, plain
from rankspec.conformance.reports.blocks import Line, Report, Table
from rankspec.oracle.language.expression import parse_expression
from rankspec.oracle.language.sentence import joined, phrases


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


def words(each: Measured) -> str:
    """Return what was found of a measure as the end of a sentence: `divides by R and keeps the input order of ties`."""
    if each.expression is None or not (each.conventions or each.explained):
        return _WORDS.get(each.status, each.status)
    measure, convention = parse_expression(each.expression)
    settled = [axis for axis in each.axes if axis not in {*each.unused, *each.undecided}]
    stated = phrases(measure, convention, settled, only_stated=True)
    parts = [
        joined(stated) if stated else "as it is defined",
        *(f"except for {deviation}" for deviation in each.deviations),
    ]
    return "; ".join(parts)


_WORDS = {
    "failed": "our call failed",
    "unstable": "no rule: the same question had different answers",
    "outside": "no rule was found that explains every answer",
}


def matrix_report(records: Sequence[Record]) -> Report:
    """Yield the rows in words, and what could not be measured."""
    table = Table("library", "version", "measure", "what it computes")
    for record in records:
        for each in record.measured:
            table.add_row(record.name_of(each), record.version, each.measure, words(each))
    yield table
    missing = [each for each in records if each.why is not None]
    if missing:
        yield ""
        yield Line("not measured:", style="bold")
        yield from (f"  {_title(each)}: {each.why}" for each in missing)
    measured = [each for each in records if each.measured]
    yield Line(
        f"{len(measured)} records; `rankspec atlas NAME` says all of one library, --csv has every axis.", style="dim"
    )


def library_data(records: Sequence[Record]) -> dict[str, Any]:
    """Return the records of one library as `atlas NAME --json` has them, with what changed from version to version."""
    return {**matrix_data(records), "changes": plain(history(records))}


def library_report(records: Sequence[Record]) -> Report:
    """Yield what is known of one library, version by version."""
    for record in records:
        yield Line(_title(record), style="bold")
        if about := ", ".join(text for text in (record.licence, record.home) if text):
            yield Line(f"  {about}", style="dim")
        if record.why is not None:
            yield f"  not measured: {record.why}"
        for each in record.measured:
            yield from _measured(record, each)
    if changes := [change for change in history(records) if change.what]:
        yield Line("between versions", style="bold")
        yield from changes_report(changes)


def _title(record: Record) -> str:
    return record.library if record.version is None else f"{record.library} {record.version}"


def _measured(record: Record, each: Measured) -> Report:
    yield f"  {each.measure} ({record.name_of(each)}): {each.status}"
    if each.expression is not None:
        yield f"    {'' if each.is_whole else 'nearest: '}{each.expression}"
    if each.undecided:
        yield f"    not determined: {', '.join(each.undecided)}"
    if each.not_observable:
        yield Line(f"    not visible in this shape: {', '.join(each.not_observable)}", style="dim")
    remarks = [] if each.remark is None else [each.remark]
    yield from (f"    * {text}" for text in [*each.observations, *remarks])
    if each.smallest is not None:
        yield f"    smallest input: {_input(each.smallest.input)}: {each.smallest.got}, not {each.smallest.exact}"
    if each.versions is not None:
        answered = each.versions.versions
        since = f"since {each.versions.since}" if each.versions.changes else f"from {answered[0]} to {answered[-1]}"
        yield f"    answers so {since}"
        yield from (f"      {line}" for line in _version_lines(each.versions))
    yield Line(f"    called: {each.how} ({each.shape})", style="dim")
    yield Line(f"    {each.date}, Python {each.python}, {each.platform}: {each.command}", style="dim")


def _input(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in given.items())


def changes_report(changes: Iterable[AtlasChange]) -> Report:
    """Yield a line a change."""
    for each in changes:
        versions = " -> ".join(dict.fromkeys(each.versions))
        yield f"  {each.implementation} {versions}, {each.measure}: {'; '.join(each.what) or 'nothing changed'}"


def versions_data(implementation: str, measure: str, asked: VersionsAsked, *, bisected: bool) -> dict[str, Any]:
    """Return between which versions a library changed as `drift --json` has it."""
    return {
        "schema": "rankspec/drift/1",
        "implementation": implementation,
        "measure": measure,
        "bisected": bisected,
        **data_of(asked, asked="versions", failed="failed"),
        "since": asked.since if bisected else None,
        **data_of(asked, "changes", "command", "date"),
    }


def versions_report(implementation: str, measure: str, asked: VersionsAsked, *, bisected: bool) -> Report:
    """Yield a change a paragraph, and what was asked."""
    yield Line(f"{implementation}, {measure}, {asked.versions[0]} to {asked.versions[-1]}", style="bold")
    yield from _version_lines(asked)
    if not asked.changes:
        yield "the first and the last answer alike; what came between and went again is not seen"
    elif bisected:
        yield f"as now since {asked.since}"
    yield Line(f"asked: {', '.join(asked.versions)}", style="dim")
    yield from (Line(f"could not be asked: {version}: {why}", style="dim") for version, why in asked.failed.items())


def _version_lines(asked: VersionsAsked) -> Iterable[str]:
    """Yield what changed, two lines a change."""
    for each in asked.changes:
        between = f" ({', '.join(each.unasked)} could not be asked)" if each.unasked else ""
        yield f"{each.before} -> {each.since}{between}: {each.differing} of {each.asked} inputs"
        yield f"  smallest: {_input(each.input)}: {each.old}, then {each.new}"
