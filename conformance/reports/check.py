"""A check, for a person and for a program: one that has just run, and one that was kept, from the same records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from rankspec.conformance.cases.plain_text import in_one_line, printable
from rankspec.conformance.checks.records import CheckRecord, Entry, ImplementationRecord
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.reports.console import cases_table, plain_table, say
from rankspec.conformance.reports.differences import print_differences
from rankspec.conformance.reports.failures import print_new_failures
from rankspec.conformance.reports.listing import Listing
from rankspec.conformance.reports.words import (
    drift_line,
    passed_line,
    short_number,
    stale_line,
    verdicts_line,
)
from rich.console import Console
from rich.text import Text

SCHEMA = "rankspec/check/1"
_MOST_IMPRECISE = 3
"""Cases that are told: they conform, so a few show what there is."""


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


def cases_listing(record: CheckRecord) -> Listing:
    """Return every case of every implementation, a row each."""
    table = plain_table(
        "implementation", "version", "convention", "case", "measure", "verdict", "got", "exact", "known"
    )
    for each in record.implementations:
        version = each.data.get("version") or ""
        for case in each.cases:
            told = (case.measure, case.verdict.value, case.got, case.exact or "", case.known or "")
            table.add_row(each.name, version, each.convention, case.id, *told)
    return table


def print_check(console: Console, record: CheckRecord, *, every_case: bool = False, commands: bool = True) -> None:
    """Print what was found: where conventions differ, then each implementation, what is new first.

    Args:
        console: where to.
        record: what was found.
        every_case: list every case that does not conform; otherwise the smallest ten, and how many more there are.
        commands: end with a command line that says more; a function object can't be named in one.
    """
    if record.differences:
        print_differences(console, record)
    for drift in record.drift:
        _print_drift(console, drift)
    for implementation in record.implementations:
        _print_implementation(console, record, implementation, every_case=every_case, commands=commands)
    for line in [passed_line(*entry) for entry in record.passed] + [stale_line(*entry) for entry in record.stale]:
        say(console, Text(printable(line)))
    if record.stopped is not None:
        _print_incomplete(console, record)


def _print_incomplete(console: Console, record: CheckRecord) -> None:
    """Say at the end, where it is read, that this is not all."""
    asked = [f"{each.name}: {_so_far(each)}" for each in record.implementations if each.data.get("complete") is False]
    lines = [f"This report is partial ({record.stopped}):", *asked]
    lines += [f"{name}: not started" for name in record.not_started]
    for line in lines:
        say(console, Text(line, style="bold red" if line == lines[0] else ""))


def _so_far(implementation: ImplementationRecord) -> str:
    not_asked = implementation.data.get("not_asked")
    missing = implementation.missing + (not_asked if isinstance(not_asked, int) else 0)
    if not missing:
        return "every question was asked, but not every one a second time"
    return f"{missing} of {implementation.questions} questions were not asked"


def _print_implementation(
    console: Console, record: CheckRecord, implementation: ImplementationRecord, *, every_case: bool, commands: bool
) -> None:
    asked, failing = len(implementation.asked), implementation.failing
    say(
        console,
        Text.assemble(
            (in_one_line(implementation.label), "bold"),
            f" under {in_one_line(implementation.convention)}: ",
            (f"{implementation.conforming} of {asked} cases conform", "yellow" if failing else "green"),
        ),
    )
    say(console, f"  {verdicts_line(implementation)}")
    mutated = implementation.data.get("changed_its_arguments") or ()
    remarks = [f"it changed its arguments in {len(mutated)} cases, first in {mutated[0]}"] if mutated else []
    imprecise = [case for case in implementation.cases if case.verdict is Verdict.IMPRECISE]
    remarks += [f"imprecise: {case.id} is {case.detail}" for case in imprecise[:_MOST_IMPRECISE]]
    for remark in [*remarks, *implementation.remarks]:
        say(console, Text(f"  {in_one_line(remark)}"))
    print_new_failures(console, record, implementation, every_case=every_case, commands=commands)
    known = Counter(case.known for case in failing if case.known is not None)
    for reason, count in known.most_common():
        say(console, Text(f"  {count} known: {in_one_line(reason)}", style="dim"))
    console.print()


def _print_drift(console: Console, drift: Mapping[str, Any]) -> None:
    """Print a step from one version to another: how many cases changed, and a line for each."""
    say(console, Text(drift_line(drift), style="bold"))
    table = cases_table("case", "measure", "old", "new", "exact", "verdict")
    for each in drift.get("cases") or ():
        if each.get("kind") == "rounding":
            continue
        verdicts = dict.fromkeys(str(each.get(key)) for key in ("old_verdict", "new_verdict"))
        texts = (_short(str(each.get(key) or "")) for key in ("old_text", "new_text"))
        table.add_row(each.get("id"), each.get("measure"), *texts, each.get("exact") or "", " -> ".join(verdicts))
    if table.rows:
        console.print(table, crop=False)
    console.print()


def _short(text: str) -> str:
    """Shorten the number of `0.30000000000000004`, or of `q1: 0.30000000000000004`."""
    query, colon, number = text.rpartition(": ")
    return f"{query}{colon}{short_number(number)}"
