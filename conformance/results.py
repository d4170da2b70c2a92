"""What the verbs find, as things that print themselves: as a verb prints them, and in a notebook as tables."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from html import escape
from typing import TYPE_CHECKING, Any, Self

from rankspec.conformance.checks.answer import Checked
from rankspec.conformance.checks.recording import record_of
from rankspec.conformance.checks.records import CheckRecord
from rankspec.conformance.reports import check as check_report
from rankspec.conformance.reports import identify as identify_report
from rankspec.conformance.reports import witness as witness_report
from rankspec.conformance.reports.derivation import title
from rankspec.conformance.reports.derivation_data import derivation_data
from rankspec.conformance.reports.derivation_text import text as derivation_text
from rankspec.conformance.reports.words import exact_text, short_number
from rankspec.conformance.settle.identify.identification import Identification
from rankspec.conformance.settle.witness.witness import Witness
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.explaining.steps import Derivation
from rankspec.oracle.values import to_text
from rich.console import Console

if TYPE_CHECKING:
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
        return _table(head, ("axis", "value"), rows) + _list(self.observations)

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
            (case.id, case.measure, short_number(case.got), exact_text(case.exact), case.verdict.value)
            for case in failing[:_MOST_ROWS]
        ]
        more = [f"and {len(failing) - len(rows)} more"] if len(failing) > len(rows) else []
        return _table(self._summary, ("case", "measure", "got", "exact", "verdict"), rows) + _list(more)

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
        return _table(self._summary, ("", ""), rows) + _list(faults)

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
        headings = ("query", "rank", "documents", "hits", "added")
        rows = [
            (query.query, row.rank, " ".join(each.docno for each in row.documents), row.hits, row.added)
            for query in self.queries
            for listed in query.lists
            for row in listed.rows
        ]
        values = [f"query {each.query}: {to_text(self.value_of(each.query))}" for each in self.queries]
        return _table(title(self), headings, rows) + _list(values)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as `rankspec explain --json` has it."""
        return derivation_data(self)


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


def _table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _list(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""
