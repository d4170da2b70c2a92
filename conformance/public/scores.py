"""What `rankspec.evaluate`, `score` and `compare` return: numbers, tables of them, comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rankspec.conformance.answers.compare import Comparisons
from rankspec.conformance.reports import scores as records
from rankspec.conformance.reports.blocks import Report, Table, html, text
from rankspec.conformance.reports.compare import comparison_data, comparison_report, pairs_report, pairs_table
from rankspec.conformance.reports.words import latex_text, shortened_text
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.exact_number import ExactNumber
from rankspec.oracle.language.expression import convention_text
from rankspec.oracle.language.trec_eval_names import named_measure
from rankspec.oracle.scoring.significance.comparing import Plan
from rankspec.oracle.values import Exact, Undefined, Value, to_text, to_value
from rankspec.results import WIDTH, PublicResult, ReportedResult, frame_of

if TYPE_CHECKING:
    import pandas as pd

_LONG = 40
_DIGITS = 4


@dataclass(frozen=True, repr=False, eq=False)
class Score(PublicResult, ExactNumber):
    """The value of a measure on qrels and a run, exactly: `rankspec.evaluate`. It is used as a number is.

    Attributes:
        measure: the measure.
        convention: the convention that it was computed under.
        column: the values of the set and of each query.
        excluded: the queries that don't count, and why.
        shows_queries: the value of each query is printed, too.
    """

    measure: Measure
    convention: Convention
    column: records.Column
    excluded: Mapping[str, str]
    shows_queries: bool = False

    @property
    def exact_number(self) -> Exact:
        """Return the exact value of the set: a `Fraction`, an irrational number, or `Undefined`."""
        return self.column.whole.exact()

    @cached_property
    def value(self) -> Value:
        """Return the exact value of the set: a sympy number, or `Undefined` where no query counts."""
        return to_value(self.exact_number)

    def _sympy_(self) -> Value:
        return self.value

    @property
    def exact(self) -> str:
        """Return the exact value as text: `37/48`, `nan`, or a sympy expression."""
        return to_text(self.value)

    @cached_property
    def per_query(self) -> Mapping[str, Value]:
        """Return the exact value of each query that counts, in the order of the qrels."""
        return MappingProxyType({query: to_value(cell.exact()) for query, cell in self.column.per_query().items()})

    @cached_property
    def floats(self) -> Mapping[str, float]:
        """Return the value of each query that counts as the nearest double."""
        return MappingProxyType({query: cell.nearest for query, cell in self.column.per_query().items()})

    def __float__(self) -> float:
        """Return the nearest double, NaN for a value that is undefined."""
        return self.column.whole.nearest

    def __str__(self) -> str:
        """Return one line: the expression, the exact value and its decimal."""
        return text(self._report(), WIDTH) if self.shows_queries else self._summary

    def _report(self) -> Report:
        counted = [
            (query, shortened_text(to_text(value), _LONG), self.floats[query])
            for query, value in self.per_query.items()
        ]
        excluded = ((query, reason, "") for query, reason in self.excluded.items())
        return [self._summary, Table("query", "exact", "double", rows=[*counted, *excluded])]

    @property
    def _summary(self) -> str:
        if isinstance(self.exact_number, Undefined):
            return f"{self.expression} is undefined ({self.exact})"
        exact = self.exact if len(self.exact) <= _LONG else f"an exact value of {len(self.exact)} characters"
        decimal = repr(float(self))
        return f"{self.expression} = {exact}{'' if exact == decimal else f' = {decimal}'}"

    @property
    def expression(self) -> str:
        """Return the line that a paper cites: `AP@10 under kaggle`."""
        return f"{self.measure} under {convention_text(self.convention)}"

    def _repr_html_(self) -> str:
        return html(self._report())

    def _repr_latex_(self) -> str:
        """Return the value as an equation, for a notebook."""
        import sympy  # noqa: PLC0415 - it takes a second to load, and the table does without

        number = f"\\text{{{self.exact}}}" if isinstance(self.value, Undefined) else str(sympy.latex(self.value))
        return f"$\\text{{{latex_text(self.expression)}}} = {number}$"

    def to_frame(self) -> pd.DataFrame:
        """Return a row a query that counts: its exact value as text, and the nearest double."""
        rows = ((query, to_text(value), self.floats[query]) for query, value in self.per_query.items())
        return frame_of(("query", "exact", "float"), rows)

    def _data(self) -> dict[str, Any]:
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


@dataclass(frozen=True, repr=False, eq=False)
class ScoreTable(ReportedResult, Mapping[str, Score]):
    """The values of measures on a run: measure -> `Score`, by any of the measure's names.

    Attributes:
        record: the values.
        shows_queries: the value of each query is printed, too.
    """

    record: records.Scores
    shows_queries: bool = False

    def __getitem__(self, measure: str | Measure) -> Score:
        try:
            asked = named_measure(measure) if isinstance(measure, str) else measure
            column = self.record.columns[asked]
        except (ConventionError, KeyError):
            raise KeyError(f"{measure}; there are {', '.join(self)}") from None
        counted = column.per_query()
        excluded = {query: why for query, why in self.record.excluded.items() if query not in counted}
        return Score(asked, self.record.convention, column, excluded, self.shows_queries)

    def __iter__(self) -> Iterator[str]:
        return map(str, self.record.columns)

    def __len__(self) -> int:
        return len(self.record.columns)

    def _report(self) -> Report:
        return records.scores_report(self.record, per_query=self.shows_queries, exact=False, digits=_DIGITS)

    @property
    def _summary(self) -> str:
        return ", ".join(f"{name} = {score:.{_DIGITS}f}" for name, score in self.items())

    def to_frame(self) -> pd.DataFrame:
        """Return a row a measure: the exact value as text, the nearest double, and how many queries count."""
        rows = ((name, each.exact, float(each), each.column.queries) for name, each in self.items())
        return frame_of(("measure", "exact", "float", "queries"), rows)

    def _data(self) -> dict[str, Any]:
        return records.scores_data(self.record, per_query=True, exact=False)


@dataclass(frozen=True, repr=False, eq=False)
class Leaderboard(ReportedResult, Mapping[str, ScoreTable]):
    """The values of measures on several runs: run -> measure -> `Score`, printed best first."""

    runs: Mapping[str, ScoreTable]

    def __getitem__(self, run: str) -> ScoreTable:
        return self.runs[run]

    def __iter__(self) -> Iterator[str]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def _records(self) -> Sequence[records.Scores]:
        return [each.record for each in self.runs.values()]

    def _report(self) -> Report:
        return records.leaderboard_report(self._records, _DIGITS)

    @property
    def _summary(self) -> str:
        return f"{len(self)} runs"

    def to_frame(self) -> pd.DataFrame:
        """Return a row a run: the nearest double of each measure."""
        measures = list(next(iter(self.values())))
        return frame_of(("run", *measures), ((run, *map(float, each.values())) for run, each in self.items()))

    def _data(self) -> dict[str, Any]:
        return records.leaderboard_data(self._records, per_query=True, exact=False)


@dataclass(frozen=True, repr=False)
class ComparisonResult(ReportedResult):
    """Which of several runs differ, and whether significantly: `rankspec.compare`.

    Attributes:
        comparisons: measure -> the values of the runs, and each pair of them.
        convention: what the measures mean.
        plan: how they are compared.
        shows_queries: every query is printed, not just the largest differences.
    """

    comparisons: Comparisons
    convention: Convention
    plan: Plan
    shows_queries: bool = False

    def _report(self) -> Report:
        if self.shows_queries:
            return pairs_report(self.comparisons, self.convention, self.plan, per_query=True)
        return comparison_report(self.comparisons, self.convention, self.plan, commands=False)

    @property
    def _summary(self) -> str:
        pairs = [pair for each in self.comparisons.values() for pair in each.pairs]
        return f"{sum(pair.significant for pair in pairs)} of {len(pairs)} differences are significant"

    def to_frame(self) -> pd.DataFrame:
        """Return a row a pair of runs and measure, as `rankspec compare --csv` has it."""
        table = pairs_table(self.comparisons)
        return frame_of(table.headings, table.rows)

    def _data(self) -> dict[str, Any]:
        return comparison_data(self.comparisons, self.convention, self.plan)
