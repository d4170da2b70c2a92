"""A check as Markdown, for the summary of a CI job: what is wrong first, what is known behind a fold."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankspec.conformance.cases.plain_text import in_one_line
from rankspec.conformance.checks.records import CaseRecord, CheckRecord, ImplementationRecord
from rankspec.conformance.reports.differences import by_interest
from rankspec.conformance.reports.words import (
    compared_texts,
    drift_line,
    missing_line,
    passed_line,
    short_number,
    stale_line,
    verdicts_line,
)

_MOST_ROWS = 200
"""Of a table. GitHub refuses a summary of more than 1 MiB."""
_LONGEST_CELL = 160


def markdown(record: CheckRecord) -> str:
    """Return the Markdown, a section that ends with an empty line."""
    parts = [f"## rankspec: {_headline(record)}"]
    if (missing := missing_line(record)) is not None:
        parts.append(f"**{prose(missing)}**")
    parts.append(table(("implementation", "convention", "conform", "verdicts"), map(_totals, record.implementations)))
    parts += [part for each in record.implementations for part in _failing(each)]
    parts += _gate(record)
    parts += _differences(record)
    parts += [part for drift in record.drift for part in _drift(drift)]
    return "\n\n".join(parts) + "\n\n"


def _headline(record: CheckRecord) -> str:
    count = len(record.unexpected)
    if count:
        return f"{count} {'case does' if count == 1 else 'cases do'} not conform"
    if record.passed or record.stale:
        return "the list of known failures is out of date"
    if not record.complete:
        return "the report is not complete"
    known = sum(len(each.failing) for each in record.implementations)
    return f"as known, with {known} known failure{'' if known == 1 else 's'}" if known else "every case conforms"


def _totals(implementation: ImplementationRecord) -> tuple[str, ...]:
    return (
        prose(implementation.label),
        code(implementation.convention),
        f"{implementation.conforming} of {len(implementation.asked)}",
        prose(verdicts_line(implementation)),
    )


def _failing(implementation: ImplementationRecord) -> list[str]:
    parts = []
    known = [case for case in implementation.failing if case.known is not None]
    if unexpected := implementation.unexpected:
        parts.append(f"### {prose(implementation.label)} under {code(implementation.convention)}")
        headings = ("case", "measure", "got", "exact", "verdict", "what it is")
        parts.append(table(headings, (_row(case, case.detail) for case in unexpected)))
    if known:
        listed = table(
            ("case", "measure", "got", "exact", "verdict", "why"), (_row(case, case.known or "") for case in known)
        )
        count = f"{len(known)} known failure{'' if len(known) == 1 else 's'}"
        parts.append(folded(f"{count} of {implementation.label}", listed))
    return parts


def _row(case: CaseRecord, what: str) -> tuple[str, ...]:
    return (
        code(case.id),
        code(case.measure),
        prose(compared_texts(case.got, case.exact)[0]),
        prose(case.exact or ""),
        prose(case.verdict.value),
        prose(what),
    )


def _gate(record: CheckRecord) -> list[str]:
    lines = [passed_line(*entry) for entry in record.passed] + [stale_line(*entry) for entry in record.stale]
    return ["\n".join(f"- {prose(line)}" for line in lines)] if lines else []


def _differences(record: CheckRecord) -> list[str]:
    differing = by_interest(record.differences)
    names = [each.name for each in record.implementations]
    if not differing:
        return []
    rows = []
    for row in differing:
        values, numbers = row.get("values") or {}, row.get("numbers") or {}
        answers = " / ".join(short_number(str(numbers[name])) for name in names if name in numbers)
        cells = [prose(str(values.get(name) or "-")) for name in names]
        rows.append(
            (code(str(row.get("axis"))), *cells, code(str(row["case"])) if row.get("case") else "", prose(answers))
        )
    listed = table(("axis", *map(prose, names), "a case that shows it", "answers"), rows)
    return [folded("Where their conventions differ", listed)]


def _drift(drift: Mapping[str, Any]) -> list[str]:
    """Return what changed from one version of a library to another; changes in the last digits are only counted."""
    cases = [each for each in drift.get("cases") or () if isinstance(each, dict)]
    rows = [
        (
            code(str(each.get("id"))),
            code(str(each.get("measure"))),
            *(prose(short_number(str(each.get(key) or ""))) for key in ("old_text", "new_text", "exact")),
            prose(" -> ".join(dict.fromkeys(str(each.get(key)) for key in ("old_verdict", "new_verdict")))),
        )
        for each in cases
        if each.get("kind") != "rounding"
    ]
    line = drift_line(drift)
    return [folded(line, table(("case", "measure", "old", "new", "exact", "verdict"), rows))] if rows else [prose(line)]


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of finished cells; a long one is cut, and says so."""
    lines = [_line(row) for row in rows]
    kept = [_line(headings), _line(["---"] * len(headings)), *lines[:_MOST_ROWS]]
    if len(lines) > _MOST_ROWS:
        kept += ["", f"... and {len(lines) - _MOST_ROWS} more, which `--json` and `--junit` hold"]
    return "\n".join(kept)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def folded(title: str, content: str) -> str:
    """Return a section that is shown when somebody asks for it."""
    return f"<details><summary>{html.escape(in_one_line(title))}</summary>\n\n{content}\n\n</details>"


def prose(text: str) -> str:
    """Write a text of others as text: nothing in it is markup, and it stays in its cell."""
    escaped = html.escape(in_one_line(text, _LONGEST_CELL), quote=False)
    return "".join(f"\\{character}" if character in _MARKUP else character for character in escaped)


_MARKUP = frozenset("\\`*_[]|~#@$")


def code(text: str) -> str:
    """Write a text of others as code."""
    line = in_one_line(text, _LONGEST_CELL)
    if not line:
        return ""
    return f"`{line}`" if not {"`", "|"}.intersection(line) else f"<code>{prose(line)}</code>"
