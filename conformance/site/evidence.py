"""Pages of what was observed: the atlas as a matrix, a page a library, the errata of the documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rankspec.conformance.atlas.record import Record
from rankspec.conformance.cases.case import Case
from rankspec.conformance.infer.resolve.errata import DocumentErrata, Erratum
from rankspec.conformance.reports.cases import search_text, with_decimal
from rankspec.conformance.reports.derivations.markup import html
from rankspec.conformance.site.page import Page
from rankspec.conformance.site.records import Row, axes_of, changed
from rankspec.oracle.conventions.convention import AXES, DEFAULT, setting_text
from rankspec.oracle.derivation import explain
from rankspec.oracle.language.expression import parse_measure


def atlas_pages(rows: Sequence[Row], unmeasured: Sequence[Record]) -> Iterator[Page]:
    """Yield the matrix, and a page a library."""
    shown = axes_of(rows)
    data = {
        "rows": rows,
        "axes": [{"name": axis, "default": setting_text(getattr(DEFAULT, axis))} for axis in shown],
        "meanings": {axis: AXES[axis].meaning for axis in shown},
        "families": sorted({row.family for row in rows}),
        "unmeasured": unmeasured,
        "changed": changed(rows),
    }
    yield Page("atlas.html", "Atlas", "atlas.html", data, "atlas")
    for slug in dict.fromkeys(row.slug for row in rows):
        of_library = [row for row in rows if row.slug == slug]
        yield Page(
            f"libraries/{slug}.html",
            of_library[0].library,
            "library.html",
            {"rows": of_library, "axes": list(AXES)},
            "atlas",
        )


def errata_page(documents: Sequence[DocumentErrata]) -> Page:
    """Return the page of what the documents have wrong, with the proofs."""
    listed = [
        {
            "document": each.document,
            "title": each.title or each.document,
            "errata": [_erratum(erratum) for erratum in each.errata],
            "claims": [_claim(case) for case in each.claims],
            "rounding": [_erratum(erratum) for erratum in each.rounding],
        }
        for each in documents
    ]
    return Page("errata.html", "Errata", "errata.html", {"documents": listed}, "errata")


def _erratum(erratum: Erratum) -> dict[str, Any]:
    case = erratum.case
    searches = [] if erratum.search is None else [search_text(erratum.search)]
    searches += [] if erratum.any_cutoff is None else [search_text(erratum.any_cutoff, "with a cutoff")]
    return _claim(case) | {
        "printed": case.printed,
        "exact": case.exact and with_decimal(case.exact),
        "measure": case.measure,
        "quantity": case.quantity,
        "convention": case.convention,
        "alternatives": [(with_decimal(each.exact), each.why) for each in case.alternatives],
        "searches": searches,
        "proof": _proof(case),
    }


def _claim(case: Case) -> dict[str, Any]:
    observed = case.observed and f"{case.implementation or ''} {case.version or ''}: {case.observed}".strip()
    return {
        "id": case.id,
        "line": case.line,
        "quote": case.quote,
        "statement": case.statement,
        "why": case.why,
        "observed": observed,
        "correction": case.correction,
        "printed": None,
        "exact": None,
        "alternatives": (),
        "searches": (),
        "proof": "",
    }


def _proof(case: Case) -> str:
    """Return the derivation of the exact value; nothing where the case has no input."""
    if case.input is None or case.exact is None:
        return ""
    return html(explain(parse_measure(case.measure), case.input.qrels, case.input.run, case.parsed_convention))
