"""Derivations as plain data for JSON; numbers are exact texts, decimals stand beside them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rankspec.conformance.cases.exact import decimal_text
from rankspec.oracle.conventions.convention import setting_text
from rankspec.oracle.explaining.steps import Derivation, ListDerivation, Row
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.measures.terms import total
from rankspec.oracle.measures.working import Beside, Factor
from rankspec.oracle.rankings.ranking import Unassessed
from rankspec.oracle.reals.real import Number
from rankspec.oracle.values import Exact, to_text, to_value


def derivation_data(derivation: Derivation) -> dict[str, Any]:
    """Return a derivation as plain data; numbers are exact texts."""
    convention = derivation.convention
    return {
        "measure": str(derivation.measure),
        "convention": convention_text(convention),
        "axes": {axis: setting_text(getattr(convention, axis)) for axis in derivation.measure.axes(convention)},
        "exact": to_text(derivation.value),
        "decimal": decimal_text(derivation.value),
        "error": derivation.error or None,
        "cutoff": None if derivation.cutoff is None else str(derivation.cutoff),
        "factors": [_text(factor) for factor in derivation.factors],
        "taken_off": str(derivation.taken_off),
        "queries": [
            {
                "query": query.query,
                "relevant": query.relevant,
                "exact": _text(query.value),
                "decimal": decimal_text(to_value(query.value)),
                "rule": query.rule or None,
                "missing": query.missing,
                "lists": [_list_data(listed) for listed in query.lists],
            }
            for query in derivation.queries
        ],
    }


def _list_data(listed: ListDerivation) -> dict[str, Any]:
    return {
        "probability": str(listed.probability),
        "rows": [_row_data(row, listed) for row in listed.rows],
        "levels": [
            {"recall": str(level.recall), "hits_needed": level.hits_needed, "precision": str(level.precision)}
            for level in listed.levels
        ],
        "beside": None if listed.beside is None else _plain(listed.beside),
        "ideal": [
            {
                "rank": each.rank,
                "gain": str(each.gain),
                "added": str(each.term),
                "decimal": decimal_text(to_value(total([each.term]))),
            }
            for each in listed.ideal
        ],
        "factors": [_plain(factor) for factor in listed.factors],
        "formula": listed.formula or None,
        "hits_needed": listed.needed or None,
        "adds": listed.adds or None,
        "denominator": listed.denominator,
        "denominator_text": listed.denominator_text or None,
        "sum": _text(listed.total),
        "divisor": _divisor(listed.divisor),
        "divisor_text": listed.divisor_text or None,
        "exact": _text(listed.value),
        "decimal": decimal_text(to_value(listed.value)),
        "rule": listed.rule or None,
        "left_out": listed.left_out,
    }


def _row_data(row: Row, listed: ListDerivation) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "documents": [
            {
                "docno": each.docno or None,
                "label": each.label.value if isinstance(each.label, Unassessed) else each.label,
                "relevant": each.relevant,
                "score": None if each.score is None else str(each.score),
            }
            for each in row.documents
        ],
        "hits": row.hits,
        "precision": str(row.precision),
        "recall": None if row.recall is None else str(row.recall),
        "interpolated": None if row.interpolated is None else str(row.interpolated),
        "details": {name: str(value) for name, value in row.details},
        "added": _text(row.added),
        "decimal": decimal_text(to_value(row.added)),
        "contribution": _text(listed.contribution(row)),
        "terms": [str(term) for term in row.terms],
    }


def _plain(part: Beside | Factor) -> dict[str, str]:
    return {"name": part.name, "formula": part.formula, "value": str(part.value)}


def _divisor(divisor: Number | None) -> int | str | None:
    """Return a whole divisor as a number, another one as its exact text."""
    if isinstance(divisor, Fraction) and divisor.denominator == 1:
        return divisor.numerator
    return None if divisor is None else _text(divisor)


def _text(value: Exact) -> str:
    return to_text(to_value(value))
