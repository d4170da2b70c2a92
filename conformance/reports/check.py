"""A check, for a person and for a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankspec.conformance.checks.check import Answer, Checked, outcome_text, outcome_value
from rankspec.conformance.checks.differences import Difference
from rankspec.conformance.checks.drift import drifts
from rankspec.conformance.checks.known_failures import Gate
from rankspec.conformance.checks.parallel import Together
from rankspec.conformance.questions.rendering import Asked
from rankspec.conformance.reports.console import print_whole
from rankspec.conformance.reports.drift import drift_json, labelled, print_drift
from rankspec.conformance.reports.words import own_version, short_number
from rankspec.conformance.run.outcomes import NotAsked, PerQuery
from rankspec.conformance.worker.messages import Hello
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.values import Undefined, to_text
from rich.console import Console
from rich.table import Table
from rich.text import Text

SCHEMA = "rankspec/check/1"


def as_json(
    checks: Sequence[Checked],
    rows: Sequence[Difference],
    held: Gate,
    measure: Measure | None = None,
    together: Together | None = None,
) -> dict[str, Any]:
    """Return the whole finding as one object.

    Args:
        checks: what was found of each implementation.
        rows: where they differ.
        held: what was known.
        measure: the one that the user stated, if any.
        together: whether everything was asked, and why not; None if it was.
    """
    return {
        "schema": SCHEMA,
        "rankspec": own_version(),
        "measure": None if measure is None else str(measure),
        "complete": together is None or together.complete,
        "stopped": None if together is None or together.complete else together.reason,
        "not_started": [] if together is None else list(together.not_started),
        "implementations": [_implementation_json(checked, held) for checked in checks],
        "differences": [_difference_json(row) for row in rows],
        "drift": drift_json(drifts(checks)),
        "unexpected": [{"implementation": name, "id": case} for name, case in held.unexpected],
        "unexpected_passes": [{"implementation": name, "id": case} for name, case in held.passed],
        "stale_known_failures": [{"implementation": name, "id": case} for name, case in held.stale],
    }


def greeting_json(name: str, hello: Hello, convention: str) -> dict[str, Any]:
    """Return what is known of an implementation before it answers."""
    return {
        "name": name,
        "version": hello.version,
        "python": hello.python,
        "shape": hello.shape.value,
        "convention": convention,
    }


def _implementation_json(checked: Checked, held: Gate) -> dict[str, Any]:
    return {
        **greeting_json(checked.name, checked.hello, checked.convention_text),
        "verdicts": {verdict.value: count for verdict, count in checked.counts.items()},
        "conforming": len(checked.asked) - len(checked.nonconforming),
        "asked": len(checked.asked),
        "complete": checked.complete,
        "questions": checked.questions,
        "cases": [
            answer_json(answer, held.known.get((checked.name, answer.question.id))) for answer in checked.answers
        ],
        "changed_its_arguments": list(checked.mutated),
        "remarks": list(checked.remarks),
    }


def answer_json(answer: Answer, known: str | None) -> dict[str, Any]:
    """Return one case; `known` is why it is known not to conform, if it is."""
    entry: dict[str, Any] = {
        "id": answer.question.id,
        "measure": str(answer.question.measure),
        "verdict": answer.verdict.value,
        "value": outcome_value(answer.outcome),
        "got": None if answer.outcome is None else outcome_text(answer.outcome),
        "exact": answer.put.expectation.text if isinstance(answer.put, Asked) else None,
        "detail": answer.judgement.detail,
        "cases": list(answer.question.cases),
    }
    if answer.pair is not None:
        entry["pair"] = answer.pair.data
    if isinstance(answer.outcome, PerQuery) and isinstance(answer.put, Asked):
        entry["per_query"] = {query: outcome_value(number) for query, number in answer.outcome.values.items()}
        entry["exact_per_query"] = {query: to_text(value) for query, value in answer.put.expectation.per_query.items()}
    if known is not None:
        entry["known"] = known
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


def print_check(
    console: Console,
    checks: Sequence[Checked],
    rows: Sequence[Difference],
    held: Gate,
    together: Together | None = None,
) -> None:
    """Print what was found: each implementation, its nonconforming cases, and the table of differences."""
    for checked in checks:
        _print_implementation(console, checked, held)
    if len(checks) > 1:
        _print_differences(console, checks, rows)
        print_drift(console, drifts(checks))
    _print_gate(console, held)
    if together is not None and not together.complete:
        _print_incomplete(console, checks, together)


def _print_incomplete(console: Console, checks: Sequence[Checked], together: Together) -> None:
    """Say at the end, where it is read, that this is not all."""
    asked = [f"{checked.name}: {_so_far(checked)}" for checked in checks if not checked.complete]
    lines = [f"This report is partial ({together.reason}):", *asked]
    lines += [f"{name}: not started" for name in together.not_started]
    for line in lines:
        console.print(Text(line, style="bold red" if line == lines[0] else ""), soft_wrap=True)


def _so_far(checked: Checked) -> str:
    missing = checked.questions - len(checked.answers)
    missing += sum(isinstance(answer.outcome, NotAsked) for answer in checked.answers)
    if not missing:
        return "every question was asked, but not every one a second time"
    return f"{missing} of {checked.questions} questions were not asked"


def _print_implementation(console: Console, checked: Checked, held: Gate) -> None:
    asked, failing = len(checked.asked), checked.nonconforming
    label = labelled(checked.name, checked.hello.version)
    console.print(
        Text.assemble(
            (label, "bold"),
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
        print_whole(console, _failing_table(checked, failing, held))
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
