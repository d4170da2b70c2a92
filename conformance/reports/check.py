"""A check, for a person and for a program: one that has just run, and one that was kept, from the same records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rankspec.conformance.checks.plain_text import in_one_line, printable
from rankspec.conformance.checks.records import CheckRecord, Entry, ImplementationRecord
from rankspec.conformance.reports.console import cases_table, print_whole
from rankspec.conformance.reports.words import (
    drift_line,
    exact_text,
    passed_line,
    short_number,
    stale_line,
    verdicts_line,
)
from rich.console import Console
from rich.table import Table
from rich.text import Text

SCHEMA = "rankspec/check/1"


def as_json(record: CheckRecord) -> dict[str, Any]:
    """Return the whole finding as one object."""
    return {
        "schema": SCHEMA,
        "rankspec": record.rankspec,
        "measure": record.measure,
        "complete": record.complete,
        "stopped": record.stopped,
        "not_started": list(record.not_started),
        "implementations": [_implementation_json(each) for each in record.implementations],
        "differences": [dict(row) for row in record.differences],
        "drift": [dict(each) for each in record.drift],
        "unexpected": _entries_json(record.unexpected),
        "unexpected_passes": _entries_json(record.passed),
        "stale_known_failures": _entries_json(record.stale),
    }


def _implementation_json(implementation: ImplementationRecord) -> dict[str, Any]:
    return {
        **implementation.data,
        "verdicts": {verdict.value: count for verdict, count in implementation.counts.items()},
        "conforming": implementation.conforming,
        "asked": len(implementation.asked),
        "questions": implementation.questions,
        "cases": [dict(case.data) for case in implementation.cases],
    }


def _entries_json(entries: Iterable[Entry]) -> list[dict[str, str]]:
    return [{"implementation": name, "id": case} for name, case in entries]


def print_check(console: Console, record: CheckRecord) -> None:
    """Print what was found: each implementation, its nonconforming cases, and the table of differences."""
    for implementation in record.implementations:
        _print_implementation(console, implementation)
    if record.differences:
        _print_differences(console, record)
    for drift in record.drift:
        _print_drift(console, drift)
    for line in [passed_line(*entry) for entry in record.passed] + [stale_line(*entry) for entry in record.stale]:
        console.print(Text(printable(line)), soft_wrap=True)
    if record.stopped is not None:
        _print_incomplete(console, record)


def _print_incomplete(console: Console, record: CheckRecord) -> None:
    """Say at the end, where it is read, that this is not all."""
    asked = [f"{each.name}: {_so_far(each)}" for each in record.implementations if each.data.get("complete") is False]
    lines = [f"This report is partial ({record.stopped}):", *asked]
    lines += [f"{name}: not started" for name in record.not_started]
    for line in lines:
        console.print(Text(line, style="bold red" if line == lines[0] else ""), soft_wrap=True)


def _so_far(implementation: ImplementationRecord) -> str:
    not_asked = implementation.data.get("not_asked")
    missing = implementation.missing + (not_asked if isinstance(not_asked, int) else 0)
    if not missing:
        return "every question was asked, but not every one a second time"
    return f"{missing} of {implementation.questions} questions were not asked"


def _print_implementation(console: Console, implementation: ImplementationRecord) -> None:
    asked, failing = len(implementation.asked), implementation.failing
    console.print(
        Text.assemble(
            (in_one_line(implementation.label), "bold"),
            f" under {in_one_line(implementation.convention)}: ",
            (f"{implementation.conforming} of {asked} cases conform", "yellow" if failing else "green"),
        ),
        soft_wrap=True,
    )
    console.print(f"  {verdicts_line(implementation)}", soft_wrap=True, highlight=False)
    mutated = implementation.data.get("changed_its_arguments") or ()
    if mutated:
        line = f"it changed its arguments in {len(mutated)} cases, first in {mutated[0]}"
        console.print(Text(f"  {in_one_line(line)}"), soft_wrap=True)
    for remark in implementation.remarks:
        console.print(Text(f"  {in_one_line(remark)}"), soft_wrap=True)
    if failing:
        table = cases_table("  case", "measure", "got", "exact", "verdict", "what it is")
        for case in failing:
            verdict = case.verdict.value + (" (known)" if case.known is not None else "")
            what = case.detail if case.known is None else case.known
            cells = (f"  {case.id}", case.measure, short_number(case.got), exact_text(case.exact), verdict, what)
            table.add_row(*map(_cell, cells))
        print_whole(console, table)
    console.print()


def _cell(text: str) -> Text:
    return Text(printable(text).rstrip("\n"))


def _print_differences(console: Console, record: CheckRecord) -> None:
    names = [each.name for each in record.implementations]
    console.print(Text("Where their conventions differ", style="bold"))
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("  axis", no_wrap=True)
    for name in names:
        table.add_column(name, overflow="fold")
    table.add_column("a case that shows it", overflow="fold")
    table.add_column("answers", overflow="fold")
    notes = []
    for row in record.differences:
        values, numbers, contradicted = (row.get(key) or {} for key in ("values", "numbers", "contradicted"))
        cells = ["-" if values.get(name) is None else f"{values[name]}{'*' * (name in contradicted)}" for name in names]
        answers = " | ".join(short_number(str(numbers.get(name, ""))) for name in names) if numbers else ""
        style = "" if row.get("differs") else "dim"
        table.add_row(f"  {row.get('axis')}", *cells, row.get("case") or "", answers, style=style)
        notes += [f"  * {name}, {row['axis']}={values.get(name)}: not in {case}" for name, case in contradicted.items()]
    console.print(table)
    console.print(
        "  A dash: its shape or these cases can't tell. An asterisk: not in every case.", style="dim", soft_wrap=True
    )
    for note in notes:
        console.print(Text(printable(note)), style="dim", soft_wrap=True)
    console.print()


def _print_drift(console: Console, drift: Mapping[str, Any]) -> None:
    """Print a step from one version to another: how many cases changed, and a line for each."""
    console.print(Text(drift_line(drift), style="bold"), soft_wrap=True)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for title in ("  case", "measure", "old", "new", "exact", "verdict"):
        table.add_column(title, no_wrap=title == "  case", overflow="fold")
    for each in drift.get("cases") or ():
        if each.get("kind") == "rounding":
            continue
        verdicts = dict.fromkeys(str(each.get(key)) for key in ("old_verdict", "new_verdict"))
        texts = (_short(str(each.get(key) or "")) for key in ("old_text", "new_text"))
        cells = (f"  {each.get('id')}", str(each.get("measure")), *texts, str(each.get("exact") or ""))
        table.add_row(*map(_cell, cells), " -> ".join(verdicts))
    if table.row_count:
        console.print(table)
    console.print()


def _short(text: str) -> str:
    """Shorten the number of `0.30000000000000004`, or of `q1: 0.30000000000000004`."""
    query, colon, number = text.rpartition(": ")
    return f"{query}{colon}{short_number(number)}"
