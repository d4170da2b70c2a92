"""The records of a derivation: frozen, exact, and nothing but data.

A value of a set of queries is made of queries; a query's value of lists (several only where a cutoff falls into a block
of undecided order); a list's value of rows, whose additions are summed and divided. What a row adds, and what the sum
is divided by, says the measure's module, from the tables and helpers that its function computes with.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.conventions.convention import Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.run import Score
from rankspec.oracle.measures.areas.estimators import Point, operating_points
from rankspec.oracle.measures.evaluated_list import EvaluatedList
from rankspec.oracle.measures.terms import Term
from rankspec.oracle.rankings.ranking import Label
from rankspec.oracle.reals.real import Number, quotient
from rankspec.oracle.values import Exact, Undefined, Value, to_value

Detail = tuple[str, Fraction | str]
"""What a row shows beside its documents, and what that is called: `weight` and 1/5, `discount` and `log2(3)`."""


@dataclass(frozen=True)
class Document:
    """A retrieved document."""

    docno: str  # its name; empty where it is not decided which document of a block it is
    label: Label  # its grade, None if it is unjudged, `Unassessed.POOLED` if the qrels name it without judging it
    relevant: bool  # whether it counts as relevant: its grade reaches the threshold, or gains something
    score: Score | None = None  # its score as it was compared, None where there is none


@dataclass(frozen=True)
class Row:
    """An operating point: a rank, or the end of a block of equal scores, with what it adds."""

    rank: int  # documents up to here
    hits: int  # relevant documents up to here
    added: Number  # what it adds to the sum
    # what `added` is made of, where it is more than a number: a term for each place of a block in random order, a gain
    # over its discount
    terms: tuple[Term, ...] = ()
    details: tuple[Detail, ...] = ()  # what else the measure looks at here
    interpolated: Fraction | None = None  # the highest precision from here on, where the interpolation looks at it
    documents: tuple[Document, ...] = ()  # those that it adds; more than one only in a block
    recall: Fraction | None = None  # hits over R; None for a measure that does not look at the curve

    @property
    def precision(self) -> Fraction:
        """Return hits over documents up to here."""
        return Fraction(self.hits, self.rank)

    @property
    def relevant(self) -> int:
        """Return how many relevant documents this row adds."""
        return sum(document.relevant for document in self.documents)


@dataclass(frozen=True)
class Level:
    """A fixed recall level: how many hits reach it, and the highest precision with so many (0 if none has)."""

    recall: Fraction
    hits_needed: int
    precision: Fraction


@dataclass(frozen=True)
class IdealRanking:
    """A rank of the ideal ranking that nDCG divides by: the gain there, the discount in text, and what it adds."""

    rank: int
    gain: Fraction
    discount: str
    term: Term


@dataclass(frozen=True)
class Factor:
    """A number that a formula is made of, or that a sum has beside its rows: p, `hits / k = 2 / 5`, 2/5."""

    name: str
    formula: str  # how it came about; empty where there is nothing to it
    value: Fraction


@dataclass(frozen=True)
class ListDerivation:
    """A list that is evaluated, from its rows to its value. A measure says what stands above `probability`."""

    divisor: Number | None = Fraction(1)  # what the sum is divided by; None where a rule decides instead
    divisor_text: str = ""  # what that is: `D`, `11 recall levels`
    denominator: int | None = None  # D, what the sum or the hits are divided by; None where there is none
    denominator_text: str = ""  # how it came about: `min(R, k) = min(5, 3) = 3`
    adds: str = ""  # what a row adds, where its columns don't tell: `the first hit adds 1/rank`
    levels: tuple[Level, ...] = ()  # the fixed recall levels, where the interpolation has them
    extra: Factor | None = None  # what the sum has beside the rows, as TAP-k's terminal term, or a count of the qrels
    ideal: tuple[IdealRanking, ...] = ()  # the ranks of the ideal ranking, whose sum is the divisor
    factors: tuple[Factor, ...] = ()  # what the formula is made of
    formula: str = ""  # how the value is made of what was counted: `hits / D`, `p r`
    needed: str = ""  # how the hits that IPrec's recall level needs came about: `ceil(0.3 * 5) = 2`
    rule: str = ""  # the rule that gives the value, where no sum does: `no_hits=zero`
    probability: Fraction = Fraction(1)  # of this list among the orders of its blocks; 1 where the order is decided
    rows: tuple[Row, ...] = ()  # its operating points
    value: Exact = Fraction(0)
    total: Number = Fraction(0)  # the sum of what the rows (and the term beside them) add
    left_out: int = 0  # retrieved documents that are not looked at (beyond a limit, or removed)

    def contribution(self, row: Row) -> Number:
        """Return the share of the value that a row brings."""
        return Fraction(0) if self.divisor is None else quotient(row.added, self.divisor)


@dataclass(frozen=True)
class QueryDerivation:
    """The value of a query."""

    query: str  # its name; `all queries` where they are pooled
    relevant: int  # R, the relevant documents of the qrels
    value: Exact
    # the lists that are evaluated, with their probabilities; none where a rule decides without a list
    lists: tuple[ListDerivation, ...] = ()
    rule: str = ""  # that rule: `missing_query=zero`
    missing: bool = False  # the run lacks it, and it is worth what an empty list is

    @property
    def counts(self) -> bool:
        """Whether the query takes part in the mean."""
        return self.value is not Undefined.SKIP


@dataclass(frozen=True)
class Derivation:
    """How the value of a measure came about under a convention."""

    measure: Measure
    convention: Convention
    # the value of each query, in the order of the qrels; the pool alone where queries are pooled
    queries: tuple[QueryDerivation, ...]
    value: Value  # the value of the set; `Undefined.ERROR` where the convention demands an error
    error: str = ""  # what the error says
    cutoff: Score | None = None  # the score at which TAP-k cuts; None for other measures, or where everything is kept
    # what a geometric mean multiplies: the values with the floor at work; empty for other means
    factors: tuple[Number, ...] = ()
    subtracted: Fraction = Fraction(0)  # what is taken off the root again
    weights: tuple[Fraction, ...] = ()  # what the queries that count weigh in the mean; empty where all weigh the same

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


@dataclass(eq=False)
class ListReading(ABC):
    """One list that is evaluated, as a measure reads it: its value, and what a derivation shows of it."""

    evaluated: EvaluatedList  # the list
    measure: Measure
    convention: EffectiveConvention  # with what the measure itself says put in

    @property
    def is_of_curve(self) -> bool:
        """Whether recall, precision and hits belong to its rows."""
        return True

    @abstractmethod
    def rows(self) -> tuple[Row, ...]:
        """Return what each block adds to the sum, and of what; nothing of a measure without rows."""

    @abstractmethod
    def closing(self) -> ListDerivation:
        """Return what the sum ends in; it is not asked where a rule gives the value."""

    @property
    def is_undecided(self) -> bool:
        """Whether values are means over the orders of its blocks."""
        return self.convention.ties is Ties.EXPECTED

    @cached_property
    def points(self) -> list[Point]:
        """Return the operating points."""
        return operating_points(self.evaluated.blocks)

    def rows_of(
        self,
        added: Sequence[Number],
        *,
        terms: Sequence[tuple[Term, ...]] = (),
        details: Sequence[tuple[Detail, ...]] = (),
        interpolated: Sequence[Fraction | None] = (),
    ) -> tuple[Row, ...]:
        """Return a row for each block of the list."""
        blocks = len(self.points)
        columns = (terms or [()] * blocks, details or [()] * blocks, interpolated or [None] * blocks)
        return tuple(
            Row(point.retrieved, point.hits, addition, of_block, cells, highest)
            for point, addition, of_block, cells, highest in zip(self.points, added, *columns, strict=True)
        )
