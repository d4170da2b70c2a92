"""The value of a measure on qrels and a run as a thing that prints itself: the result of `rankspec.evaluate`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rankspec.conformance.cases.inputs import SomeQrels, SomeRun, as_qrels, as_run
from rankspec.conformance.notebook import frame, html_table
from rankspec.conformance.reports.derivation_latex import escaped
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.evaluation import Evaluation
from rankspec.oracle.evaluation import evaluate as evaluate_exactly
from rankspec.oracle.language.expression import convention_text, parse_convention
from rankspec.oracle.language.trec_eval_names import named_measure
from rankspec.oracle.query_matching import unmatched
from rankspec.oracle.values import Undefined, Value, to_double, to_text

if TYPE_CHECKING:
    import pandas as pd

_LONG = 40


@dataclass(frozen=True)
class Score:
    """What a measure is worth on qrels and a run, exactly.

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

    def __repr__(self) -> str:
        """Return a short line; the values stand in the attributes."""
        return f"<Score {self}>"

    @property
    def expression(self) -> str:
        """Return the line that a paper cites: `AP@10 under kaggle`."""
        return f"{self.measure} under {convention_text(self.convention)}"

    def _repr_html_(self) -> str:
        """Return the values as a table, for a notebook."""
        rows = [(query, _shortened(to_text(value)), self.floats[query]) for query, value in self.per_query.items()]
        left_out = [(query, reason, None) for query, reason in self.excluded.items()]
        return html_table(str(self), ("query", "exact", "double"), [*rows, *left_out])

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
        rows = [(query, to_text(value), self.floats[query]) for query, value in self.per_query.items()]
        return frame(("query", "exact", "float"), rows)

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


def evaluate(measure: str | Measure, qrels: SomeQrels, run: SomeRun, *, under: str | Convention = "default") -> Score:
    """Evaluate a run against qrels, exactly, under a stated convention.

    Args:
        measure: `AP@10`, `nDCG@20`, `P(rel=2)@5`, ... in ir_measures' grammar, or trec_eval's name (`map_cut_10`).
        qrels: query -> docno -> grade (a whole number), the name of a TREC file, or a frame with columns for query,
            docno and grade.
        run: query -> docno -> score, the name of a TREC file, or a frame with columns for query, docno and score.
        under: the convention: a profile's name (`trec_eval-9.0.8`), or differences (`default[ties=grouped]`).

    Raises:
        ConventionError: the measure or the convention does not exist, or the two together mean nothing.
        InputError: the data is at fault, or qrels and run have no query in common; the message says where.
        UndefinedValueError: a value is undefined, and the convention says `error`.
    """
    asked = named_measure(measure) if isinstance(measure, str) else measure
    convention = parse_convention(under) if isinstance(under, str) else under
    judged, ranked = as_qrels(qrels, convention.reading), as_run(run, convention.reading)
    unmatched(list(judged), list(ranked))
    return Score(asked, convention, evaluate_exactly(asked, judged, ranked, convention))


def _shortened(text: str) -> str:
    half = _LONG // 2 - 2
    return text if len(text) <= _LONG else f"{text[:half]}...{text[-half:]} ({len(text)} characters)"
