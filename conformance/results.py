"""What the verbs find, as things that print themselves: as a verb prints them, and in a notebook as tables."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

from rankspec.conformance.checks.answer import Checked
from rankspec.conformance.checks.recording import record_of
from rankspec.conformance.checks.records import CheckRecord
from rankspec.conformance.infer.identify.identification import Identification
from rankspec.conformance.infer.resolve import resolve as resolving
from rankspec.conformance.infer.witness.witness import Witness
from rankspec.conformance.notebook import frame, html_list, html_table
from rankspec.conformance.reports import check as check_report
from rankspec.conformance.reports import identify as identify_report
from rankspec.conformance.reports import witness as witness_report
from rankspec.conformance.reports.derivation import title
from rankspec.conformance.reports.derivation_data import derivation_data
from rankspec.conformance.reports.derivation_html import html
from rankspec.conformance.reports.derivation_latex import equations
from rankspec.conformance.reports.derivation_text import text as derivation_text
from rankspec.conformance.reports.resolve import resolution_data
from rankspec.conformance.reports.words import compared_texts, short_number
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.explaining.steps import Derivation
from rankspec.oracle.values import Undefined, to_double
from rich.console import Console

if TYPE_CHECKING:
    import pandas as pd
    from _typeshed import DataclassInstance

_WIDTH = 100
_MOST_ROWS = 10


@dataclass(frozen=True, repr=False)
class Identified(Identification):
    """Which conventions fit everything that an implementation answered: `rankspec.identify`."""

    @classmethod
    def of(cls, found: Identification) -> Self:
        """Take over what was found."""
        return cls(**_fields(found))

    def __str__(self) -> str:
        """Return what `rankspec identify` prints."""
        return _printed(lambda console: identify_report.print_identification(console, self))

    def __repr__(self) -> str:
        """Return a short line."""
        return f"<Identified {self.implementation}: {self.status.value}{f', {self.texts[0]}' if self.texts else ''}>"

    def _repr_html_(self) -> str:
        head = f"{self.implementation} ({self.shape}): {self.status.value}. {'; '.join(self.texts[:_MOST_ROWS])}"
        rows = [(axis, " or ".join(values)) for axis, values in self.axes.items()]
        return html_table(head, ("axis", "value"), rows) + html_list(self.observations)

    def to_frame(self) -> pd.DataFrame:
        """Return a row an axis: the values that fit, how many they are, and whether the shape can show them.

        Raises:
            InputError: pandas is not installed.
        """
        rows = [(axis, " or ".join(values), len(values), True) for axis, values in self.axes.items()]
        rows += [(axis, "", 0, False) for axis in self.not_observable]
        return frame(("axis", "value", "values", "observable"), rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as `rankspec identify --json` has it."""
        return identify_report.as_json(self)


@dataclass(frozen=True, repr=False)
class CheckResult(Checked):
    """What a check of one implementation found: `rankspec.check`.

    Attributes:
        measure: the one that was stated, if any.
    """

    measure: Measure | None = None

    @classmethod
    def of(cls, found: Checked, measure: Measure | None = None) -> Self:
        """Take over what was found."""
        return cls(**_fields(found), measure=measure)

    @property
    def conforms(self) -> bool:
        """Whether every question that could be put has the convention's answer, and all were put."""
        return self.complete and not self.nonconforming

    def __str__(self) -> str:
        """Return what `rankspec check` prints."""
        record = self._record
        return _printed(lambda console: check_report.print_check(console, record, commands=False))

    def __repr__(self) -> str:
        """Return a short line."""
        return f"<CheckResult {self._summary}>"

    def _repr_html_(self) -> str:
        (record,) = self._record.implementations
        failing = sorted(record.unexpected, key=lambda case: case.size)
        rows = [
            (case.id, case.measure, *compared_texts(case.got, case.exact), case.verdict.value)
            for case in failing[:_MOST_ROWS]
        ]
        more = [f"and {len(failing) - len(rows)} more"] if len(failing) > len(rows) else []
        return html_table(self._summary, ("case", "measure", "got", "exact", "verdict"), rows) + html_list(more)

    def to_frame(self) -> pd.DataFrame:
        """Return a row a case: its id, the measure, the verdict, what was got and what is exact.

        Raises:
            InputError: pandas is not installed.
        """
        (record,) = self._record.implementations
        rows = [
            (each.id, each.measure, each.verdict.value, short_number(each.got), each.exact) for each in record.cases
        ]
        return frame(("case", "measure", "verdict", "got", "exact"), rows)

    @property
    def _record(self) -> CheckRecord:
        return record_of([self], measure=self.measure)

    @property
    def _summary(self) -> str:
        conforming = len(self.asked) - len(self.nonconforming)
        return f"{self.name} under {self.convention_text}: {conforming} of {len(self.asked)} cases conform"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as `rankspec check --json` has it."""
        return check_report.as_json(self._record)


@dataclass(frozen=True, repr=False)
class WitnessResult(Witness):
    """The smallest input on which two sides part: `rankspec.witness`."""

    @classmethod
    def of(cls, found: Witness) -> Self:
        """Take over what was found."""
        return cls(**_fields(found))

    def __str__(self) -> str:
        """Return what `rankspec witness` prints."""
        return _printed(lambda console: witness_report.print_witness(console, self))

    def __repr__(self) -> str:
        """Return a short line."""
        return f"<WitnessResult {self._summary}>"

    def _repr_html_(self) -> str:
        rows = [(name, str(value)) for name, value in (self.given or {}).items()]
        if self.texts is not None:
            rows += [(side.text, text) for side, text in zip(self.sides, self.texts, strict=True)]
        faults = [f"{each.axis}: {' or '.join(each.a)} against {' or '.join(each.b)}" for each in self.axes]
        return html_table(self._summary, ("", ""), rows) + html_list(faults)

    @property
    def _summary(self) -> str:
        first, second = (side.text for side in self.sides)
        return f"{first} and {second}, {self.measure}: {self.status}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as `rankspec witness --json` has it."""
        return witness_report.as_json(self)


@dataclass(frozen=True, repr=False)
class Explained(Derivation):
    """How a value comes about, rank by rank: `rankspec.explain`."""

    @classmethod
    def of(cls, found: Derivation) -> Self:
        """Take over what was derived."""
        return cls(**_fields(found))

    def __str__(self) -> str:
        """Return what `rankspec explain` prints."""
        return derivation_text(self)

    def __repr__(self) -> str:
        """Return a short line."""
        return f"<Explained {title(self)}>"

    def _repr_html_(self) -> str:
        return html(self)

    def _repr_latex_(self) -> str:
        return equations(self)

    def to_frame(self) -> pd.DataFrame:
        """Return a row a rank, or a block of equal scores: what was retrieved, and what it adds.

        Raises:
            InputError: pandas is not installed.
        """
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
        return frame(("query", "rank", "documents", "relevant", "hits", "precision", "recall", "added"), rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as `rankspec explain --json` has it."""
        return derivation_data(self)


@dataclass(frozen=True, repr=False)
class Resolution(resolving.Resolution):
    """Which conventions give a number: `rankspec.resolve`."""

    @classmethod
    def of(cls, found: resolving.Resolution) -> Self:
        """Take over what was found."""
        return cls(**_fields(found))

    def _repr_html_(self) -> str:
        given = self.explanations or self.nearest
        rows = [(each.text, each.exact_text, each.decimal, each.agreement or "near") for each in given]
        head = f"{self.printed}: {self.status}; {len(self.explanations)} of {self.searched} conventions give it"
        more = [f"and {len(rows) - _MOST_ROWS} more"] if len(rows) > _MOST_ROWS else []
        headings = ("convention", "exact", "decimal", "")
        return html_table(head, headings, rows[:_MOST_ROWS]) + html_list(more)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as `rankspec resolve --json` has it."""
        return resolution_data(self)

    def to_frame(self) -> pd.DataFrame:
        """Return a row a convention that gives the number, or comes near, the simplest first: its value and its axes.

        Raises:
            InputError: pandas is not installed.
        """
        given = self.explanations or self.nearest
        axes = list(dict.fromkeys(axis for each in given for axis in each.axes))
        rows = [
            (
                str(each.measure),
                each.convention_text,
                each.exact_text,
                math.nan if isinstance(each.exact, Undefined) else float(each.exact),
                each.agreement and str(each.agreement),
                *(each.axes.get(axis) for axis in axes),
            )
            for each in given
        ]
        return frame(("measure", "convention", "exact", "float", "agreement", *axes), rows)


def _fields(found: DataclassInstance) -> Mapping[str, Any]:
    return {each.name: getattr(found, each.name) for each in fields(found)}


def _printed(print_to: Callable[[Console], None]) -> str:
    """Return what is printed to a terminal of fixed width, without colours."""
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=_WIDTH,
        force_terminal=True,
        color_system=None,
        legacy_windows=False,
        markup=False,
        highlight=False,
        emoji=False,
    )
    print_to(console)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()).strip("\n")
