"""The cases of an implementation that don't conform and weren't known not to: causes, and the smallest case whole."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rankspec.conformance.cases.plain_text import in_one_line, printable
from rankspec.conformance.checks.records import CaseRecord, CheckRecord, ImplementationRecord
from rankspec.conformance.judge.verdicts import Verdict, likeliest
from rankspec.conformance.reports.console import cases_table, say
from rankspec.conformance.reports.words import compared_texts
from rich.console import Console
from rich.text import Text

_MOST_ROWS = 10
_MOST_NAMED = 3
_NO_NUMBER = frozenset({Verdict.ERROR, Verdict.CRASH, Verdict.TIMEOUT})


def print_new_failures(
    console: Console,
    record: CheckRecord,
    implementation: ImplementationRecord,
    *,
    every_case: bool = False,
    commands: bool = True,
) -> None:
    """Print them, the smallest first; those that fail for one reason without a number take one line."""
    failing = sorted(implementation.unexpected, key=lambda case: case.size)  # stable: the order of the cases stays
    if not failing:
        return
    likely, count = likeliest(case.conventions for case in failing)
    likely = likely if 2 * count >= len(failing) else []  # fewer may be chance
    for line in _causes(failing, likely, count):
        say(console, Text(f"  {in_one_line(line)}"))
    alike = {} if every_case else _alike(failing)
    for what, cases in alike.items():
        share = f"{len(cases)} of {len(implementation.asked)} cases"
        say(console, Text(f"  {in_one_line(f'{what} in {share}, first in {cases[0].id}')}"))
    told = {case.id for cases in alike.values() for case in cases}
    rest = [case for case in failing if case.id not in told]
    shown = rest if every_case else rest[:_MOST_ROWS]
    table = cases_table("case", "measure", "got", "exact", "verdict", "what it is")
    for case in shown:
        cells = (case.id, case.measure, *compared_texts(case.got, case.exact), case.verdict.value)
        table.add_row(*cells, _what(case, likely))
    if table.rows:
        console.print(table, crop=False)
    if len(rest) > len(shown):
        say(console, Text(f"  and {len(rest) - len(shown)} more, which --all lists"))
    _print_smallest(console, failing[0])
    if not commands:
        return
    measure = "" if record.measure is None else f" --measure {shlex.quote(record.measure)}"
    line = f"rankspec identify {shlex.quote(implementation.name)}{measure}"
    say(console, Text(f"  {printable(line)}   says which convention it follows"))


def _causes(failing: Sequence[CaseRecord], names: Sequence[str], count: int) -> list[str]:
    if not names:
        return []
    more = f" (or {len(names) - _MOST_NAMED} more)" if len(names) > _MOST_NAMED else ""
    which = "it is" if len(failing) == 1 else f"{count} of these are"
    return [f"{which} what {' or '.join(names[:_MOST_NAMED])} demands{more}"]


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


def _print_smallest(console: Console, case: CaseRecord) -> None:
    lines = case.data.get("input")
    if not isinstance(lines, list) or not lines:
        return
    say(console, Text(f"  the smallest of them, {printable(case.id)}, {case.measure}:"))
    got, exact = compared_texts(case.got, case.exact)
    for line in (*map(str, lines), f"got {got}, exact {exact}"):
        say(console, Text(f"    {printable(line)}"))
