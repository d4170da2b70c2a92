"""Cases and findings, as tables for people and as plain data for programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.exact import decimal_text, parse_exact
from rankspec.conformance.cases.inputs import CaseInput, data_of_case
from rankspec.conformance.cases.schema import Finding
from rankspec.conformance.reports.console import fields_table, plain_table
from rankspec.conformance.reports.listing import Listing
from rankspec.conformance.reports.shortening import shortened_fraction
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text


def case_data(case: Case) -> dict[str, Any]:
    """Return a case as `fixtures list --json` has it."""
    return {
        "id": case.id,
        "document": case.document,
        "line": case.line,
        "quote": case.quote,
        "clause": case.clause,
        "measure": case.measure,
        "quantity": case.quantity,
        "input": None if case.input is None else case.input.given,
        "convention": case.convention,
        "exact": case.exact,
        "alternatives": [{"exact": each.exact, "why": each.why} for each in case.alternatives],
        "printed": case.printed,
        "verdict": case.verdict,
        "holds": case.holds,
    }


def case_details(case: Case) -> dict[str, Any]:
    """Return a case with all that is known of it, as `fixtures show --json` has it."""
    return case_data(case) | {
        "decimal": decimal_of(case.exact),
        "statement": case.statement,
        "why": case.why,
        "correction": case.correction,
        "implementation": case.implementation,
        "version": case.version,
        "observed": case.observed,
    }


def decimal_of(exact: str | None) -> str | None:
    """Return an exact value's decimal, None if there is no value."""
    return None if exact is None else decimal_text(parse_exact(exact))


def with_decimal(exact: str) -> str:
    """Write an exact value with its decimal: `37/48 = 0.7708333333`; one that is whole or undefined by itself."""
    decimal = decimal_text(parse_exact(exact))
    return exact if decimal == exact else f"{exact} = {decimal}"


def verdict_text(case: Case) -> str:
    """Write a verdict; a claim's says whether it holds."""
    if case.holds is None:
        return case.verdict
    return f"{case.verdict}, {'holds' if case.holds else 'does not hold'}"


def case_table(cases: Sequence[Case]) -> Listing:
    """Return cases as a table, a row each."""
    table = plain_table("case", "measure", "quantity", "convention", "exact", "printed", "verdict")
    for case in cases:
        printed = case.printed or ""
        exact = "" if case.exact is None else shortened_fraction(case.exact)
        table.add_row(case.id, case.measure, case.quantity, case.convention, exact, printed, verdict_text(case))
    return table


def case_report(case: Case) -> RenderableType:
    """Return a case with its input, its values and its derivation."""
    source = case.document if case.line is None else f"{case.document}, line {case.line}"
    fields: Mapping[str, str | None] = {
        "document": source,
        "quote": case.quote,
        "clause": case.clause,
        "measure": case.measure,
        "quantity": case.quantity,
        "convention": case.convention,
        "statement": case.statement,
    }
    results: Mapping[str, str | None] = {
        "exact": None if case.exact is None else with_decimal(case.exact),
        "printed": case.printed,
        "verdict": verdict_text(case),
        "why": case.why,
        "correction": case.correction,
        "implementation": " ".join(each for each in (case.implementation, case.version) if each) or None,
        "observed": case.observed,
    }
    alternatives = [("or", f"{with_decimal(each.exact)}: {each.why}") for each in case.alternatives]
    head, tail = fields_table(), fields_table()
    _fill(head, fields.items())
    _fill(tail, [*results.items(), *alternatives])
    parts: list[RenderableType] = [Text(case.id, style="bold"), head]
    if case.input is not None:
        parts += [Text(), *_input_tables(case.input)]
    return Group(*parts, Text(), tail)


def _fill(table: Table, fields: Iterable[tuple[str, str | None]]) -> None:
    for name, text in fields:
        if text is not None:
            table.add_row(name, " ".join(text.split()))


def _input_tables(given: CaseInput) -> list[RenderableType]:
    """Return the input query by query: the list in the order of the file, then what was judged but not retrieved."""
    tables: list[RenderableType] = []
    # Labels in rank order have no scores of their own, and none is shown.
    scored = data_of_case(given).scored
    queries = dict.fromkeys([*given.qrels, *given.run])
    for query in queries:
        grades = given.qrels.grades(query)
        retrieved = given.run.documents(query)
        headings = ("place", "document", "score", "label") if scored else ("rank", "document", "label")
        table = plain_table(*headings)
        for place, (docno, score) in enumerate(retrieved, start=1):
            label = str(grades[docno]) if docno in grades else "unjudged"
            shown = decimal_text(parse_exact(str(score))) if isinstance(score, Fraction) else str(score)
            table.add_row(str(place), docno, *([shown] if scored else []), label)
        if len(queries) > 1:
            where = "" if query in given.qrels else ", not in the qrels"
            tables.append(Text(f"query {query}{where if query in given.run else ', not in the run'}"))
        tables.append(table)
        names = {document.docno for document in retrieved}
        missed = [f"{docno} ({grade})" for docno, grade in grades.items() if docno not in names]
        if missed:
            tables.append(Text(f"judged, not retrieved: {', '.join(missed)}"))
        tables.append(Text())
    return [*tables[:-1], *_others(given)]


def _others(given: CaseInput) -> list[RenderableType]:
    """Return the runs that the input's run is compared with, a row a query."""
    tables: list[RenderableType] = []
    for name, run in given.against.items():
        table = plain_table("query", "documents in the order of the file, with scores")
        for query in run:
            table.add_row(query, "  ".join(f"{docno} {score}" for docno, score in run.documents(query)))
        tables += [Text(), Text(f"against {name}"), table]
    return tables


def finding_data(finding: Finding) -> dict[str, Any]:
    """Return a finding as `fixtures lint --json` has it."""
    return {
        "file": str(finding.path),
        "line": finding.line,
        "case": finding.case or None,
        "message": finding.message,
        "unreadable": finding.unreadable,
    }
