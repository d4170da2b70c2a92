"""What the documents have wrong: each number with a search of all conventions for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.exact import parse_exact, parse_printed
from rankspec.conformance.cases.inputs import data_of_case
from rankspec.conformance.cases.quantities import known_quantity
from rankspec.conformance.infer.resolve.search import Evaluate, Search, search, search_any_cutoff, search_values
from rankspec.oracle.conventions.convention import AXES, Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import InputError
from rankspec.oracle.language.expression import convention_text, parse_measure
from rankspec.oracle.values import Value

_OF_THE_LIST = frozenset({"unjudged", "negative_grades", "duplicates", "score_precision", "ties"})
"""Axes that a precision or a recall at a rank can show."""

_OF_ONE_QUERY = frozenset(AXES) - {"aggregate"}


@dataclass(frozen=True)
class Erratum:
    """A number or formula that a document has wrong."""

    case: Case
    # conventions of the measure searched for one that gives the printed number; None if it was not searched
    search: Search | None = None
    any_cutoff: Search | None = None  # the same with every cutoff, where the measure has none
    unsearched: str = ""  # why nothing was searched


@dataclass(frozen=True)
class DocumentErrata:
    """What one document has wrong: errata, claims that do not hold, numbers that follow from rounded ones."""

    document: str
    errata: tuple[Erratum, ...]
    claims: tuple[Case, ...]
    rounding: tuple[Erratum, ...]
    title: str | None = None


def errata(cases: Iterable[Case]) -> list[DocumentErrata]:
    """Return what the documents have wrong, document by document, in order of their lines."""
    listed = sorted((case for case in cases if case.has_source), key=lambda case: (case.document, case.line or 0))
    return [
        DocumentErrata(
            document=document,
            errata=tuple(searched(case) for case in of_document if case.verdict == "erratum"),
            claims=tuple(case for case in of_document if case.verdict == "claim" and case.holds is False),
            rounding=tuple(searched(case) for case in of_document if case.verdict == "rounding"),
            title=of_document[0].title,
        )
        for document in dict.fromkeys(case.document for case in listed)
        for of_document in [[case for case in listed if case.document == document]]
    ]


def searched(case: Case) -> Erratum:
    """Search for a convention that gives what a case's document prints."""
    if case.printed is None:
        return Erratum(case, unsearched="no number is printed here")
    if case.input is None or known_quantity(case) is None:
        return Erratum(case, unsearched=f"`{case.quantity}` is the document's own expression, no value of the measure")
    measure, data = parse_measure(case.measure), data_of_case(case.input)
    if case.quantity != "value":
        axes = _OF_ONE_QUERY if case.quantity.partition("@")[0].lower() in {"ap", "apcp", "cutoff"} else _OF_THE_LIST
        value = _quantity_of(case)
        return Erratum(case, search_values(parse_printed(case.printed), [measure], data, value, axes=axes))
    wider = search_any_cutoff(case.printed, measure, data) if measure.k is None else None
    return Erratum(case, search(case.printed, measure, data), wider)


def _quantity_of(case: Case) -> Evaluate:
    """Return how the part of the computation that a case is about is evaluated under another convention."""

    def value(measure: Measure, convention: Convention) -> Value:
        text = known_quantity(replace(case, measure=str(measure), convention=convention_text(convention)))
        if text is None or text == "none":
            raise InputError(f"{case.quantity} has no value here", code="value-undefined")
        return parse_exact(text)

    return value
