"""A bug report: Markdown that can be filed as it is, and the same as one object."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.cases.plain_text import in_one_line, printable
from rankspec.conformance.checks.recording import input_lines, own_version
from rankspec.conformance.checks.stability import outcome_text, outcome_value
from rankspec.conformance.implementations.specs import Implementation
from rankspec.conformance.questions.question import Rendering
from rankspec.conformance.reports.derivations.text import text
from rankspec.conformance.reports.words import value_and_decimal
from rankspec.conformance.reproducing.bug import Bug, axis_clauses
from rankspec.conformance.run.outcomes import PerQuery
from rankspec.oracle.definitions.writing import latex, signs
from rankspec.oracle.derivation import explain
from rankspec.oracle.errors import OracleError
from rankspec.oracle.language.sentence import sentence
from rankspec.oracle.values import Undefined, to_text


def bug_data(bug: Bug, implementation: Implementation, command: str) -> dict[str, Any]:
    """Return the report as one object; `text` is the Markdown."""
    asked = _rendering(bug)
    arguments, value = asked.call.arguments, asked.expectation.value
    return {
        "schema": "rankspec/bug-report/1",
        "title": title(bug, implementation),
        "implementation": implementation.text,
        "library": _name(bug, implementation),
        "version": bug.version,
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
        "cause": bug.cause or None,
        "demands": [data_of(each, "statement", clause="id") for each in bug.demands],
        "snippet": "\n".join(bug.snippet) or None,
        "printed": bug.printed and {**data_of(bug.printed, "status", "lines"), "shows": bug.is_reproduced},
        "command": command,
        "text": bug_text(bug, implementation, command),
    }


def title(bug: Bug, implementation: Implementation) -> str:
    """Say what is wrong in a line that an issue can be called."""
    measure, got = bug.answer.question.measure, _got(bug)
    does = f"raises {got}" if outcome_value(bug.answer.outcome) is None and got.isidentifier() else f"gives {got}"
    expected = value_and_decimal(_rendering(bug).expectation.value)
    return in_one_line(f"{_name(bug, implementation)}: {measure} {does}, expected {expected}")


def bug_text(bug: Bug, implementation: Implementation, command: str) -> str:
    """Write the report as Markdown."""
    parts = [f"# {title(bug, implementation)}"]
    if bug.snippet:
        parts.append(_fenced(bug.snippet, "python" if bug.printed is not None else "sh"))
    else:
        parts.append(_fenced(input_lines(_rendering(bug).call)))
    if bug.printed is not None:
        parts.append(_came(bug))
    parts += ["## Expected", "\n".join(f"* {line}" for line in _expected(bug))]
    if derivation := _derivation(bug):
        parts.append(_fenced(derivation.splitlines()))
    if bug.cause:
        parts += ["## Cause", bug.cause]
    named = "\n".join((*bug.snippet, *(() if bug.printed is None else bug.printed.lines)))
    packages = "".join(f", {name} {version}" for name, version in packages_in(named, bug.packages).items())
    python, machine = bug.checked.hello.python, f"{platform.system()} {platform.machine()}"
    parts += [
        "## Versions",
        f"{_name(bug, implementation)} {bug.version or '(no version)'}, Python {python}, {machine}{packages}",
        f"Written by rankspec {own_version() or ''} on {datetime.now().astimezone().date().isoformat()}: `{command}`",
    ]
    return printable("\n\n".join(parts))


def packages_in(program: str, packages: Mapping[str, str]) -> dict[str, str]:
    """Return the packages that a program, or what it printed, names: others hardly matter to who reads it.

    >>> packages_in("import torch", {"torch": "2.13.0", "pytorch-ignite": "0.5.5"})
    {'torch': '2.13.0'}
    """
    words = {word.lower() for word in re.findall(r"\w+", program)}
    return {name: version for name, version in packages.items() if name.lower().replace("-", "_") in words}


def _expected(bug: Bug) -> list[str]:
    """Return what the measure is, the convention in words, and the clauses that the case is about."""
    answer, convention = bug.answer, bug.checked.convention
    measure = answer.question.measure
    definition = measure.family.definition
    lines = [f"{measure.name}: {measure.family.about}" + (f", ${latex(definition)}$" if definition is not None else "")]
    if definition is not None:
        lines.append("; ".join(f"${sign}$: {meaning}" for sign, meaning in signs(definition)))
    if measure.family.is_area:
        lines += [clause.statement for axis in _OF_AREAS for clause in axis_clauses(convention, axis)]
    lines.append(f"the convention: {sentence(measure, convention, measure.axes(convention))}")
    lines += [each.statement for each in bug.demands if each.statement not in lines]
    exact = _rendering(bug).expectation.per_query
    several = exact.items() if len(exact) > 1 else ()
    return [*lines, *(f"expected for query {query}: {value_and_decimal(value)}" for query, value in several)]


_OF_AREAS = ("interpolation", "denominator")  # What defines an area: how it is estimated, and what a recall of 1 is


def _derivation(bug: Bug) -> str:
    """Return how the expected value comes about; empty where there is none."""
    asked = _rendering(bug)
    try:
        return text(explain(bug.answer.question.measure, asked.qrels, asked.run, bug.checked.convention))
    except OracleError:
        return ""


def _came(bug: Bug) -> str:
    printed = bug.printed
    if printed is None or printed.status is None:
        return "Run in a fresh Python, it did not end in time."
    shows = "" if bug.is_reproduced else ", which is not what was found"
    if not printed.lines:
        return f"Run in a fresh Python, it ends with status {printed.status}{shows}."
    return "\n\n".join([f"Run in a fresh Python, it ends with{shows}:", _fenced(printed.lines)])


def _fenced(lines: Any, language: str = "") -> str:
    return "\n".join([f"```{language}", *lines, "```"])


def _name(bug: Bug, implementation: Implementation) -> str:
    return bug.library or implementation.text


def _rendering(bug: Bug) -> Rendering:
    if not isinstance(bug.answer.rendering, Rendering):
        raise TypeError("a bug is about a question that can be asked")
    return bug.answer.rendering


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
