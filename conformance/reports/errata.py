"""What the documents have wrong, so that an author could act on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.infer.resolve.errata import DocumentErrata, Erratum
from rankspec.conformance.infer.resolve.search import Candidate, Search
from rankspec.conformance.reports.console import fields_table
from rankspec.conformance.reports.fixtures import case_details, with_decimal
from rankspec.oracle.values import to_text
from rich.console import Group, RenderableType
from rich.text import Text

_MOST_NAMED = 3

Fields = Iterable[tuple[str, str | None]]


def errata_data(documents: Iterable[DocumentErrata]) -> list[dict[str, Any]]:
    """Return what the documents have wrong as `fixtures errata --json` has it."""
    return [
        {
            "document": each.document,
            "title": each.title,
            "errata": [_erratum_data(erratum) for erratum in each.errata],
            "claims": [case_details(case) for case in each.claims],
            "rounding": [_erratum_data(erratum) for erratum in each.rounding],
        }
        for each in documents
    ]


def search_data(found: Search | None) -> dict[str, Any] | None:
    """Return a search as plain data."""
    if found is None:
        return None
    return {
        "printed": found.printed.text,
        "searched": found.searched,
        "complete": found.complete,
        "matches": [_candidate_data(each) for each in found.matches],
        "nearest": [_candidate_data(each) for each in found.nearest],
    }


def search_text(found: Search, kind: str = "") -> str:
    """Say in a sentence what a search found; `kind` says which conventions were searched."""
    rest = "" if found.complete else " (there are more, less simple)"
    among = f"{found.searched}{f' {kind}' if kind else ''} searched{rest}"
    if not found.matches:
        near = "; ".join(f"{each.text}: {_value_text(each)}" for each in found.nearest)
        return f"no convention of {among} gives {found.printed.text}" + (f"; nearest are {near}" if near else "")
    named = "; ".join(f"{each.text}: {_value_text(each)}, {each.agreement}" for each in found.matches[:_MOST_NAMED])
    more = f"; and {len(found.matches) - _MOST_NAMED} more" if len(found.matches) > _MOST_NAMED else ""
    return f"{len(found.matches)} of {among} give {found.printed.text}: {named}{more}"


def errata_report(documents: Iterable[DocumentErrata]) -> RenderableType:
    """Return what the documents have wrong, document by document."""
    return Group(*(part for each in documents for part in _document(each)))


def _document(wrong: DocumentErrata) -> Iterator[RenderableType]:
    yield Text(wrong.title or wrong.document, style="bold underline")
    if wrong.title is not None:
        yield Text(wrong.document, style="dim")
    yield Text()
    yield from _section("errata", [(each.case, _erratum_fields(each)) for each in wrong.errata])
    yield from _section("claims that do not hold", [(case, _claim_fields(case)) for case in wrong.claims])
    yield from _section("rounded from rounded numbers", [(each.case, _erratum_fields(each)) for each in wrong.rounding])
    if not (wrong.errata or wrong.claims or wrong.rounding):
        yield Text("nothing found wrong")
        yield Text()


def _section(heading: str, entries: list[tuple[Case, Fields]]) -> Iterator[RenderableType]:
    if not entries:
        return
    yield Text(f"{heading}: {len(entries)}", style="bold")
    yield Text()
    for case, fields in entries:
        yield Text(f"{case.id}, line {case.line}", style="cyan")
        table = fields_table()
        for name, text in fields:
            if text:
                table.add_row(f"  {name}", " ".join(text.split()))
        yield table
        yield Text()


def _erratum_fields(erratum: Erratum) -> Fields:
    case = erratum.case
    part = "" if case.quantity == "value" else f", {case.quantity}"
    yield "says", case.quote
    yield "printed", case.printed
    yield "exact", case.exact and f"{with_decimal(case.exact)} ({case.measure}{part} under {case.convention})"
    yield "why", case.why
    yield "should be", case.correction
    for alternative in case.alternatives:
        yield "or", f"{with_decimal(alternative.exact)}: {alternative.why}"
    yield "search", f"nothing: {erratum.unsearched}" if erratum.search is None else search_text(erratum.search)
    if erratum.any_cutoff is not None:
        yield "cut off", search_text(erratum.any_cutoff, "with a cutoff")


def _claim_fields(case: Case) -> Fields:
    yield "says", case.quote
    yield "claim", case.statement
    yield "why not", case.why
    yield "observed", case.observed and f"{case.implementation or ''} {case.version or ''}: {case.observed}"
    yield "should be", case.correction


def _erratum_data(erratum: Erratum) -> dict[str, Any]:
    return case_details(erratum.case) | {
        "search": search_data(erratum.search),
        "any_cutoff": search_data(erratum.any_cutoff),
        "not_searched": erratum.unsearched or None,
    }


def _candidate_data(candidate: Candidate) -> dict[str, Any]:
    return {
        "convention": candidate.text,
        "exact": to_text(candidate.exact),
        "decimal": decimal_text(candidate.exact),
        "agreement": None if candidate.agreement is None else str(candidate.agreement),
    }


def _value_text(candidate: Candidate) -> str:
    return with_decimal(to_text(candidate.exact))
