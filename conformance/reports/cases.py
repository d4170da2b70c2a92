"""Cases, their inputs, what is wrong with their files, and what the documents have wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.catalogue import DocumentErrata
from rankspec.conformance.cases.exact import decimal_text, parse_exact
from rankspec.conformance.cases.files.yaml_source import Finding
from rankspec.conformance.cases.inputs import CaseInput, data_of_case
from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.infer.witness.small_inputs import score_text
from rankspec.conformance.reports.blocks import Fields, Line, Report, Table
from rankspec.conformance.reports.words import shortened_fraction
from rankspec.oracle.data.run import Score

NamedTexts = Iterable[tuple[str, str | None]]


def case_data(case: Case) -> dict[str, Any]:
    """Return a case as `fixtures list --json` has it."""
    return {
        **data_of(case, "id", "document", "line", "quote", "clause", "measure", "quantity"),
        "input": case.input and case.input.data,
        **data_of(case, "convention", "exact", "alternatives", "printed", "verdict", "holds"),
    }


def case_details(case: Case) -> dict[str, Any]:
    """Return a case with all that is known of it, as `fixtures show --json` has it."""
    return {
        **case_data(case),
        "decimal": case.exact and decimal_text(parse_exact(case.exact)),
        **data_of(case, "statement", "why", "correction", "implementation", "version", "observed"),
    }


def with_decimal(exact: str) -> str:
    """Write an exact value with its decimal: `37/48 = 0.7708333333`; one that is whole or undefined by itself."""
    decimal = decimal_text(parse_exact(exact))
    return exact if decimal == exact else f"{exact} = {decimal}"


def _verdict_text(case: Case) -> str:
    """Write a verdict; a claim's says whether it holds."""
    return case.verdict if case.holds is None else f"{case.verdict}, {'holds' if case.holds else 'does not hold'}"


def case_table(cases: Iterable[Case]) -> Table:
    """Return cases as a table, a row each."""
    table = Table("case", "measure", "quantity", "convention", "exact", "printed", "verdict")
    for case in cases:
        exact = "" if case.exact is None else shortened_fraction(case.exact)
        named = (case.id, case.measure, case.quantity, case.convention)
        table.add_row(*named, exact, case.printed or "", _verdict_text(case))
    return table


def case_report(case: Case) -> Report:
    """Yield a case with its input and its values."""
    yield Line(case.id, style="bold")
    yield from _fields(
        [
            ("document", case.document if case.line is None else f"{case.document}, line {case.line}"),
            *((name, getattr(case, name)) for name in ("quote", "clause", "measure", "quantity", "convention")),
            ("statement", case.statement),
        ]
    )
    if case.input is not None:
        yield ""
        yield from input_report(case.input)
    yield ""
    yield from _fields(
        [
            ("exact", case.exact and with_decimal(case.exact)),
            ("printed", case.printed),
            ("verdict", _verdict_text(case)),
            ("why", case.why),
            ("correction", case.correction),
            ("implementation", " ".join(each for each in (case.implementation, case.version) if each)),
            ("observed", case.observed),
            *(("or", f"{with_decimal(each.exact)}: {each.why}") for each in case.alternatives),
        ]
    )


def _fields(named: NamedTexts, indent: int = 0) -> Report:
    if told := [(name, text) for name, text in named if text]:
        yield Fields(told, indent)


def input_report(source: CaseInput, most: int | None = None) -> Report:
    """Yield an input query by query: the list in order of the file (at most so many), then what else was judged."""
    data = data_of_case(source)
    # Labels in rank order have no scores of their own, and none is shown.
    headings = ("place", "document", "score", "label") if data.scored else ("rank", "document", "label")
    queries = dict.fromkeys([*source.qrels, *source.run])
    for number, query in enumerate(queries):
        grades, retrieved = source.qrels.grades(query), source.run.documents(query)
        if len(queries) > 1:
            if number:
                yield ""
            where = "" if query in source.qrels else ", not in the qrels"
            yield f"query {query}{where if query in source.run else f'{where}, not in the run'}"
        table = Table(*headings)
        for place, (docno, score) in enumerate(retrieved[:most], start=1):
            label = grades.get(docno, "unjudged" if data.judged else "0")
            table.add_row(place, docno, *([_score(score)] if data.scored else []), label)
        if table.rows:
            yield table
        if most is not None and len(retrieved) > most:
            yield f"... {len(retrieved)} documents in all"
        names = {document.docno for document in retrieved}
        missed = [f"{docno} ({grade})" for docno, grade in grades.items() if docno not in names]
        if missed:
            more = f" and {len(missed) - most} more" if most is not None and len(missed) > most else ""
            yield f"judged, not retrieved: {', '.join(missed[:most])}{more}"
    for name, run in source.against.items():
        yield ""
        yield f"against {name}"
        rows = ((query, "  ".join(f"{docno} {score}" for docno, score in run.documents(query))) for query in run)
        yield Table("query", "documents in the order of the file, with scores", rows=rows)


def _score(score: Score) -> str:
    return str(score_text(score) if isinstance(score, Fraction) else score)


def finding_data(finding: Finding) -> dict[str, Any]:
    """Return a finding as `fixtures lint --json` has it."""
    return {**data_of(finding, "line", "message", "unreadable", file="path"), "case": finding.case or None}


def errata_data(documents: Iterable[DocumentErrata]) -> list[dict[str, Any]]:
    """Return what the documents have wrong as `fixtures errata --json` has it."""
    return [
        {
            **data_of(each, "document", "title"),
            "errata": [case_details(case) for case in each.errata],
            "claims": [case_details(case) for case in each.claims],
            "rounding": [case_details(case) for case in each.rounding],
        }
        for each in documents
    ]


def errata_report(documents: Iterable[DocumentErrata]) -> Report:
    """Yield what the documents have wrong, document by document."""
    for each in documents:
        yield Line(each.title, style="bold underline")
        if each.title != each.document:
            yield Line(each.document, style="dim")
        yield ""
        yield from _section("errata", each.errata)
        yield from _section("claims that do not hold", each.claims)
        yield from _section("rounded from rounded numbers", each.rounding)
        if not (each.errata or each.claims or each.rounding):
            yield "nothing found wrong"
            yield ""


def _section(heading: str, cases: Sequence[Case]) -> Report:
    if cases:
        yield Line(f"{heading}: {len(cases)}", style="bold")
        yield ""
    for case in cases:
        part = "" if case.quantity == "value" else f", {case.quantity}"
        observed = case.observed and f"{case.implementation or ''} {case.version or ''}: {case.observed}"
        is_claim, of_what = case.verdict == "claim", f"({case.measure}{part} under {case.convention})"
        exact = None if is_claim or case.exact is None else f"{with_decimal(case.exact)} {of_what}"
        named: list[tuple[str, str | None]] = [
            ("says", case.quote),
            *([("claim", case.statement)] if is_claim else [("printed", case.printed)]),
            ("exact", exact),
            ("why not" if is_claim else "why", case.why),
            *([("observed", observed)] if is_claim else []),
            ("should be", case.correction),
            *(("or", f"{with_decimal(each.exact)}: {each.why}") for each in case.alternatives if not is_claim),
        ]
        yield Line(f"{case.id}, line {case.line}", style="cyan")
        yield from _fields(named, indent=2)
        yield ""
