"""Derivations as plain data for JSON; numbers are exact texts, decimals stand beside them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rankspec.conformance.cases.exact import decimal_text
from rankspec.conformance.cases.plain import data_of
from rankspec.conformance.infer.resolve.first_difference import parting
from rankspec.oracle.conventions.convention import setting_text
from rankspec.oracle.measures.derivations import Derivation, Document, ListDerivation, QueryDerivation, Row
from rankspec.oracle.measures.terms import total
from rankspec.oracle.values import Exact, to_text, to_value


def derivation_data(derivation: Derivation) -> dict[str, Any]:
    """Return a derivation as `explain --json` has it."""
    convention, cutoff = derivation.convention, derivation.cutoff
    return {
        **data_of(derivation, "measure", "convention"),
        "axes": {axis: setting_text(getattr(convention, axis)) for axis in derivation.measure.axes(convention)},
        "exact": to_text(derivation.value),
        "decimal": decimal_text(derivation.value),
        "error": derivation.error or None,
        "cutoff": None if cutoff is None else str(cutoff),
        "factors": [to_text(factor) for factor in derivation.factors],
        "taken_off": str(derivation.subtracted),
        **({"weights": [str(weight) for weight in derivation.weights]} if derivation.weights else {}),
        "queries": [_query_data(query) for query in derivation.queries],
    }


def derivations_data(derivations: Sequence[Derivation]) -> dict[str, Any]:
    """Return one derivation or two as `explain --json` has them, of two with the first line on which they differ."""
    data: dict[str, Any] = {
        "schema": "rankspec/explain/1",
        "derivations": [derivation_data(each) for each in derivations],
    }
    if len(derivations) > 1:
        difference = parting(*derivations)
        data["first_difference"] = None if difference is None else data_of(difference) | {"text": difference.text}
    return data


def _query_data(query: QueryDerivation) -> dict[str, Any]:
    return {
        **data_of(query, "query", "relevant", "missing"),
        **_number_data("exact", query.value),
        "rule": query.rule or None,
        "lists": [_list_data(listed) for listed in query.lists],
    }


def _list_data(derivation: ListDerivation) -> dict[str, Any]:
    divisor = derivation.divisor
    whole = divisor.numerator if isinstance(divisor, Fraction) and divisor.denominator == 1 else None
    return {
        **data_of(derivation, "probability", "levels", "beside", "denominator", "left_out"),
        "rows": [_row_data(row, derivation) for row in derivation.rows],
        "ideal": [
            {"rank": each.rank, "gain": str(each.gain), **_number_data("added", total([each.term]), str(each.term))}
            for each in derivation.ideal
        ],
        "factors": [data_of(factor, "name", "formula", "value") for factor in derivation.factors],
        "hits_needed": derivation.needed or None,
        **{
            name: getattr(derivation, name) or None
            for name in ("formula", "adds", "denominator_text", "divisor_text", "rule")
        },
        "sum": to_text(derivation.total),
        "divisor": whole if divisor is None or whole is not None else to_text(divisor),
        **_number_data("exact", derivation.value),
    }


def _row_data(row: Row, derivation: ListDerivation) -> dict[str, Any]:
    return {
        **data_of(row, "rank", "hits", "precision", "recall", "interpolated"),
        "documents": [_document_data(each) for each in row.documents],
        "details": {name: str(value) for name, value in row.details},
        **_number_data("added", row.added),
        "contribution": to_text(derivation.contribution(row)),
        "terms": [str(term) for term in row.terms],
    }


def _document_data(document: Document) -> dict[str, Any]:
    score = document.score
    return {
        "docno": document.docno or None,
        **data_of(document, "label", "relevant"),
        "score": None if score is None else str(score),
    }


def _number_data(name: str, value: Exact, text: str | None = None) -> dict[str, str]:
    return {name: text or to_text(value), "decimal": decimal_text(to_value(value))}
