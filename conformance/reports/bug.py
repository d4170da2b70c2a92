"""A bug report: Markdown that can be filed as it is, and the same as one object."""

from __future__ import annotations

import platform
from typing import Any

from rankspec.conformance.cases.clauses import Clause
from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.cases.plain_text import in_one_line, printable
from rankspec.conformance.checks.input_table import input_lines
from rankspec.conformance.checks.minimal_pair import outcome_text, outcome_value
from rankspec.conformance.checks.recording import own_version
from rankspec.conformance.implementations.specs import Implementation, known_adapters
from rankspec.conformance.questions.rendering import Asked
from rankspec.conformance.reports.words import value_and_decimal
from rankspec.conformance.reproducing.bug import Bug
from rankspec.conformance.run.outcomes import PerQuery
from rankspec.conformance.worker.loading import built_in
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.values import Undefined, to_text


def bug_data(bug: Bug, implementation: Implementation, command: str) -> dict[str, Any]:
    """Return the report as one object; `text` is the Markdown."""
    asked = _asked(bug)
    arguments, value = asked.call.arguments, asked.expectation.value
    return {
        "schema": "rankspec/bug-report/1",
        "title": title(bug, implementation),
        "implementation": implementation.text,
        "library": _library(implementation),
        "version": bug.checked.hello.version,
        "python": bug.checked.hello.python,
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": dict(bug.packages),
        "rankspec": own_version(),
        "case": bug.case,
        "smaller": bug.smaller,
        "measure": str(bug.answer.question.measure),
        "convention": bug.checked.convention_text,
        "verdict": bug.answer.verdict.value,
        "shape": arguments.shape.value,
        "input": arguments.message(),
        "got": _got(bug),
        "per_query": _per_query(bug),
        "exact": to_text(value),
        "decimal": None if isinstance(value, Undefined) else decimal_text(value, 10),
        "other_conventions": list(bug.answer.judgement.conventions),
        "demands": [
            {
                **data_of(each, "statement", clause="id"),
                "sources": [data_of(source, "document", "line", "quote") for source in each.sources],
            }
            for each in bug.demands
        ],
        "snippet": "\n".join(bug.snippet) or None,
        "printed": bug.printed and {**data_of(bug.printed, "status", "lines"), "shows": bug.shown},
        "command": command,
        "text": bug_text(bug, implementation, command),
    }


def title(bug: Bug, implementation: Implementation) -> str:
    """Say what is wrong in a line that an issue can be called."""
    measure, got = bug.answer.question.measure, _got(bug)
    does = f"raises {got}" if outcome_value(bug.answer.outcome) is None and got.isidentifier() else f"gives {got}"
    value = _asked(bug).expectation.value
    is_ = "is demanded" if isinstance(value, Undefined) else "is exact"
    return in_one_line(f"{_library(implementation)}: {measure} {does} where {value_and_decimal(value)} {is_}")


def bug_text(bug: Bug, implementation: Implementation, command: str) -> str:
    """Write the report as Markdown."""
    hello, answer = bug.checked.hello, bug.answer
    of = f" on which {bug.case} fails" if bug.smaller else f", that of {bug.case}"
    parts = [
        f"# {title(bug, implementation)}",
        f"The smallest input found{of}:",
        _fenced(input_lines(_asked(bug).call)),
    ]
    if bug.snippet:
        parts += ["It needs the library alone:", _fenced(bug.snippet, "python" if bug.printed is not None else "sh")]
    if bug.printed is not None:
        parts.append(_came(bug))
    findings = [*(f"* {line}" for line in _findings(bug)), *map(_demanded, bug.demands)]
    parts += ["## What is given, and what is demanded", "\n".join(findings)]
    packages = "".join(f", {name} {version}" for name, version in bug.packages.items())
    machine = f"{platform.system()} {platform.machine()}"
    parts += [
        "## Versions",
        f"{_library(implementation)} {hello.version or '(no version)'}, Python {hello.python}, {machine}{packages}",
        f"Found by rankspec {own_version() or ''}: `{command}` (verdict: {answer.verdict.value}).",
    ]
    return printable("\n\n".join(parts))


def _findings(bug: Bug) -> list[str]:
    """Return the value given, the exact one, and what else is known, a line each."""
    answer, value = bug.answer, _asked(bug).expectation.value
    measure, convention = answer.question.measure, bug.checked.convention_text
    detail = in_one_line(answer.judgement.detail)
    also = "the value under " if answer.judgement.near else ""
    lines = [f"given: {_got(bug)}" + (f", {also}{detail}" if detail else "")]
    lines += [f"given for query {query}: {number}" for query, number in _per_query(bug).items()]
    lines.append(f"exact: {value_and_decimal(value)} ({measure} under {convention})")
    profile = next((each for each in PROFILES.values() if each.name == convention), None)
    if profile is not None:
        lines.append(f"{profile.name}: {profile.about} ({profile.source})")
    return lines


def _demanded(clause: Clause) -> str:
    quotes = [f'  * {source.document}, line {source.line}: "{source.quote}"' for source in clause.sources]
    return "\n".join([f"* {clause.id}: {clause.statement}", *quotes])


def _came(bug: Bug) -> str:
    printed = bug.printed
    if printed is None or printed.status is None:
        return "Run in a fresh Python, it did not end in time."
    shows = "" if bug.shown else ", which is not what was found"
    how = f"Run in a fresh Python, it ends with status {printed.status}{shows}"
    return "\n\n".join([f"{how}, and prints at last:", _fenced(printed.lines)]) if printed.lines else f"{how}."


def _fenced(lines: Any, language: str = "") -> str:
    return "\n".join([f"```{language}", *lines, "```"])


def _library(implementation: Implementation) -> str:
    adapter = implementation.text.partition("==")[0]
    return built_in(adapter).distribution if adapter in known_adapters() else implementation.text


def _asked(bug: Bug) -> Asked:
    if not isinstance(bug.answer.put, Asked):
        raise TypeError("a bug is about a question that could be put")
    return bug.answer.put


def _got(bug: Bug) -> str:
    value = outcome_value(bug.answer.outcome)
    if value is None and bug.answer.verdict.value in {"crash", "timeout"}:
        return bug.answer.judgement.detail
    return outcome_text(bug.answer.outcome)


def _per_query(bug: Bug) -> dict[str, Any]:
    outcome = bug.answer.outcome
    if not isinstance(outcome, PerQuery):
        return {}
    return {query: outcome_value(number) for query, number in outcome.values.items()}
