"""The steps of a derivation: frozen, exact, and nothing but data.

A value of a set of queries is made of queries; a query's value of lists (several only where a cutoff falls into a block
of undecided order); a list's value of rows, whose additions are summed and divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.scores import Score
from rankspec.oracle.rankings.ranking import Label
from rankspec.oracle.values import Exact, Undefined, Value, to_value


@dataclass(frozen=True)
class Document:
    """A retrieved document.

    Attributes:
        docno: its name; empty where it is not decided which document of a block it is.
        label: its grade, None if it is unjudged.
        relevant: whether it counts as relevant.
        score: its score as it was compared, None where there is none.
    """

    docno: str
    label: Label
    relevant: bool
    score: Score | None = None


@dataclass(frozen=True)
class Row:
    """An operating point: a rank, or the end of a block of equal scores.

    Attributes:
        rank: documents up to here.
        documents: those that it adds; more than one only in a block.
        hits: relevant documents up to here.
        recall: hits over the denominator.
        interpolated: the highest precision from here on, where the interpolation looks at it.
        added: what it adds to the sum.
        terms: what `added` is made of, where ties are resolved by expectation: a term for each place in the block.
    """

    rank: int
    documents: tuple[Document, ...]
    hits: int
    recall: Fraction
    interpolated: Fraction | None
    added: Fraction
    terms: tuple[Fraction, ...] = ()

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
class Terminal:
    """TAP-k's last term: the precision at the last document kept."""

    hits: int
    kept: int
    value: Fraction


@dataclass(frozen=True)
class ListDerivation:
    """A list that is looked at, from its rows to its value.

    Attributes:
        probability: of this list among the orders of its blocks; 1 where the order is decided.
        rows: its operating points.
        denominator: D, what recall is measured against; None where a rule decides instead.
        denominator_text: how it came about: `min(R, k) = min(5, 3) = 3`.
        divisor: what the sum is divided by.
        divisor_text: what that is: `D`, `11 recall levels`.
        total: the sum of what the rows (and the terminal term) add.
        levels: the fixed recall levels, where the interpolation has them.
        terminal: the terminal term of TAP-k.
        rule: the rule that gives the value, where no sum does: `no_hits=zero`.
        left_out: retrieved documents that are not looked at (beyond a limit, or removed).
    """

    probability: Fraction
    rows: tuple[Row, ...]
    value: Exact
    denominator: int | None = None
    denominator_text: str = ""
    divisor: int | None = None
    divisor_text: str = ""
    total: Fraction = Fraction(0)
    levels: tuple[Level, ...] = ()
    terminal: Terminal | None = None
    rule: str = ""
    left_out: int = 0

    def contribution(self, row: Row) -> Fraction:
        """Return the share of the value that a row brings."""
        return row.added / self.divisor if self.divisor else Fraction(0)


@dataclass(frozen=True)
class QueryDerivation:
    """What a query is worth.

    Attributes:
        query: its name; `all queries` where they are pooled.
        relevant: R, the relevant documents of the qrels.
        lists: the lists that are looked at, with their probabilities; none where a rule decides without a list.
        rule: that rule: `missing_query=zero`.
    """

    query: str
    relevant: int
    value: Exact
    lists: tuple[ListDerivation, ...] = ()
    rule: str = ""

    @property
    def counts(self) -> bool:
        """Whether the query takes part in the mean."""
        return self.value is not Undefined.SKIP


@dataclass(frozen=True)
class Derivation:
    """How the value of a measure came about under a convention.

    Attributes:
        queries: what each query is worth, in the order of the qrels; the pool alone where queries are pooled.
        value: the value of the set; `Undefined.ERROR` where the convention demands an error.
        error: what the error says.
        cutoff: the score at which TAP-k cuts; None for other measures, or where everything is kept.
    """

    measure: Measure
    convention: Convention
    queries: tuple[QueryDerivation, ...]
    value: Value
    error: str = ""
    cutoff: Score | None = None

    @property
    def counting(self) -> Sequence[QueryDerivation]:
        """Return the queries that take part in the mean."""
        return [query for query in self.queries if query.counts]

    def value_of(self, query: str) -> Value:
        """Return the value of one query.

        Raises:
            KeyError: there is no such query.
        """
        return to_value({each.query: each.value for each in self.queries}[query])
