"""What the documents have wrong: each number with a search of all conventions for it, and known errata on an input."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.exact import Printed, parse_exact, parse_printed
from rankspec.conformance.cases.inputs import data_of_case
from rankspec.conformance.cases.quantities import known_quantity
from rankspec.conformance.infer.resolve.search import Evaluate, Search, search, search_any_cutoff, search_values
from rankspec.oracle.conventions.convention import AXES, Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import InputError
from rankspec.oracle.language.expression import convention_text, parse_measure
from rankspec.oracle.sweeps.space import Data
from rankspec.oracle.values import Value

_OF_THE_LIST = frozenset({"unjudged", "negative_grades", "duplicates", "score_precision", "ties"})
"""Axes that a precision or a recall at a rank can show."""

_OF_ONE_QUERY = frozenset(AXES) - {"aggregate"}


@dataclass(frozen=True)
class Erratum:
    """A number or formula that a document has wrong.

    Attributes:
        search: conventions of the measure searched for one that gives the printed number; None if it was not searched.
        any_cutoff: the same with every cutoff, where the measure has none.
        unsearched: why nothing was searched.
    """

    case: Case
    search: Search | None = None
    any_cutoff: Search | None = None
    unsearched: str = ""


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
        value, axes = _quantity_of(case), _axes_of(case.quantity)
        return Erratum(case, search_values(parse_printed(case.printed), [measure], data, value, axes=axes))
    wider = search_any_cutoff(case.printed, measure, data) if measure.k is None else None
    return Erratum(case, search(case.printed, measure, data), wider)


def _axes_of(quantity: str) -> Collection[str]:
    return _OF_ONE_QUERY if quantity.partition("@")[0].lower() in {"ap", "apcp", "cutoff"} else _OF_THE_LIST


def _quantity_of(case: Case) -> Evaluate:
    """Return how the part of the computation that a case is about is evaluated under another convention."""

    def value(measure: Measure, convention: Convention) -> Value:
        text = known_quantity(replace(case, measure=str(measure), convention=convention_text(convention)))
        if text is None or text == "none":
            raise InputError(f"{case.quantity} has no value here")
        return parse_exact(text)

    return value


_OF_THE_SET = "value"


@dataclass(frozen=True)
class KnownErratum:
    """A printed number that is known to be wrong, on this very input.

    Attributes:
        exact: what is true, as text.
    """

    case: str
    document: str
    line: int | None
    printed: str
    measure: str
    exact: str

    @property
    def text(self) -> str:
        """Return it in a sentence."""
        where = self.document if self.line is None else f"{self.document}, line {self.line}"
        return (
            f"{self.printed} is an erratum of {where}: {self.measure} is {self.exact} there (fixtures show {self.case})"
        )


def known_errata(printed: Printed, data: Data, cases: Iterable[Case]) -> tuple[KnownErratum, ...]:
    """Return the errata that a number on some data is: the same number, printed for the same lists."""
    seen = _lists(data)
    return tuple(
        KnownErratum(case.id, case.title or case.document, case.line, case.printed, case.measure, case.exact)
        for case in cases
        if case.verdict == "erratum" and case.quantity == _OF_THE_SET
        if case.printed is not None and case.input is not None and case.exact is not None
        if parse_printed(case.printed).number == printed.number and _lists(data_of_case(case.input)) == seen
    )


def _lists(data: Data) -> list[tuple[tuple[int | None, ...], tuple[int, ...]]]:
    """Return the lists whatever documents are called: labels in the order given, and grades never retrieved."""
    listed = []
    for query in dict.fromkeys([*data.qrels, *data.run]):
        grades = data.qrels.grades(query)
        documents = [document.docno for document in data.run.documents(query)]
        missed = sorted(grade for docno, grade in grades.items() if docno not in {*documents})
        listed.append((tuple(grades.get(docno) for docno in documents), tuple(missed)))
    return listed
