"""What the functions of `import rankspec` return: each prints as its verb does, and is a table in a notebook."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

from rankspec.conformance.checks.check import Checked
from rankspec.conformance.checks.recording import record_of
from rankspec.conformance.checks.records import CheckRecord
from rankspec.conformance.infer.identify.identification import Identification
from rankspec.conformance.infer.resolve import resolve as resolving
from rankspec.conformance.infer.resolve.first_difference import FirstDifference, parting
from rankspec.conformance.infer.resolve.resolve import JointResolution
from rankspec.conformance.infer.witness.sides import Witness
from rankspec.conformance.reports.answer import page_report
from rankspec.conformance.reports.blocks import Report, text
from rankspec.conformance.reports.blocks import html as html_of
from rankspec.conformance.reports.checks.check import check_data, check_report
from rankspec.conformance.reports.derivations.data import derivation_data, derivations_data
from rankspec.conformance.reports.derivations.layout import title
from rankspec.conformance.reports.derivations.markup import equations, html
from rankspec.conformance.reports.derivations.text import text as derivation_text
from rankspec.conformance.reports.identify import identification_data, identification_report
from rankspec.conformance.reports.libraries.atlas import matrix
from rankspec.conformance.reports.reference import Details, Reference
from rankspec.conformance.reports.resolve import joint_data, resolution_data, resolutions_report
from rankspec.conformance.reports.witness import witness_data, witness_report
from rankspec.conformance.reports.words import short_number
from rankspec.conformance.verbs.atlas import Recorded
from rankspec.conformance.verbs.cite import Citation
from rankspec.conformance.verbs.why import WhyAnswer, WhyQuestion
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError, InputError
from rankspec.oracle.measures.derivations import Derivation
from rankspec.oracle.values import Undefined, to_double

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 100
"""Columns of what a result prints, wherever that is."""


class PublicResult:
    """What results have in common. `to_frame`, where there is one, needs pandas (`InputError` without it)."""

    _data: ClassVar[Callable[[Any], dict[str, Any]]]

    @classmethod
    def of(cls, record: Any, **more: Any) -> Self:
        """Take over what was found."""
        return cls(**{each.name: getattr(record, each.name) for each in fields(record)}, **more)

    _summary = property(str)

    def __repr__(self) -> str:
        """Return a short line."""
        return f"<{type(self).__name__} {self._summary}>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as the verb's `--json` has it."""
        return self._data()


class ReportedResult(PublicResult):
    """A result that prints as its verb does, and is that in a notebook."""

    _report: ClassVar[Callable[[Any], Report]]

    def __str__(self) -> str:
        return text(self._report(), WIDTH)

    def _repr_html_(self) -> str:
        return html_of(self._report())


def frame_of(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> pd.DataFrame:
    """Return rows as a pandas frame."""
    try:
        import pandas as pd  # noqa: PLC0415 - nothing here depends on it, and not everybody has it
    except ImportError:
        raise InputError(
            "to_frame() needs pandas; pip install pandas, or take to_dict()", code="package-missing"
        ) from None
    return pd.DataFrame(list(rows), columns=list(columns))


@dataclass(frozen=True, repr=False)
class Identified(ReportedResult, Identification):
    """Which conventions fit everything that an implementation answered: `rankspec.identify`."""

    _report, _data = identification_report, identification_data

    @property
    def _summary(self) -> str:
        return f"{self.implementation}: {self.status.value}{f', {self.texts[0]}' if self.texts else ''}"

    def to_frame(self) -> pd.DataFrame:
        """Return a row an axis: the values that fit, how many they are, and whether the shape can show them."""
        rows = [(axis, " or ".join(values), len(values), True) for axis, values in self.axes.items()]
        rows += [(axis, "", 0, False) for axis in self.not_observable]
        return frame_of(("axis", "value", "values", "observable"), rows)


@dataclass(frozen=True, repr=False)
class CheckResult(ReportedResult, Checked):
    """What a check of one implementation found: `rankspec.check`.

    Attributes:
        measure: the one that was stated, if any.
    """

    measure: Measure | None = None

    @property
    def conforms(self) -> bool:
        """Whether every question that could be put has the convention's answer, and all were put."""
        return self.complete and not self.nonconforming

    def _report(self) -> Report:
        return check_report(self._record, commands=False)

    @property
    def _summary(self) -> str:
        conforming = len(self.applicable) - len(self.nonconforming)
        return f"{self.name} under {self.convention_text}: {conforming} of {len(self.applicable)} cases conform"

    @property
    def _record(self) -> CheckRecord:
        return record_of([self], measure=self.measure)

    def to_frame(self) -> pd.DataFrame:
        """Return a row a case: its id, the measure, the verdict, what was returned and what was expected."""
        (record,) = self._record.implementations
        return frame_of(
            ("case", "measure", "verdict", "got", "exact"),
            ((each.id, each.measure, each.verdict.value, short_number(each.got), each.exact) for each in record.cases),
        )

    def _data(self) -> dict[str, Any]:
        return check_data(self._record)


@dataclass(frozen=True, repr=False)
class WitnessResult(ReportedResult, Witness):
    """The smallest input on which two sides part: `rankspec.witness`."""

    _report, _data = witness_report, witness_data

    @property
    def _summary(self) -> str:
        first, second = (side.text for side in self.sides)
        return f"{first} and {second}, {self.measure}: {self.status}"


@dataclass(frozen=True, repr=False)
class Explained(PublicResult, Derivation):
    """How a value comes about, rank by rank: `rankspec.explain`."""

    _data, _summary = derivation_data, property(title)
    __str__, _repr_html_, _repr_latex_ = derivation_text, html, equations

    def to_frame(self) -> pd.DataFrame:
        """Return a row a rank, or a block of equal scores: what was retrieved, and what it adds."""
        rows = [
            (
                query.query,
                row.rank,
                " ".join(each.docno for each in row.documents),
                row.relevant,
                row.hits,
                float(row.precision),
                None if row.recall is None else float(row.recall),
                to_double(row.added),
            )
            for query in self.queries
            for listed in query.lists
            for row in listed.rows
        ]
        return frame_of(("query", "rank", "documents", "relevant", "hits", "precision", "recall", "added"), rows)


class ExplainedPair(PublicResult, tuple[Explained, Explained]):
    """How two values of the same data come about, and where they part: `rankspec.explain` under two conventions."""

    __slots__ = ()
    _data = derivations_data

    @property
    def first_difference(self) -> FirstDifference | None:
        """Return the first line on which the derivations differ; None if there is none."""
        return parting(*self)

    def __str__(self) -> str:
        """Return what `rankspec explain` prints of two conventions."""
        return derivation_text(*self)

    _summary = property(lambda self: "; ".join(map(title, self)))

    def _repr_html_(self) -> str:
        return html(*self)


@dataclass(frozen=True, repr=False)
class Resolution(ReportedResult, resolving.Resolution):
    """Which conventions give a number: `rankspec.resolve`."""

    _data = resolution_data

    def _report(self) -> Report:
        return resolutions_report(JointResolution((self,), ()))

    @property
    def _summary(self) -> str:
        simplest = f", {self.explanations[0].text}" if self.explanations else ""
        return f"{self.printed}: {self.status}{simplest}"

    def to_frame(self) -> pd.DataFrame:
        """Return a row a convention that gives the number, or comes near, simplest first: its value and its axes."""
        given = self.explanations or self.nearest
        axes = list(dict.fromkeys(axis for each in given for axis in each.axes))
        rows = (
            (
                str(each.measure),
                each.convention_text,
                each.exact_text,
                math.nan if isinstance(each.exact, Undefined) else float(each.exact),
                each.agreement and str(each.agreement),
                *(each.axes.get(axis) for axis in axes),
            )
            for each in given
        )
        return frame_of(("measure", "convention", "exact", "float", "agreement", *axes), rows)


@dataclass(frozen=True, repr=False)
class Resolutions(ReportedResult, JointResolution):
    """Which conventions give several numbers on the same data, each and together: `rankspec.resolve` of a list."""

    _report, _data = resolutions_report, joint_data

    def __iter__(self) -> Iterator[Resolution]:
        return map(Resolution.of, self.values)

    def __len__(self) -> int:
        return len(self.values)

    _summary = property(lambda self: f"{', '.join(each.printed for each in self.values)}: {self.status}")


@dataclass(frozen=True, repr=False, eq=False)
class ReferenceList(ReportedResult, Mapping[str, Details]):
    """What there is: name -> all that is known of it. `rankspec.measures`, `rankspec.conventions`."""

    reference: Reference

    def __getitem__(self, name: str) -> Details:
        try:
            return self.reference.details_of(self.reference.known(name))
        except ConventionError as error:
            raise KeyError(str(error)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.reference.entries)

    def __len__(self) -> int:
        return len(self.reference.entries)

    def _report(self) -> Report:
        return self.reference.report()

    _summary = property(lambda self: f"of {len(self)} {self.reference.kind}: {', '.join(self)}")

    def to_frame(self) -> pd.DataFrame:
        """Return a row an entry."""
        table = self.reference.table()
        return frame_of(table.headings, table.rows)

    def _data(self) -> dict[str, Any]:
        return self.reference.data()


@dataclass(frozen=True, repr=False)
class AtlasResult(ReportedResult, Recorded):
    """What libraries compute, as it was measured: `rankspec.atlas`."""

    def _report(self) -> Report:
        return page_report(self.page())

    _summary = property(lambda self: self.page().headline)

    def _data(self) -> dict[str, Any]:
        return dict(self.as_data())

    def to_frame(self) -> pd.DataFrame:
        """Return a row an implementation, version and measure, and a column an axis."""
        table = matrix(self.records)
        return frame_of(table.headings, table.rows)


@dataclass(frozen=True, repr=False)
class CitationResult(PublicResult, Citation):
    """What can be cited of a library, a convention or a function: `rankspec.cite`."""

    @property
    def sentence(self) -> str:
        """Return the sentence that states what it computes."""
        return str(self.data["sentence"])

    @property
    def bibtex(self) -> str:
        """Return the BibTeX entry."""
        return str(self.data["bibtex"])

    def __str__(self) -> str:
        """Return what `rankspec cite` prints."""
        return f"{self.sentence}\n\n{self.bibtex}"

    _summary = property(lambda self: self.sentence)

    def _data(self) -> dict[str, Any]:
        return self.data


@dataclass(frozen=True, repr=False)
class WhyResult(ReportedResult):
    """The answer about what was given: `rankspec.why`.

    Attributes:
        question: what it was taken for.
        answer: the answer, with the evidence.
    """

    question: WhyQuestion
    answer: WhyAnswer

    @property
    def sentence(self) -> str:
        """Return the answer in a sentence or two."""
        return self.answer.headline

    @property
    def is_good(self) -> bool:
        """Whether there is an answer: a convention that fits, a number that is explained."""
        return self.answer.is_good

    def _report(self) -> Report:
        verb = self.answer.verb
        return self.question.report(
            self.answer, f"rankspec.{verb[0]}(...)" if verb[0] != "atlas" else f"rankspec {' '.join(verb)}"
        )

    _summary = property(lambda self: self.sentence)

    def _data(self) -> dict[str, Any]:
        return self.question.answer_data(self.answer)
