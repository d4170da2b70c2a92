"""What the oracle demands as the answer to a question under a convention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.evaluate import evaluate
from rankspec.oracle.values import Undefined, Value, to_text


@dataclass(frozen=True)
class Expectation:
    """The exact answer.

    Attributes:
        value: the value of the query set, `Undefined.ERROR` where an error is demanded.
        per_query: the values of the queries that count (empty where queries are pooled).
        pooled: queries have no values of their own.
        terms: how many numbers a straightforward program adds up, for the error bound.
    """

    value: Value
    per_query: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    pooled: bool = False
    terms: int = 0

    @property
    def text(self) -> str:
        """The exact value as text."""
        return to_text(self.value)


def expected(measure: Measure, qrels: Qrels, run: Run, convention: Convention) -> Expectation:
    """Return what the convention demands.

    Raises:
        ConventionError: the convention means nothing for the measure.
    """
    longest = max((len(run.documents(query)) for query in run), default=0)
    judged = max((len(qrels.grades(query)) for query in qrels), default=0)
    terms = longest + judged + len(run.results) + _LEVELS
    pooled = str(convention.aggregate) == "micro"
    try:
        evaluation = evaluate(measure, qrels, run, convention)
    except UndefinedValueError:
        return Expectation(Undefined.ERROR, pooled=pooled, terms=terms)
    return Expectation(evaluation.value, evaluation.per_query, pooled, terms)


_LEVELS = 101
"""The most recall levels that an interpolation adds up."""
