"""The steps of a derivation: frozen, exact, and nothing but data.

A value of a set of queries is made of queries; a query's value of lists (several only where a cutoff falls into a block
of undecided order); a list's value of rows, whose additions are summed and divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rankspec.oracle.conventions.convention import Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.run import Score
from rankspec.oracle.measures.working import Closing, Part
from rankspec.oracle.rankings.ranking import Label
from rankspec.oracle.reals.real import Number, quotient
from rankspec.oracle.values import Exact, Undefined, Value, to_value


@dataclass(frozen=True)
class Document:
    """A retrieved document.

    Attributes:
        docno: its name; empty where it is not decided which document of a block it is.
        label: its grade, None if it is unjudged, `Unassessed.POOLED` if the qrels name it without judging it.
        relevant: whether it counts as relevant: its grade reaches the threshold, or gains something.
        score: its score as it was compared, None where there is none.
    """

    docno: str
    label: Label
    relevant: bool
    score: Score | None = None


@dataclass(frozen=True, kw_only=True)
class Row(Part):
    """An operating point: a rank, or the end of a block of equal scores, with what it adds.

    Attributes:
        rank: documents up to here.
        documents: those that it adds; more than one only in a block.
        hits: relevant documents up to here.
        recall: hits over R; None for a measure that does not look at the curve.
    """

    rank: int
    documents: tuple[Document, ...]
    hits: int
    recall: Fraction | None

    @property
    def precision(self) -> Fraction:
        """Return hits over documents up to here."""
        return Fraction(self.hits, self.rank)

    @property
    def relevant(self) -> int:
        """Return how many relevant documents this row adds."""
        return sum(document.relevant for document in self.documents)


@dataclass(frozen=True, kw_only=True)
class ListDerivation(Closing):
    """A list that is evaluated, from its rows to its value.

    Attributes:
        probability: of this list among the orders of its blocks; 1 where the order is decided.
        rows: its operating points.
        total: the sum of what the rows (and the term beside them) add.
        left_out: retrieved documents that are not looked at (beyond a limit, or removed).
    """

    probability: Fraction
    rows: tuple[Row, ...]
    value: Exact
    total: Number = Fraction(0)
    left_out: int = 0

    def contribution(self, row: Row) -> Number:
        """Return the share of the value that a row brings."""
        return Fraction(0) if self.divisor is None else quotient(row.added, self.divisor)


@dataclass(frozen=True)
class QueryDerivation:
    """The value of a query.

    Attributes:
        query: its name; `all queries` where they are pooled.
        relevant: R, the relevant documents of the qrels.
        lists: the lists that are evaluated, with their probabilities; none where a rule decides without a list.
        rule: that rule: `missing_query=zero`.
        missing: the run lacks it, and it is worth what an empty list is.
    """

    query: str
    relevant: int
    value: Exact
    lists: tuple[ListDerivation, ...] = ()
    rule: str = ""
    missing: bool = False

    @property
    def counts(self) -> bool:
        """Whether the query takes part in the mean."""
        return self.value is not Undefined.SKIP


@dataclass(frozen=True)
class Derivation:
    """How the value of a measure came about under a convention.

    Attributes:
        queries: the value of each query, in the order of the qrels; the pool alone where queries are pooled.
        value: the value of the set; `Undefined.ERROR` where the convention demands an error.
        error: what the error says.
        cutoff: the score at which TAP-k cuts; None for other measures, or where everything is kept.
        factors: what a geometric mean multiplies: the values with the floor at work; empty for other means.
        taken_off: what is taken off the root again.
        weights: what the queries that count weigh in the mean; empty where all weigh the same.
    """

    measure: Measure
    convention: Convention
    queries: tuple[QueryDerivation, ...]
    value: Value
    error: str = ""
    cutoff: Score | None = None
    factors: tuple[Number, ...] = ()
    taken_off: Fraction = Fraction(0)
    weights: tuple[Fraction, ...] = ()

    @cached_property
    def settled(self) -> EffectiveConvention:
        """Return the convention with what the measure itself says put in."""
        return self.measure.under(self.convention)

    @property
    def counting(self) -> Sequence[QueryDerivation]:
        """Return the queries that take part in the mean."""
        return [query for query in self.queries if query.counts]

    def value_of(self, query: str) -> Value:
        """Return the value of one query; `KeyError` if there is no such query."""
        return to_value({each.query: each.value for each in self.queries}[query])
