"""A check, for a person and for a program."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from rankspec.conformance.checks.check import Answer, Checked, outcome_text, outcome_value
from rankspec.conformance.checks.differences import Difference
from rankspec.conformance.checks.known_failures import Gate
from rankspec.conformance.questions.rendering import Asked
from rankspec.conformance.run.outcomes import PerQuery
from rankspec.oracle.values import Undefined, to_text
from rich.console import Console
from rich.table import Table
from rich.text import Text

SCHEMA = "rankspec/check/1"


def as_json(checks: Sequence[Checked], rows: Sequence[Difference], held: Gate) -> dict[str, Any]:
    """Return the whole finding as one object."""
    return {
        "schema": SCHEMA,
        "implementations": [_implementation_json(checked, held) for checked in checks],
        "differences": [_difference_json(row) for row in rows],
        "unexpected": [{"implementation": name, "id": case} for name, case in held.unexpected],
        "unexpected_passes": [{"implementation": name, "id": case} for name, case in held.passed],
        "stale_known_failures": [{"implementation": name, "id": case} for name, case in held.stale],
    }


def _implementation_json(checked: Checked, held: Gate) -> dict[str, Any]:
    return {
        "name": checked.name,
        "version": checked.hello.version,
        "python": checked.hello.python,
        "shape": checked.hello.shape.value,
        "convention": checked.convention_text,
        "verdicts": {verdict.value: count for verdict, count in checked.counts.items()},
        "conforming": len(checked.asked) - len(checked.nonconforming),
        "asked": len(checked.asked),
        "cases": [_answer_json(checked, answer, held) for answer in checked.answers],
        "changed_its_arguments": list(checked.mutated),
        "remarks": list(checked.remarks),
    }


def _answer_json(checked: Checked, answer: Answer, held: Gate) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": answer.question.id,
        "measure": str(answer.question.measure),
        "verdict": answer.verdict.value,
        "value": outcome_value(answer.outcome),
        "exact": answer.put.expectation.text if isinstance(answer.put, Asked) else None,
        "detail": answer.judgement.detail,
        "cases": list(answer.question.cases),
    }
    if isinstance(answer.outcome, PerQuery) and isinstance(answer.put, Asked):
        entry["per_query"] = {query: outcome_value(number) for query, number in answer.outcome.values.items()}
        entry["exact_per_query"] = {query: to_text(value) for query, value in answer.put.expectation.per_query.items()}
    if reason := held.known.get((checked.name, answer.question.id)):
        entry["known"] = reason
    return entry


def _difference_json(row: Difference) -> dict[str, Any]:
    return {
        "axis": row.axis,
        "values": dict(row.values),
        "differs": row.differs,
        "case": row.case,
        "numbers": None if row.numbers is None else dict(row.numbers),
        "contradicted": dict(row.contradicted),
    }


def print_check(console: Console, checks: Sequence[Checked], rows: Sequence[Difference], held: Gate) -> None:
    """Print what was found: each implementation, its nonconforming cases, and the table of differences."""
    for checked in checks:
        _print_implementation(console, checked, held)
    if len(checks) > 1:
        _print_differences(console, checks, rows)
    _print_gate(console, held)


def _print_implementation(console: Console, checked: Checked, held: Gate) -> None:
    asked, failing = len(checked.asked), checked.nonconforming
    version = f" {checked.hello.version}" if checked.hello.version else ""
    console.print(
        Text.assemble(
            (f"{checked.name}{version}", "bold"),
            f" under {checked.convention_text}: ",
            (f"{asked - len(failing)} of {asked} cases conform", "green" if not failing else "yellow"),
        ),
        soft_wrap=True,
    )
    console.print(f"  {_verdicts_line(checked)}", soft_wrap=True, highlight=False)
    if checked.mutated:
        console.print(
            f"  it changed its arguments in {len(checked.mutated)} cases, first in {checked.mutated[0]}", soft_wrap=True
        )
    for remark in checked.remarks:
        console.print(f"  {remark}", soft_wrap=True)
    if failing:
        console.print(_failing_table(checked, failing, held))
    console.print()


def _verdicts_line(checked: Checked) -> str:
    return ", ".join(f"{count} {verdict.value}" for verdict, count in checked.counts.items()) or "nothing was asked"


def _failing_table(checked: Checked, failing: Sequence[Answer], held: Gate) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for heading in ("  case", "measure", "got", "exact", "verdict", "what it is"):
        table.add_column(heading, no_wrap=heading != "what it is", overflow="fold")
    for answer in failing:
        known = held.known.get((checked.name, answer.question.id))
        verdict = answer.verdict.value + (" (known)" if known else "")
        table.add_row(
            f"  {answer.question.id}",
            str(answer.question.measure),
            short_number(outcome_text(answer.outcome)),
            _exact_text(answer),
            verdict,
            Text(known or answer.judgement.detail),
        )
    return table


def _exact_text(answer: Answer) -> str:
    if not isinstance(answer.put, Asked):
        return ""
    expectation = answer.put.expectation
    if isinstance(expectation.value, Undefined) or expectation.value.is_integer:
        return expectation.text
    decimal = f"{float(expectation.value):.4f}"
    return f"{expectation.text} = {decimal}" if len(expectation.text) <= _LONGEST_FRACTION else decimal


_LONGEST_FRACTION = 14


def short_number(text: str) -> str:
    """Write a double with so many digits that a reader can compare it, not more."""
    try:
        number = float(text)
    except ValueError:
        return text
    return f"{number:.6g}" if isfinite(number) else text  # a number beyond the doubles stays what it is


def _print_differences(console: Console, checks: Sequence[Checked], rows: Sequence[Difference]) -> None:
    console.print(Text("Where their conventions differ", style="bold"))
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("  axis", no_wrap=True)
    for checked in checks:
        table.add_column(checked.name, overflow="fold")
    table.add_column("a case that shows it", overflow="fold")
    table.add_column("answers", overflow="fold")
    for row in rows:
        cells = [_cell(row, checked.name) for checked in checks]
        numbers = (
            " | ".join(short_number(row.numbers.get(checked.name, "")) for checked in checks) if row.numbers else ""
        )
        table.add_row(f"  {row.axis}", *cells, row.case or "", numbers, style="" if row.differs else "dim")
    console.print(table)
    console.print(
        "  A dash: its shape or these cases can't tell. An asterisk: not in every case.", style="dim", soft_wrap=True
    )
    for row in rows:
        for name, case in row.contradicted.items():
            console.print(
                f"  * {name}, {row.axis}={row.values[name]}: not in {case}",
                style="dim",
                soft_wrap=True,
                highlight=False,
            )
    console.print()


def _cell(row: Difference, name: str) -> str:
    value = row.values.get(name)
    return "-" if value is None else value + ("*" if name in row.contradicted else "")


def _print_gate(console: Console, held: Gate) -> None:
    for name, case in held.passed:
        console.print(
            f"{name}: {case} is listed as a known failure, but conforms: take it off the list", soft_wrap=True
        )
    for name, case in held.stale:
        console.print(
            f"{name}: {case} is listed as a known failure, but was not asked: take it off the list", soft_wrap=True
        )
