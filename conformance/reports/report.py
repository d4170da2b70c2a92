"""Kept checks, rendered again: several files as one report, for a person and for a program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankspec.conformance.checks.merging import Conflict, Merged
from rankspec.conformance.checks.plain_text import in_one_line, printable
from rankspec.conformance.checks.records import CaseRecord, CheckRecord, ImplementationRecord
from rankspec.conformance.reports.console import print_whole
from rankspec.conformance.reports.words import (
    drift_line,
    exact_text,
    missing_line,
    passed_line,
    short_number,
    stale_line,
    verdicts_line,
)
from rich.console import Console
from rich.table import Table
from rich.text import Text

SCHEMA = "rankspec/report/1"


def as_json(found: Merged, files: Mapping[str, CheckRecord]) -> dict[str, Any]:
    """Return the whole as one object: that of `check --json`, and what is said of the files."""
    record = found.record
    return {
        "schema": SCHEMA,
        "rankspec": record.rankspec,
        "measure": record.measure,
        "complete": record.complete,
        "to_come": record.to_come,
        "answers": record.answers,
        "files": [
            {"file": name, "complete": each.complete, "answers": each.answers, "to_come": each.to_come}
            for name, each in files.items()
        ],
        "implementations": [_implementation_json(each) for each in record.implementations],
        "differences": [dict(row) for row in record.differences],
        "drift": [dict(each) for each in record.drift],
        "unexpected": [{"implementation": name, "id": case} for name, case in record.unexpected],
        "unexpected_passes": [{"implementation": name, "id": case} for name, case in record.passed],
        "stale_known_failures": [{"implementation": name, "id": case} for name, case in record.stale],
        "conflicts": [
            {
                "implementation": each.implementation,
                "id": each.id,
                "answers": {file: dict(case.data) for file, case in each.answers.items()},
            }
            for each in found.conflicts
        ],
        "repeated": found.repeated,
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


def print_report(console: Console, found: Merged, files: Mapping[str, CheckRecord]) -> None:
    """Print what the files hold: each implementation, what does not conform, and what is wrong with the files."""
    record = found.record
    for implementation in record.implementations:
        _print_implementation(console, implementation)
    between = [_difference_line(row) for row in record.differences if row.get("differs")]
    between += [drift_line(drift) for drift in record.drift]
    for line in between:
        console.print(Text(line), soft_wrap=True)
    if between:
        console.print()
    lines = [passed_line(*entry) for entry in record.passed] + [stale_line(*entry) for entry in record.stale]
    if found.repeated:
        answers = "1 answer stands" if found.repeated == 1 else f"{found.repeated} answers stand"
        lines.append(f"{answers} in more than one file, and the same in each")
    for line in lines:
        console.print(Text(printable(line)), soft_wrap=True)
    faults = [_conflict_line(conflict) for conflict in found.conflicts]
    lacking = ((file, missing_line(each)) for file, each in files.items())
    faults += [f"{file}: {missing}" for file, missing in lacking if missing is not None]
    for line in faults:
        console.print(Text(printable(line), style="red"), soft_wrap=True)


def _conflict_line(conflict: Conflict) -> str:
    said = "; ".join(f"{_answer(case)} in {file}" for file, case in conflict.answers.items())
    return f"{conflict.implementation}: {conflict.id} is answered differently: {said}"


def _answer(case: CaseRecord) -> str:
    return f"{case.verdict.value} ({case.got})"


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
    for remark in implementation.data.get("remarks") or ():
        console.print(Text(f"  {in_one_line(str(remark))}"), soft_wrap=True)
    if failing:
        table = cases_table("  case", "measure", "got", "exact", "verdict", "what it is")
        for case in failing:
            verdict = case.verdict.value + (" (known)" if case.known is not None else "")
            what = case.detail if case.known is None else case.known
            cells = (f"  {case.id}", case.measure, short_number(case.got), exact_text(case.exact), verdict, what)
            table.add_row(*map(_cell, cells))
        print_whole(console, table)
    console.print()


def cases_table(*headings: str) -> Table:
    """Return an empty table of cases, whose last column alone may be broken into lines."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for heading in headings:
        table.add_column(heading, no_wrap=heading != headings[-1], overflow="fold")
    return table


def _cell(text: str) -> Text:
    return Text(printable(text).rstrip("\n"))


def _difference_line(row: Mapping[str, Any]) -> str:
    values = ", ".join(f"{name} {value or '-'}" for name, value in (row.get("values") or {}).items())
    case = f" (shown by {row['case']})" if row.get("case") else ""
    return in_one_line(f"they differ on {row.get('axis')}: {values}{case}")
