"""What a measure shows of its computation on one list: what each row adds, and what their sum ends in.

A measure's module makes these from the tables and helpers that its function computes with; `explaining` puts the
documents to them. Nothing but data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rankspec.oracle.conventions.convention import EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.measures.curve import Point, operating_points
from rankspec.oracle.measures.evaluated_list import EvaluatedList
from rankspec.oracle.measures.terms import Term
from rankspec.oracle.reals.real import Number

Detail = tuple[str, Fraction | str]
"""What a row shows beside its documents, and what that is called: `weight` and 1/5, `discount` and `log2(3)`."""


@dataclass(frozen=True)
class Part:
    """What a row adds: a rank, or a block of undecided order; see `explaining.steps.Row` for the fields."""

    added: Number
    terms: tuple[Term, ...] = ()
    details: tuple[Detail, ...] = ()
    interpolated: Fraction | None = None


@dataclass(frozen=True)
class Level:
    """A fixed recall level: how many hits reach it, and the highest precision with so many (0 if none has)."""

    recall: Fraction
    hits_needed: int
    precision: Fraction


@dataclass(frozen=True)
class Beside:
    """What the sum has beside the rows: TAP-k's terminal term, the ranks after the list, a count of the qrels.

    Attributes:
        name: what it is called.
        formula: how it came about: `2 hits / 5 documents kept`; empty where there is nothing to it.
    """

    name: str
    formula: str
    value: Fraction


@dataclass(frozen=True)
class IdealRanking:
    """A rank of the ideal ranking that nDCG divides by: the gain there, the discount in text, and what it adds."""

    rank: int
    gain: Fraction
    discount: str
    term: Term


@dataclass(frozen=True)
class Factor:
    """A number that the formula is made of, and how it came about: p, `hits / k = 2 / 5`, 2/5."""

    name: str
    formula: str
    value: Fraction


@dataclass(frozen=True)
class Closing:
    """What a list's value is made of besides its rows; see `explaining.steps.ListDerivation` for the fields.

    Attributes:
        adds: what a row adds, as a short formula.
        rule: the rule that gives 0 instead of a sum over 0.
    """

    divisor: Number = Fraction(1)
    divisor_text: str = ""
    denominator: int | None = None
    denominator_text: str = ""
    adds: str = ""
    levels: tuple[Level, ...] = ()
    beside: Beside | None = None
    ideal: tuple[IdealRanking, ...] = ()
    factors: tuple[Factor, ...] = ()
    formula: str = ""
    needed: str = ""
    rule: str = ""


@dataclass(frozen=True)
class Listing:
    """One list that is evaluated, as a measure shows it.

    Attributes:
        evaluated: the list.
        measure: the measure.
        convention: with what the measure itself says put in.
    """

    evaluated: EvaluatedList
    measure: Measure
    convention: EffectiveConvention

    @property
    def relevant(self) -> int:
        """Return R."""
        return self.evaluated.relevant

    @property
    def limit(self) -> int | None:
        """Return the cutoff, None if there is none."""
        return self.evaluated.k

    @cached_property
    def points(self) -> list[Point]:
        """Return the operating points."""
        return operating_points(self.evaluated.binary)

    @property
    def hits(self) -> int:
        """Return the relevant documents evaluated."""
        return self.evaluated.hits

    def parts(
        self,
        added: Sequence[Number],
        *,
        terms: Sequence[tuple[Term, ...]] = (),
        details: Sequence[tuple[Detail, ...]] = (),
        interpolated: Sequence[Fraction | None] = (),
    ) -> tuple[Part, ...]:
        """Return a part for each block of the list."""
        blocks = len(self.evaluated.blocks)
        return tuple(
            Part(addition, of_block, shown, highest)
            for addition, of_block, shown, highest in zip(
                added,
                terms or [()] * blocks,
                details or [()] * blocks,
                interpolated or [None] * blocks,
                strict=True,
            )
        )
