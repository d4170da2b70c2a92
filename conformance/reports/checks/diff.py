"""What changed between two checks, as text, as one object, and as Markdown for the summary of a CI job."""

from __future__ import annotations

from typing import Any, NamedTuple

from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.checks.causes import rule_phrase
from rankspec.conformance.checks.diff import CaseChange, Change, Diff, ImplementationChange
from rankspec.conformance.checks.records import CaseRecord, CheckRecord
from rankspec.conformance.reports.blocks import Line, Report, Table, bullets, prose
from rankspec.conformance.reports.words import counted, exact_text, missing_line, short_number

_STYLES = {Change.BEGAN_TO_FAIL: "red", Change.NO_LONGER_ASKED: "red", Change.MENDED: "green"}
_TOLD = ("name", "version", "python", "shape", "convention")
_MOST_ROWS = 8
_HEADINGS = ("case", "measure", "old", "new", "exact", "what it is")


class SavedCheck(NamedTuple):
    """A kept check, and the name of its file."""

    file: str
    record: CheckRecord


def diff_data(old: SavedCheck, new: SavedCheck, diff: Diff) -> dict[str, Any]:
    """Return what changed as `diff --json` has it."""
    return {
        "schema": "rankspec/diff/1",
        "old": {"file": old.file, **data_of(old.record, "rankspec", "complete")},
        "new": {"file": new.file, **data_of(new.record, "rankspec", "complete")},
        "worse": diff.is_worse,
        "implementations": [
            {
                "name": each.new.name,
                "old": data_of(each.old, *_TOLD),
                "new": data_of(each.new, *_TOLD),
                "told": {name: {"old": before, "new": after} for name, (before, after) in each.declared.items()},
                "changes": {
                    change.value.replace(" ", "_"): [_case_data(case) for case in each.of(change)] for change in Change
                },
                "same": each.same,
            }
            for each in diff.implementations
        ],
        "new_implementations": list(diff.came),
        "gone_implementations": list(diff.went),
    }


def _case_data(case: CaseChange) -> dict[str, Any]:
    sides = {
        name: None if side is None else data_of(side, "verdict", "value", "got", "exact", "detail", "known")
        for name, side in (("old", case.old), ("new", case.new))
    }
    return {"id": case.id, "measure": _measure(case), **sides}


def changes_table(diff: Diff) -> Table:
    """Return every change of every implementation, a row each."""
    rows = (
        (each.new.name, change.value, *_cells(case))
        for each in diff.implementations
        for change in Change
        for case in each.of(change)
    )
    return Table("implementation", "change", *_HEADINGS, rows=rows)


def diff_report(old: SavedCheck, new: SavedCheck, diff: Diff) -> Report:
    """Yield whether something got worse, then what changed, the worst first."""
    yield Line(_conclusion(diff), style="red" if diff.is_worse else "green")
    yield from _general(old, new, diff)
    for each in diff.implementations:
        yield ""
        yield Line((in_one_line(each.new.label), "bold"), f": {_counts(each)}")
        yield from (f"  {line}" for line in _declared_lines(each))
        for change in Change:
            if cases := each.of(change):
                yield Line(f"  {change.value}", style=_STYLES.get(change, "bold"))
                yield Table(*_HEADINGS, rows=map(_cells, cases[:_MOST_ROWS]), indent=4)
                if len(cases) > _MOST_ROWS:
                    yield Line(f"    and {len(cases) - _MOST_ROWS} more: --csv", style="dim")


def diff_markdown(old: SavedCheck, new: SavedCheck, diff: Diff) -> str:
    """Return the Markdown, a section that ends with an empty line."""
    parts = [f"## rankspec diff: {_conclusion(diff)}"]
    if general := _general(old, new, diff):
        parts.append(bullets(general))
    for each in diff.implementations:
        parts.append(f"### {prose(each.new.label)}: {_counts(each)}")
        if told := _declared_lines(each):
            parts.append(bullets(told))
        if each.cases:
            rows = ((case.change.value, *_cells(case)) for case in each.cases)
            parts.append(Table("change", *_HEADINGS, rows=rows, code=("case", "measure")).markdown())
    return "\n\n".join(parts) + "\n\n"


def _general(old: SavedCheck, new: SavedCheck, diff: Diff) -> list[str]:
    """Say what is true of the two checks as a whole."""
    lines = []
    if old.record.rankspec != new.record.rankspec:
        lines.append(f"rankspec {old.record.rankspec or '-'} -> {new.record.rankspec or '-'}")
    lacking = ((side.file, missing_line(side.record)) for side in (old, new))
    lines += [f"{file}: {missing}" for file, missing in lacking if missing is not None]
    lines += [f"new: {label}" for label in diff.came]
    lines += [f"gone: {label}" for label in diff.went]
    return [in_one_line(line) for line in lines]


def _counts(each: ImplementationChange) -> str:
    changed = [f"{len(each.of(change))} {change.value}" for change in Change if each.of(change)]
    return ", ".join([*changed, f"{each.same} unchanged"])


def _declared_lines(each: ImplementationChange) -> list[str]:
    return [in_one_line(f"{name} {before} -> {after}") for name, (before, after) in each.declared.items()]


def _measure(case: CaseChange) -> str:
    one = case.new or case.old
    return one.measure if one is not None else ""


def _cells(case: CaseChange) -> tuple[str, ...]:
    return case.id, _measure(case), _answer(case.old), _answer(case.new), _exact(case), in_one_line(_what(case))


def _answer(case: CaseRecord | None) -> str:
    if case is None:
        return "-"
    known = " (known)" if case.known is not None and case.fails else ""
    if not case.verdict.is_applicable:
        return str(case.verdict.value)
    return in_one_line(f"{short_number(case.got)} {case.verdict.value}{known}")


def _exact(case: CaseChange) -> str:
    before, after = (exact_text(side.exact) if side is not None else "" for side in (case.old, case.new))
    # The case itself changed: what is exact now is not what was exact then.
    return f"{before} -> {after}" if before and after and before != after else after or before


def _what(case: CaseChange) -> str:
    one = case.new or case.old
    if one is None:
        return ""
    if not one.conventions:
        return one.detail
    first, *others = one.conventions
    return f"{rule_phrase(first) or first}{' (other rules fit, too)' if others else ''}"


def _conclusion(diff: Diff) -> str:
    if diff.is_empty:
        return "No answer changed."
    worse = sum(case.change.is_worse for each in diff.implementations for case in each.cases)
    if worse:
        return f"{counted(worse, 'case')} got worse."
    return "The new check is not complete: what it lacks may be worse." if diff.incomplete else "No case got worse."
