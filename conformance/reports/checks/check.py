"""A check as text and as one object: one that has just run and one that was kept, alone or merged with others."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.cases.plain_text import in_one_line, printable
from rankspec.conformance.checks.merging import Conflict, Merged
from rankspec.conformance.checks.records import CaseRecord, CheckRecord, Entry, ImplementationRecord
from rankspec.conformance.judge.verdicts import Verdict, likeliest
from rankspec.conformance.reports.blocks import Line, Report, Table
from rankspec.conformance.reports.checks.differences import differences_report
from rankspec.conformance.reports.words import (
    compared_texts,
    drift_cells,
    drift_line,
    missing_line,
    passed_line,
    stale_line,
    verdicts_line,
)

_MOST_IMPRECISE = 3
"""Cases that are told: they conform, so a few show what there is."""
_MOST_ROWS = 10
_MOST_NAMED = 3
_NO_NUMBER = frozenset({Verdict.ERROR, Verdict.CRASH, Verdict.TIMEOUT})
FAILURE = ("case", "measure", "got", "exact", "verdict", "what it is")
DRIFT = ("case", "measure", "old", "new", "exact", "verdict")


def check_data(record: CheckRecord) -> dict[str, Any]:
    """Return a check as `check --json` has it."""
    return {
        "schema": "rankspec/check/1",
        **data_of(record, "rankspec", "measure", "complete", "stopped", "not_started"),
        "implementations": [
            {
                **each.data,
                "verdicts": {verdict.value: count for verdict, count in each.counts.items()},
                "conforming": each.conforming,
                "asked": len(each.asked),
                "questions": each.questions,
                "cases": [dict(case.data) for case in each.cases],
            }
            for each in record.implementations
        ],
        **data_of(record, "differences", "drift"),
        "unexpected": _entries(record.unexpected),
        "unexpected_passes": _entries(record.passed),
        "stale_known_failures": _entries(record.stale),
    }


def _entries(entries: Iterable[Entry]) -> list[dict[str, str]]:
    return [{"implementation": name, "id": case} for name, case in entries]


def merged_data(merged: Merged, files: Mapping[str, CheckRecord]) -> dict[str, Any]:
    """Return merged checks as `report --json` has them: the object of `check --json`, and what is said of the files."""
    return {
        **check_data(merged.record),
        "schema": "rankspec/report/1",
        **data_of(merged.record, "to_come", "answers"),
        "files": [{"file": name, **data_of(each, "complete", "answers", "to_come")} for name, each in files.items()],
        "conflicts": [
            {
                **data_of(each, "implementation", "id"),
                "answers": {file: dict(case.data) for file, case in each.answers.items()},
            }
            for each in merged.conflicts
        ],
        "repeated": merged.repeated,
    }


def cases_table(record: CheckRecord) -> Table:
    """Return every case of every implementation, a row each."""
    return Table(
        *("implementation", "version", "convention", "case", "measure", "verdict", "got", "exact", "known"),
        rows=(
            (
                *(each.name, each.data.get("version") or "", each.convention),
                *(case.id, case.measure, case.verdict.value, case.got, case.exact or "", case.known or ""),
            )
            for each in record.implementations
            for case in each.cases
        ),
    )


def check_report(record: CheckRecord, *, every_case: bool = False, commands: bool = True) -> Report:
    """Yield what was found: where conventions differ, then each implementation, what is new first.

    Args:
        record: what was found.
        every_case: list every case that does not conform; otherwise the smallest ten, and how many more there are.
        commands: end with a command line that says more; a function object can't be named in one.
    """
    if record.differences:
        yield from differences_report(record)
    for drift in record.drift:
        yield Line(drift_line(drift), style="bold")
        if rows := list(drift_cells(drift)):
            yield Table(*DRIFT, rows=rows, indent=2)
        yield ""
    for implementation in record.implementations:
        yield from _implementation(record, implementation, every_case=every_case, commands=commands)
    yield from (printable(passed_line(*entry)) for entry in record.passed)
    yield from (printable(stale_line(*entry)) for entry in record.stale)
    if record.stopped is not None:
        # At the end, where it is read, that this is not all.
        yield Line(printable(f"This report is partial ({record.stopped}):"), style="bold red")
        partial = [each for each in record.implementations if each.data.get("complete") is False]
        yield from (printable(f"{each.name}: {_so_far(each)}") for each in partial)
        yield from (printable(f"{name}: not started") for name in record.not_started)


def merged_report(merged: Merged, files: Mapping[str, CheckRecord], *, every_case: bool = False) -> Report:
    """Yield what the files hold as `check` does, and what is wrong with the files."""
    yield from check_report(merged.record, every_case=every_case)
    if merged.repeated:
        answers = "1 answer is" if merged.repeated == 1 else f"{merged.repeated} answers are"
        yield f"{answers} in more than one file, and the same in each"
    faults = [_conflict_line(conflict) for conflict in merged.conflicts]
    faults += [f"{file}: {missing}" for file, each in files.items() if (missing := missing_line(each)) is not None]
    yield from (Line(printable(line), style="red") for line in faults)


def _conflict_line(conflict: Conflict) -> str:
    said = "; ".join(f"{case.verdict.value} ({case.got}) in {file}" for file, case in conflict.answers.items())
    return f"{conflict.implementation}: {conflict.id} is answered differently: {said}"


def _so_far(implementation: ImplementationRecord) -> str:
    not_asked = implementation.data.get("not_asked")
    missing = implementation.missing + (not_asked if isinstance(not_asked, int) else 0)
    if not missing:
        return "every question was asked, but not every one a second time"
    return f"{missing} of {implementation.questions} questions were not asked"


def _implementation(
    record: CheckRecord, implementation: ImplementationRecord, *, every_case: bool, commands: bool
) -> Report:
    asked, failing = len(implementation.asked), implementation.failing
    if implementation.diagnosis is not None:
        yield Line((f"{in_one_line(implementation.label)}: ", "bold"), (in_one_line(implementation.diagnosis), "bold"))
    yield Line(
        (in_one_line(implementation.label), "bold"),
        f" under {in_one_line(implementation.convention)}: ",
        (f"{implementation.conforming} of {asked} cases conform", "yellow" if failing else "green"),
    )
    yield f"  {verdicts_line(implementation)}"
    mutated = implementation.data.get("changed_its_arguments") or ()
    remarks = [f"it changed its arguments in {len(mutated)} cases, first in {mutated[0]}"] if mutated else []
    imprecise = [case for case in implementation.cases if case.verdict is Verdict.IMPRECISE]
    remarks += [f"imprecise: {case.id} is {case.detail}" for case in imprecise[:_MOST_IMPRECISE]]
    yield from (f"  {in_one_line(remark)}" for remark in [*remarks, *implementation.remarks])
    if implementation.unexpected:
        yield from _new_failures(implementation, every_case=every_case)
        if commands:
            measure = "" if record.measure is None else f" --measure {shlex.quote(record.measure)}"
            line = f"rankspec identify {shlex.quote(implementation.name)}{measure}"
            yield f"  {printable(line)}   says which convention it follows"
    known = Counter(case.known for case in failing if case.known is not None)
    for reason, count in known.most_common():
        yield Line(f"  {count} known: {in_one_line(reason)}", style="dim")
    yield ""


def _new_failures(implementation: ImplementationRecord, *, every_case: bool) -> Report:
    """Yield them, the smallest first; those that fail for one reason without a number take one line."""
    failing = sorted(implementation.unexpected, key=lambda case: case.size)  # stable: the order of the cases stays
    likely, count = likeliest(case.conventions for case in failing)
    likely = likely if 2 * count >= len(failing) else []  # fewer may be chance
    if likely:
        more = f" (or {len(likely) - _MOST_NAMED} more)" if len(likely) > _MOST_NAMED else ""
        which = "it is the value" if len(failing) == 1 else f"{count} of these are the values"
        line = f"{which} expected under {' or '.join(likely[:_MOST_NAMED])}{more}"
        yield f"  {in_one_line(line)}"
    alike = {} if every_case else _alike(failing)
    for what, cases in alike.items():
        share = f"{len(cases)} of {len(implementation.asked)} cases"
        yield f"  {in_one_line(f'{what} in {share}, first in {cases[0].id}')}"
    grouped = {case.id for cases in alike.values() for case in cases}
    rest = [case for case in failing if case.id not in grouped]
    shown = rest if every_case else rest[:_MOST_ROWS]
    if shown:
        yield Table(*FAILURE, rows=(failure_cells(case, _what(case, likely)) for case in shown), indent=2)
    if len(rest) > len(shown):
        yield f"  and {len(rest) - len(shown)} more, which --all lists"
    yield from _smallest(failing[0])


def failure_cells(case: CaseRecord, what: str) -> tuple[str, ...]:
    """Return the cells of a case that does not conform; `what` says what its answer is."""
    return case.id, case.measure, *compared_texts(case.got, case.exact), case.verdict.value, what


def _what(case: CaseRecord, likely: Sequence[str]) -> str:
    """Say what an answer is; of several conventions that demand it, the one that explains most others is named."""
    name = next((each for each in likely if each in case.conventions), None)
    if name is None:
        return case.detail
    others = len(case.conventions) - 1
    return f"{name} or {others} more" if others else name


def _alike(failing: Sequence[CaseRecord]) -> dict[str, list[CaseRecord]]:
    """Return the cases without a number that one sentence is true of, by that sentence."""
    by_what: dict[str, list[CaseRecord]] = {}
    for case in failing:
        if case.verdict in _NO_NUMBER:
            by_what.setdefault(f"{case.verdict.value}: {case.detail or case.got}", []).append(case)
    return {what: cases for what, cases in by_what.items() if len(cases) > 1}


def _smallest(case: CaseRecord) -> Report:
    lines = case.data.get("input")
    if not isinstance(lines, list) or not lines:
        return
    got, exact = compared_texts(case.got, case.exact)
    yield f"  the smallest of them, {printable(case.id)}, {case.measure}:"
    yield from (f"    {printable(line)}" for line in (*map(str, lines), f"got {got}, exact {exact}"))
