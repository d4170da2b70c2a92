"""What the functions of `import rankspec` return: each prints as its verb does, and is a table in a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from rankspec.conformance.checks.answer import Checked
from rankspec.conformance.checks.recording import record_of
from rankspec.conformance.checks.records import CheckRecord
from rankspec.conformance.infer.identify.identification import Identification
from rankspec.conformance.infer.resolve import resolve as resolving
from rankspec.conformance.infer.witness.record import Witness
from rankspec.conformance.reports.blocks import Table, text
from rankspec.conformance.reports.checks.check import check_data, check_report
from rankspec.conformance.reports.derivations.data import derivation_data
from rankspec.conformance.reports.derivations.layout import title
from rankspec.conformance.reports.derivations.markup import equations, escaped, html
from rankspec.conformance.reports.derivations.text import text as derivation_text
from rankspec.conformance.reports.identify import identification_data, identification_report
from rankspec.conformance.reports.resolve import resolution_data
from rankspec.conformance.reports.witness import witness_data, witness_report
from rankspec.conformance.reports.words import compared_texts, short_number, shortened_text
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import InputError
from rankspec.oracle.evaluation import Evaluation
from rankspec.oracle.explaining.steps import Derivation
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.values import Undefined, Value, to_double, to_text

if TYPE_CHECKING:
    import pandas as pd

_WIDTH = 100
"""Columns of what a result prints, wherever that is."""
_MOST_ROWS = 10
_LONG = 40


class _Result:
    """What results have in common: they take over the fields of a record, and are shown in short and as a table."""

    @classmethod
    def of(cls, record: Any, **more: Any) -> Self:
        """Take over what was found."""
        return cls(**{each.name: getattr(record, each.name) for each in fields(record)}, **more)

    @property
    def _summary(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        """Return a short line."""
        return f"<{type(self).__name__} {self._summary}>"


def _html(caption: str, headings: Sequence[str], rows: Iterable[Sequence[object]], notes: Sequence[str] = ()) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in notes)
    return Table(*headings, rows=rows).html(caption) + (f"<ul>{items}</ul>" if items else "")


def _more(hidden: int) -> list[str]:
    return [f"and {hidden} more"] if hidden > 0 else []


def _frame(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> pd.DataFrame:
    """Return rows as a pandas frame.

    Raises:
        InputError: pandas is not installed.
    """
    try:
        import pandas as pd  # noqa: PLC0415 - nothing here depends on it, and not everybody has it
    except ImportError:
        raise InputError("to_frame() needs pandas; pip install pandas, or take to_dict()") from None
    return pd.DataFrame(list(rows), columns=list(columns))


@dataclass(frozen=True, repr=False)
class Identified(_Result, Identification):
    """Which conventions fit everything that an implementation answered: `rankspec.identify`."""

    def __str__(self) -> str:
        """Return what `rankspec identify` prints."""
        return text(identification_report(self), _WIDTH)

    @property
    def _summary(self) -> str:
        return f"{self.implementation}: {self.status.value}{f', {self.texts[0]}' if self.texts else ''}"

    def _repr_html_(self) -> str:
        head = f"{self.implementation} ({self.shape}): {self.status.value}. {'; '.join(self.texts[:_MOST_ROWS])}"
        rows = ((axis, " or ".join(values)) for axis, values in self.axes.items())
        return _html(head, ("axis", "value"), rows, self.observations)

    def to_frame(self) -> pd.DataFrame:
        """Return a row an axis: the values that fit, how many they are, and whether the shape can show them.

        Raises:
            InputError: pandas is not installed.
        """
        rows = [(axis, " or ".join(values), len(values), True) for axis, values in self.axes.items()]
        rows += [(axis, "", 0, False) for axis in self.not_observable]
        return _frame(("axis", "value", "values", "observable"), rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as `rankspec identify --json` has it."""
        return identification_data(self)


@dataclass(frozen=True, repr=False)
class CheckResult(_Result, Checked):
    """What a check of one implementation found: `rankspec.check`.

    Attributes:
        measure: the one that was stated, if any.
    """

    measure: Measure | None = None

    @property
    def conforms(self) -> bool:
        """Whether every question that could be put has the convention's answer, and all were put."""
        return self.complete and not self.nonconforming

    def __str__(self) -> str:
        """Return what `rankspec check` prints."""
        return text(check_report(self._record, commands=False), _WIDTH)

    @property
    def _summary(self) -> str:
        conforming = len(self.asked) - len(self.nonconforming)
        return f"{self.name} under {self.convention_text}: {conforming} of {len(self.asked)} cases conform"

    @property
    def _record(self) -> CheckRecord:
        return record_of([self], measure=self.measure)

    def _repr_html_(self) -> str:
        (record,) = self._record.implementations
        failing = sorted(record.unexpected, key=lambda case: case.size)
        rows = (
            (case.id, case.measure, *compared_texts(case.got, case.exact), case.verdict.value)
            for case in failing[:_MOST_ROWS]
        )
        headings = ("case", "measure", "got", "exact", "verdict")
        return _html(self._summary, headings, rows, _more(len(failing) - _MOST_ROWS))

    def to_frame(self) -> pd.DataFrame:
        """Return a row a case: its id, the measure, the verdict, what was got and what is exact.

        Raises:
            InputError: pandas is not installed.
        """
        (record,) = self._record.implementations
        return _frame(
            ("case", "measure", "verdict", "got", "exact"),
            ((each.id, each.measure, each.verdict.value, short_number(each.got), each.exact) for each in record.cases),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as `rankspec check --json` has it."""
        return check_data(self._record)


@dataclass(frozen=True, repr=False)
class WitnessResult(_Result, Witness):
    """The smallest input on which two sides part: `rankspec.witness`."""

    def __str__(self) -> str:
        """Return what `rankspec witness` prints."""
        return text(witness_report(self), _WIDTH)

    @property
    def _summary(self) -> str:
        first, second = (side.text for side in self.sides)
        return f"{first} and {second}, {self.measure}: {self.status}"

    def _repr_html_(self) -> str:
        rows = list((self.given or {}).items())
        if self.texts is not None:
            rows += [(side.text, value) for side, value in zip(self.sides, self.texts, strict=True)]
        faults = [f"{each.axis}: {' or '.join(each.a)} against {' or '.join(each.b)}" for each in self.axes]
        return _html(self._summary, ("", ""), rows, faults)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as `rankspec witness --json` has it."""
        return witness_data(self)


@dataclass(frozen=True, repr=False)
class Explained(_Result, Derivation):
    """How a value comes about, rank by rank: `rankspec.explain`."""

    def __str__(self) -> str:
        """Return what `rankspec explain` prints."""
        return derivation_text(self)

    @property
    def _summary(self) -> str:
        return title(self)

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
        return _frame(("query", "rank", "documents", "relevant", "hits", "precision", "recall", "added"), rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as `rankspec explain --json` has it."""
        return derivation_data(self)


@dataclass(frozen=True, repr=False)
class Resolution(_Result, resolving.Resolution):
    """Which conventions give a number: `rankspec.resolve`."""

    __repr__ = resolving.Resolution.__repr__

    def _repr_html_(self) -> str:
        given = self.explanations or self.nearest
        rows = ((each.text, each.exact_text, each.decimal, each.agreement or "near") for each in given[:_MOST_ROWS])
        head = f"{self.printed}: {self.status}; {len(self.explanations)} of {self.searched} conventions give it"
        return _html(head, ("convention", "exact", "decimal", ""), rows, _more(len(given) - _MOST_ROWS))

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
        return _frame(("measure", "convention", "exact", "float", "agreement", *axes), rows)


@dataclass(frozen=True, repr=False)
class Score(_Result):
    """What a measure is worth on qrels and a run, exactly: `rankspec.evaluate`.

    Attributes:
        measure: the measure.
        convention: the convention that it was computed under.
        evaluation: the values of the set and of each query, and the queries that don't count.
    """

    measure: Measure
    convention: Convention
    evaluation: Evaluation

    @property
    def value(self) -> Value:
        """Return the exact value of the set: a sympy number, or `Undefined` where no query counts."""
        return self.evaluation.value

    @property
    def exact(self) -> str:
        """Return the exact value as text: `37/48`, `nan`, or a sympy expression."""
        return to_text(self.value)

    @property
    def per_query(self) -> Mapping[str, Value]:
        """Return the exact value of each query that counts, in the order of the qrels."""
        return self.evaluation.per_query

    @cached_property
    def floats(self) -> Mapping[str, float]:
        """Return the value of each query that counts as the nearest double."""
        return MappingProxyType({query: to_double(exact) for query, exact in self.evaluation.exact_per_query.items()})

    @property
    def excluded(self) -> Mapping[str, str]:
        """Return the queries that don't count, and why."""
        return self.evaluation.excluded

    def __float__(self) -> float:
        """Return the nearest double, NaN for a value that is undefined."""
        return self.evaluation.double

    def __str__(self) -> str:
        """Return one line: the expression, the exact value and its decimal."""
        if isinstance(self.value, Undefined):
            return f"{self.expression} is undefined ({self.exact})"
        exact = self.exact if len(self.exact) <= _LONG else f"an exact value of {len(self.exact)} characters"
        decimal = repr(float(self))
        return f"{self.expression} = {exact}{'' if exact == decimal else f' = {decimal}'}"

    @property
    def expression(self) -> str:
        """Return the line that a paper cites: `AP@10 under kaggle`."""
        return f"{self.measure} under {convention_text(self.convention)}"

    def _repr_html_(self) -> str:
        """Return the values as a table, for a notebook."""
        rows = [
            (query, shortened_text(to_text(value), _LONG), self.floats[query])
            for query, value in self.per_query.items()
        ]
        left_out = [(query, reason, "") for query, reason in self.excluded.items()]
        return _html(str(self), ("query", "exact", "double"), [*rows, *left_out])

    def _repr_latex_(self) -> str:
        """Return the value as an equation, for a notebook."""
        import sympy  # noqa: PLC0415 - it takes a second to load, and the table does without

        number = f"\\text{{{self.exact}}}" if isinstance(self.value, Undefined) else str(sympy.latex(self.value))
        return f"$\\text{{{escaped(self.expression)}}} = {number}$"

    def to_frame(self) -> pd.DataFrame:
        """Return a row a query that counts: its exact value as text, and the nearest double.

        Raises:
            InputError: pandas is not installed.
        """
        rows = ((query, to_text(value), self.floats[query]) for query, value in self.per_query.items())
        return _frame(("query", "exact", "float"), rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: convention, measure, exact value and nearest double, of the set and of each query."""
        return {
            "measure": str(self.measure),
            "convention": convention_text(self.convention),
            "exact": self.exact,
            "float": float(self),
            "per_query": {
                query: {"exact": to_text(value), "float": self.floats[query]} for query, value in self.per_query.items()
            },
            "excluded": dict(self.excluded),
        }
