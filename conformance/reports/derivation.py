"""Derivations laid out: the same tables and equations for text, Markdown and LaTeX, which only write them differently.

What is laid out is decided here: which columns a derivation needs, which rows of a long list are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rankspec.conformance.cases.exact import decimal_text
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.convention import setting_text
from rankspec.oracle.explaining.steps import Derivation, Document, ListDerivation, QueryDerivation, Row
from rankspec.oracle.language.expression import convention_text, expression_text
from rankspec.oracle.values import Exact, Undefined, Value, to_text, to_value

Cell = str | int | Fraction | None

MOST_ROWS = 60
"""Longer lists show their relevant documents, and say how many others there are."""


@dataclass(frozen=True)
class Grid:
    """A table: headings, rows, and for each row its index in the derivation."""

    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    places: tuple[int, ...] = ()
    caption: str = ""


@dataclass(frozen=True)
class Equation:
    """`name = (term + term) / divisor = value`, or `name = value` by a rule or by an expression."""

    name: str
    terms: tuple[Fraction, ...]
    divisor: int | None
    value: Value
    reason: str = ""


@dataclass(frozen=True)
class Section:
    """A heading with what stands under it, in order."""

    heading: str
    parts: tuple[Grid | Equation | str, ...]


def sections(derivation: Derivation, *, common: bool = False) -> list[Section]:
    """Lay a derivation out; with `common`, its rows have the columns that every derivation has."""
    measure = str(derivation.measure)
    if derivation.error:
        return [Section("", (f"{measure} is an error: {derivation.error}",))]
    laid = [_query(query, measure, common=common) for query in derivation.queries]
    set_parts = tuple(_of_set(derivation, measure))
    if set_parts:
        laid.append(Section("all queries", set_parts))
    return laid


def title(derivation: Derivation) -> str:
    """Return what is derived, and its value."""
    return f"{expression_text(derivation.measure, derivation.convention)} = {value_text(derivation.value)}"


def value_text(value: Value) -> str:
    """Write a value with its decimal."""
    text, decimal = to_text(value), decimal_text(value)
    return text if text == decimal else f"{text} = {decimal}"


def _query(query: QueryDerivation, measure: str, *, common: bool) -> Section:
    heading = f"query {query.query}: R = {query.relevant}"
    name = f"{measure}({query.query})"
    if query.rule:
        return Section(heading, (Equation(name, (), None, to_value(query.value), query.rule),))
    parts: list[Grid | Equation | str] = []
    for number, listed in enumerate(query.lists, start=1):
        if len(query.lists) > 1:
            parts.append(f"list {number}, with probability {listed.probability}:")
        parts += _list(listed, name if len(query.lists) == 1 else f"{name}, list {number}", common=common)
    if len(query.lists) > 1:
        shares = tuple(one.probability * one.value for one in query.lists if isinstance(one.value, Fraction))
        parts.append(Equation(name, shares, 1, to_value(query.value), "mean over the lists"))
    return Section(heading, tuple(parts))


def _list(listed: ListDerivation, name: str, *, common: bool) -> Iterator[Grid | Equation | str]:
    if listed.rows:
        yield rows_grid(listed, common=common)
    if listed.left_out:
        yield f"retrieved, but not looked at (beyond a limit, or removed): {listed.left_out}"
    if listed.rule or listed.divisor is None:
        yield Equation(name, (), None, to_value(listed.value), listed.rule)
        return
    if listed.levels:
        rows = tuple((level.recall, level.hits_needed, level.precision) for level in listed.levels)
        yield Grid(("recall", "hits needed", "highest precision"), rows, caption="Precision at fixed recall levels")
    if listed.terminal is not None:
        kept, hits = listed.terminal.kept, listed.terminal.hits
        yield f"terminal term: {hits} hits in {kept} documents kept, {Fraction(hits, kept)}"
    yield f"D = {listed.denominator_text}"
    divisor = str(listed.divisor) if listed.divisor_text == "D" else f"{listed.divisor} ({listed.divisor_text})"
    yield Equation(name, _terms(listed), listed.divisor, to_value(listed.value), f"the sum over {divisor}")


def _terms(listed: ListDerivation) -> tuple[Fraction, ...]:
    """Return what is summed: the levels' precisions, or what rows add, zeros left out."""
    terms = [level.precision for level in listed.levels] or [row.added for row in listed.rows]
    if listed.terminal is not None:
        terms.append(listed.terminal.value)
    return tuple(term for term in terms if term)


def rows_grid(listed: ListDerivation, *, common: bool = False) -> Grid:
    """Return the rows of a list as a table, with the columns that it needs."""
    short = len(listed.rows) <= MOST_ROWS
    shown = [place for place, row in enumerate(listed.rows) if short or row.relevant or row.added]
    documents = [document for row in listed.rows for document in row.documents]
    named = any(document.docno for document in documents)
    interpolated = not common and any(row.interpolated is not None for row in listed.rows)
    terms = not common and any(len(row.terms) > 1 for row in listed.rows)
    recall = [] if common else ["recall"]
    headings = ["rank", *(["document"] if named else []), "label", "hits", "precision", *recall]
    headings += ["interpolated"] if interpolated else []
    headings += ["adds"] + (["terms"] if terms else [])
    rows = []
    for place in shown:
        row = listed.rows[place]
        cells: list[Cell] = [_rank(row), *([_names(row)] if named else []), _labels(row.documents), row.hits]
        cells += [f"{row.hits}/{row.rank}", *([] if common else [row.recall])]
        cells += [row.interpolated] if interpolated else []
        cells += [row.added] + ([" + ".join(map(str, row.terms))] if terms else [])
        rows.append(tuple(cells))
    hidden = len(listed.rows) - len(shown)
    caption = f"{hidden} rows without a hit are not shown" if hidden else ""
    return Grid(tuple(headings), tuple(rows), tuple(shown), caption)


def _rank(row: Row) -> str:
    first = row.rank - len(row.documents) + 1
    return str(row.rank) if first == row.rank else f"{first}-{row.rank}"


def _names(row: Row) -> str:
    return " ".join(document.docno or "?" for document in row.documents)


def _labels(documents: Sequence[Document]) -> str:
    return " ".join("unjudged" if document.label is None else str(document.label) for document in documents)


def _of_set(derivation: Derivation, measure: str) -> Iterator[Equation | str]:
    """Yield what the set is worth, where there is more than one query to it."""
    if derivation.measure.name == "TAP":
        score = "none" if derivation.cutoff is None else str(derivation.cutoff)
        yield f"cutoff: {score}"
    pooled = derivation.convention.aggregate is Aggregate.MICRO
    if pooled or (len(derivation.queries) == 1 and derivation.counting and _is_plain(derivation)):
        return
    left_out = [f"{query.query} ({_why(query)})" for query in derivation.queries if not query.counts]
    if left_out:
        yield f"left out: {', '.join(left_out)}"
    values = tuple(query.value for query in derivation.counting if isinstance(query.value, Fraction))
    count = len(derivation.counting)
    if _is_plain(derivation) and len(values) == count and count:
        yield Equation(measure, values, count, derivation.value, f"the mean of {count} queries")
    else:
        rule = "the geometric mean, floor " + str(derivation.convention.geometric_floor)
        reason = f"{rule}, of {count} queries" if not _is_plain(derivation) else "the mean of no query, or of nan"
        yield Equation(measure, (), None, derivation.value, reason)


def _is_plain(derivation: Derivation) -> bool:
    return derivation.convention.aggregate is Aggregate.MEAN


def _why(query: QueryDerivation) -> str:
    return query.rule or next((listed.rule for listed in query.lists if listed.rule), "skip")


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
        "queries": [
            {
                "query": query.query,
                "relevant": query.relevant,
                "exact": _text(query.value),
                "rule": query.rule or None,
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
        "terminal": None if listed.terminal is None else str(listed.terminal.value),
        "denominator": listed.denominator,
        "denominator_text": listed.denominator_text or None,
        "sum": str(listed.total),
        "divisor": listed.divisor,
        "divisor_text": listed.divisor_text or None,
        "exact": _text(listed.value),
        "rule": listed.rule or None,
        "left_out": listed.left_out,
    }


def _row_data(row: Row, listed: ListDerivation) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "documents": [
            {
                "docno": each.docno or None,
                "label": each.label,
                "relevant": each.relevant,
                "score": None if each.score is None else str(each.score),
            }
            for each in row.documents
        ],
        "hits": row.hits,
        "precision": str(row.precision),
        "recall": str(row.recall),
        "interpolated": None if row.interpolated is None else str(row.interpolated),
        "added": str(row.added),
        "contribution": str(listed.contribution(row)),
        "terms": [str(term) for term in row.terms],
    }


def _text(value: Exact) -> str:
    return value.value if isinstance(value, Undefined) else str(value)
