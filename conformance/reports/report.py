"""Kept checks, rendered and merged, for a person and for a program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankspec.conformance.cases.plain_text import printable
from rankspec.conformance.checks.merging import Conflict, Merged
from rankspec.conformance.checks.records import CaseRecord, CheckRecord
from rankspec.conformance.reports import check
from rankspec.conformance.reports.console import say
from rankspec.conformance.reports.words import missing_line
from rich.console import Console
from rich.text import Text

SCHEMA = "rankspec/report/1"


def as_json(found: Merged, files: Mapping[str, CheckRecord]) -> dict[str, Any]:
    """Return the whole as one object: that of `check --json`, and what is said of the files."""
    return {
        **check.as_json(found.record),
        "schema": SCHEMA,
        "to_come": found.record.to_come,
        "answers": found.record.answers,
        "files": [
            {"file": name, "complete": each.complete, "answers": each.answers, "to_come": each.to_come}
            for name, each in files.items()
        ],
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


def print_report(
    console: Console, found: Merged, files: Mapping[str, CheckRecord], *, every_case: bool = False
) -> None:
    """Print what the files hold as `check` does, and what is wrong with the files."""
    check.print_check(console, found.record, every_case=every_case)
    if found.repeated:
        answers = "1 answer stands" if found.repeated == 1 else f"{found.repeated} answers stand"
        say(console, f"{answers} in more than one file, and the same in each")
    faults = [_conflict_line(conflict) for conflict in found.conflicts]
    lacking = ((file, missing_line(each)) for file, each in files.items())
    faults += [f"{file}: {missing}" for file, missing in lacking if missing is not None]
    for line in faults:
        say(console, Text(printable(line), style="red"))


def _conflict_line(conflict: Conflict) -> str:
    said = "; ".join(f"{_answer(case)} in {file}" for file, case in conflict.answers.items())
    return f"{conflict.implementation}: {conflict.id} is answered differently: {said}"


def _answer(case: CaseRecord) -> str:
    return f"{case.verdict.value} ({case.got})"
