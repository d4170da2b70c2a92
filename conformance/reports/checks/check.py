"""A check as text and as one object: one that has just run and one that was kept, alone or merged with others."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rankspec.conformance.answers.check import check_answer, typed
from rankspec.conformance.answers.function import metrics_counted
from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.cases.plain_text import in_one_line, printable
from rankspec.conformance.checks.causes import rule_phrase
from rankspec.conformance.checks.records import CheckRecord, Difference, ImplementationRecord, Merged
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.reports import words
from rankspec.conformance.reports.answer import following_report
from rankspec.conformance.reports.blocks import Line, Report, Table
from rankspec.oracle.language.sentence import joined

_MOST_IMPRECISE = 3  # Cases that are told: they conform, so a few show what there is
_MOST_CAUSES, _MOST_BRIEF = 4, 3
"""Of one implementation, and of each of several: so that an answer has twenty-five lines."""
FAILURE = ("case", "measure", "got", "exact", "verdict", "what it is")
DRIFT = ("case", "measure", "old", "new", "exact", "verdict")


class _Detail(NamedTuple):
    """How much is shown: every case, commands, the inputs of causes."""

    every_case: bool
    commands: bool
    inputs: bool


def check_data(record: CheckRecord) -> dict[str, Any]:
    """Return a check as `check --json` has it."""
    return {"schema": "rankspec/check/1", **data_of(record)}


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
                "answers": {file: data_of(case) for file, case in each.answers.items()},
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
                *(each.name, each.version or "", each.convention),
                *(case.id, case.measure, case.verdict.value, case.got, case.exact or "", case.known or ""),
            )
            for each in record.implementations
            for case in each.cases
        ),
    )


def check_report(
    record: CheckRecord, *, every_case: bool = False, commands: bool = True, in_short: bool = False
) -> Report:
    """Yield findings: differing conventions, then implementations by cause, or all failures; `commands` say more.

    `in_short`: a line for each implementation, the functions of a file.
    """
    if in_short and record.stopped is None and not every_case:
        answers = [check_answer(record, each, commands=False) for each in record.implementations]
        failing = [each.name for each, answer in zip(record.implementations, answers, strict=True) if not answer.passed]
        verb = ("fail" if failing else "pass") + ("s" if failing else "es") * (len(failing or answers) == 1)
        yield Line(f"{metrics_counted(len(failing) or len(answers), len(answers))} {verb}.", style="bold")
        yield ""
        for answer in answers:
            yield Line(f"  {printable(answer.headline)}", style="green" if answer.passed else "red")
        yield ""
        one = (failing or [record.implementations[0].name])[0]
        yield f"One in detail:  {shlex.join(('rankspec', 'check', *typed(one)))}"
        return
    if record.differences:
        yield from differences_report(record)
    for drift in record.drift:
        yield Line(words.drift_line(drift), style="bold")
        if rows := list(words.drift_cells(drift)):
            yield Table(*DRIFT, rows=rows, indent=2)
        yield ""
    detail = _Detail(every_case, commands, inputs=every_case or len(record.implementations) == 1)
    for implementation in record.implementations:
        yield from _implementation(record, implementation, detail)
    yield from (printable(words.passed_line(*entry)) for entry in record.passed)
    yield from (printable(words.stale_line(*entry)) for entry in record.stale)
    if record.stopped is not None:
        # At the end, where it is read, that this is not all.
        yield Line(printable(f"This report is partial ({record.stopped}):"), style="bold red")
        partial = [each for each in record.implementations if not each.complete]
        yield from (printable(f"{each.name}: {_so_far(each)}") for each in partial)
        yield from (printable(f"{name}: not started") for name in record.not_started)


def merged_report(merged: Merged, files: Mapping[str, CheckRecord], *, every_case: bool = False) -> Report:
    """Yield what the files hold as `check` does, and what is wrong with the files."""
    yield from check_report(merged.record, every_case=every_case)
    if merged.repeated:
        answers = "1 answer is" if merged.repeated == 1 else f"{merged.repeated} answers are"
        yield f"{answers} in more than one file, and the same in each"
    faults = []
    for conflict in merged.conflicts:
        answers = "; ".join(f"{case.verdict.value} ({case.got}) in {file}" for file, case in conflict.answers.items())
        faults.append(f"{conflict.implementation}: {conflict.id} is answered differently: {answers}")
    faults += [
        f"{file}: {missing}" for file, each in files.items() if (missing := words.missing_line(each)) is not None
    ]
    yield from (Line(printable(line), style="red") for line in faults)


def _so_far(implementation: ImplementationRecord) -> str:
    missing = implementation.missing + implementation.not_called
    if not missing:
        return "every question was asked, but not every one a second time"
    return f"{missing} of {implementation.questions} questions were not asked"


def _implementation(record: CheckRecord, implementation: ImplementationRecord, detail: _Detail) -> Report:
    answer = check_answer(record, implementation, commands=detail.commands)
    yield Line(answer.headline, style="bold green" if answer.passed else "bold red")
    shown = answer.causes if detail.every_case else answer.causes[: _MOST_CAUSES if detail.inputs else _MOST_BRIEF]
    for place, cause in enumerate(shown):
        if not detail.inputs:
            yield f"  {cause.count}: {printable(cause.sentence)}"
            continue
        yield ""
        cases = f"{words.counted(cause.count, 'case')}: " if len(answer.causes) > 1 else ""
        yield f"{cases}{printable(cause.sentence)}"
        # One input is enough to see what is meant; of the other causes the values are.
        yield from (f"  {printable(line)}" for line in (cause.input if place == 0 or detail.every_case else ()))
        measure = "" if cause.case.measure == record.measure else f"{cause.case.measure}, "
        yield f"  {printable(cause.values)}    ({measure}{printable(cause.case.id)})"
    if len(answer.causes) > len(shown):
        yield f"  and {words.counted(len(answer.causes) - len(shown), 'more cause')}"
    if detail.inputs and answer.causes:
        yield ""
    if answer.choices:
        yield f"  Where the textbook leaves the choice, it {joined(answer.choices)}."
    if detail.every_case and implementation.unexpected:
        failing = sorted(implementation.unexpected, key=lambda case: case.size)
        rows = (
            (case.id, case.measure, *words.compared_texts(case.got, case.exact), case.verdict.value, case.detail)
            for case in failing
        )
        yield Table(*FAILURE, rows=rows, indent=2)
    mutated = implementation.changed_its_arguments
    remarks = [f"It changed its arguments in {len(mutated)} cases, first in {mutated[0]}."] if mutated else []
    imprecise = [case for case in implementation.cases if case.verdict is Verdict.IMPRECISE]
    remarks += [f"Imprecise: {case.id} is {case.detail}" for case in imprecise[:_MOST_IMPRECISE]]
    yield from (f"  {in_one_line(remark)}" for remark in [*remarks, *implementation.remarks])
    if detail.inputs:
        yield from (Line(f"  {line}", style="dim") for line in answer.known)
    if detail.inputs:
        yield from following_report(answer.following)
    every = " Every case: --all" if answer.causes and detail.commands and not detail.every_case else ""
    yield Line(f"{'' if detail.inputs else '  '}{answer.closing}{every}", style="dim")
    yield ""


_CUTOFF = "cutoff"
_CUTOFFS = {"k": "takes k", "none": "takes no k"}


def differences_report(record: CheckRecord) -> Report:
    """Yield a paragraph an axis on which they differ, first those that the most different numbers show."""
    names = [each.name for each in record.implementations]
    differing = by_interest(record.differences)
    rules = words.counted(len(differing), "rule") if differing else "no rule that these cases show"
    yield Line(f"{printable(joined(names))} differ on {rules}.", style="bold")
    for row in differing:
        yield from _axis(row, names)
    yield ""


def by_interest(rows: Sequence[Difference]) -> list[Difference]:
    """Return the rows on which implementations differ, those first that are shown by the most different numbers."""

    def interest(row: Difference) -> tuple[bool, int, int]:
        numbers = [text for text in (row.numbers or {}).values() if _is_number(text)]
        return row.axis == _CUTOFF, -len({*numbers}), -len(numbers)

    return sorted((row for row in rows if row.differs), key=interest)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _axis(row: Difference, names: list[str]) -> Report:
    """Yield the axis with a case that shows it, and a line for those who answer alike: what they do, their answer."""
    case = f"    ({printable(row.case)})" if row.case else ""
    yield Line("  ", (row.axis.replace("_", " "), "bold"), case)
    alike: dict[tuple[str, str], list[str]] = {}
    for name in names:
        if (value := row.values.get(name)) is not None:
            except_in = f" (but not in {row.contradicted[name]})" if name in row.contradicted else ""
            answer = words.short_number((row.numbers or {}).get(name, ""))
            alike.setdefault((answer, f"{value_phrase(row.axis, value)}{except_in}"), []).append(name)
    table = Table("implementation", "answer", "rule", indent=4, has_headings=False)
    for said, those in alike.items():
        table.add_row(", ".join(those), *said)
    yield table


def value_phrase(axis: str, value: str) -> str:
    """Say what an implementation does that has a value of an axis; of an axis that is not known here, the value."""
    if axis == _CUTOFF:
        return _CUTOFFS.get(value, value)
    return rule_phrase(f"{axis}={value}") or value
