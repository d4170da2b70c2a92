"""What changed between two checks, for a person, for a program, and for the summary of a CI job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.checks.diff import CaseChange, Change, Diff, ImplementationChange
from rankspec.conformance.checks.records import CaseRecord, CheckRecord
from rankspec.conformance.reports.console import cases_table, plain_table, say
from rankspec.conformance.reports.listing import Listing
from rankspec.conformance.reports.markdown import code, prose, table
from rankspec.conformance.reports.words import exact_text, missing_line, short_number
from rich.console import Console
from rich.text import Text

SCHEMA = "rankspec/diff/1"
_STYLES = {Change.BEGAN_TO_FAIL: "red", Change.NO_LONGER_ASKED: "red", Change.MENDED: "green"}


class Compared(NamedTuple):
    """A kept check, and the name of its file."""

    file: str
    record: CheckRecord


def as_json(old: Compared, new: Compared, found: Diff) -> dict[str, Any]:
    """Return the whole finding as one object."""
    return {
        "schema": SCHEMA,
        "old": _side_json(old),
        "new": _side_json(new),
        "worse": found.is_worse,
        "implementations": [_implementation_json(each) for each in found.implementations],
        "new_implementations": list(found.came),
        "gone_implementations": list(found.went),
    }


def _side_json(side: Compared) -> dict[str, Any]:
    return {"file": side.file, "rankspec": side.record.rankspec, "complete": side.record.complete}


def _implementation_json(each: ImplementationChange) -> dict[str, Any]:
    return {
        "name": each.new.name,
        "old": {key: each.old.data.get(key) for key in _TOLD},
        "new": {key: each.new.data.get(key) for key in _TOLD},
        "told": {name: {"old": before, "new": after} for name, (before, after) in each.told.items()},
        "changes": {_key(change): [_case_json(case) for case in each.of(change)] for change in Change},
        "same": each.same,
    }


_TOLD = ("name", "version", "python", "shape", "convention")


def _key(change: Change) -> str:
    return change.value.replace(" ", "_")


def _case_json(case: CaseChange) -> dict[str, Any]:
    one = case.new or case.old
    return {
        "id": case.id,
        "measure": one.measure if one is not None else "",
        "old": _answer_json(case.old),
        "new": _answer_json(case.new),
    }


def _answer_json(case: CaseRecord | None) -> dict[str, Any] | None:
    if case is None:
        return None
    return {
        "verdict": case.verdict.value,
        "value": case.value,
        "got": case.got,
        "exact": case.exact,
        "detail": case.detail,
        "known": case.known,
    }


def changes_listing(found: Diff) -> Listing:
    """Return every change of every implementation, a row each."""
    table = plain_table("implementation", "change", "case", "measure", "old", "new", "exact", "what it is")
    for each in found.implementations:
        for change in Change:
            for case in each.of(change):
                table.add_row(each.new.name, change.value, *_cells(case))
    return table


def print_diff(console: Console, old: Compared, new: Compared, found: Diff) -> None:
    """Print what changed, the worst first."""
    for line in _general(old, new, found):
        say(console, Text(line))
    for each in found.implementations:
        _print_implementation(console, each)
    say(console, Text(_conclusion(found), style="red" if found.is_worse else "green"))


def _general(old: Compared, new: Compared, found: Diff) -> list[str]:
    """Say what is true of the two checks as a whole."""
    lines = []
    if old.record.rankspec != new.record.rankspec:
        lines.append(f"rankspec {old.record.rankspec or '-'} -> {new.record.rankspec or '-'}")
    lacking = ((side.file, missing_line(side.record)) for side in (old, new))
    lines += [f"{file}: {missing}" for file, missing in lacking if missing is not None]
    lines += [f"new: {label}" for label in found.came]
    lines += [f"gone: {label}" for label in found.went]
    return [in_one_line(line) for line in lines]


def _print_implementation(console: Console, each: ImplementationChange) -> None:
    say(console, Text.assemble((in_one_line(each.new.label), "bold"), f": {_counts(each)}"))
    for line in _told_lines(each):
        say(console, Text(f"  {line}"))
    for change in Change:
        if cases := each.of(change):
            console.print(Text(f"  {change.value}", style=_STYLES.get(change, "bold")))
            listed = cases_table("case", "measure", "old", "new", "exact", "what it is", indent=4)
            for case in cases:
                listed.add_row(*_cells(case))
            console.print(listed, crop=False)
    console.print()


def _counts(each: ImplementationChange) -> str:
    counted = [f"{len(each.of(change))} {change.value}" for change in Change if each.of(change)]
    return ", ".join([*counted, f"{each.same} the same"])


def _told_lines(each: ImplementationChange) -> list[str]:
    return [in_one_line(f"{name} {before} -> {after}") for name, (before, after) in each.told.items()]


def _cells(case: CaseChange) -> tuple[str, ...]:
    one = case.new or case.old
    measure = one.measure if one is not None else ""
    return (
        case.id,
        measure,
        _answer(case.old),
        _answer(case.new),
        _exact(case),
        in_one_line(_what(case)),
    )


def _answer(case: CaseRecord | None) -> str:
    if case is None:
        return "-"
    known = " (known)" if case.known is not None and case.fails else ""
    if not case.verdict.asked:
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
    others = len(one.conventions) - 1
    if others >= 0:
        return f"{one.conventions[0]} or {others} more" if others else one.conventions[0]
    return one.detail


def _conclusion(found: Diff) -> str:
    if found.is_empty:
        return "nothing changed"
    worse = sum(case.change.is_worse for each in found.implementations for case in each.cases)
    if worse:
        return f"{worse} {'case' if worse == 1 else 'cases'} got worse"
    return "the new report is not complete: what it lacks may be worse" if found.incomplete else "nothing got worse"


def markdown(old: Compared, new: Compared, found: Diff) -> str:
    """Return the Markdown, a section that ends with an empty line."""
    parts = [f"## rankspec diff: {_conclusion(found)}"]
    if general := _general(old, new, found):
        parts.append(_bullets(general))
    for each in found.implementations:
        parts.append(f"### {prose(each.new.label)}: {_counts(each)}")
        if told := _told_lines(each):
            parts.append(_bullets(told))
        if each.cases:
            rows = ((case.change.value, *_markdown_cells(case)) for case in each.cases)
            parts.append(table(("change", "case", "measure", "old", "new", "exact", "what it is"), rows))
    return "\n\n".join(parts) + "\n\n"


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {prose(line)}" for line in lines)


def _markdown_cells(case: CaseChange) -> tuple[str, ...]:
    name, measure, *rest = _cells(case)
    return (code(name), code(measure), *map(prose, rest))
