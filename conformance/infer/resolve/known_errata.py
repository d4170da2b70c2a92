"""Errata of the documents that a number on some data is. It runs in a browser, without numpy and YAML."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rankspec.conformance.cases.case import Case
from rankspec.conformance.cases.exact import Printed, parse_printed
from rankspec.conformance.cases.inputs import data_of_case
from rankspec.oracle.sweeps.space import Data

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
