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
from rankspec.oracle.measures.areas.estimators import Point, operating_points
from rankspec.oracle.measures.evaluated_list import EvaluatedList
from rankspec.oracle.measures.terms import Term
from rankspec.oracle.reals.real import Number

Detail = tuple[str, Fraction | str]
"""What a row shows beside its documents, and what that is called: `weight` and 1/5, `discount` and `log2(3)`."""


@dataclass(frozen=True)
class Part:
    """What a row adds: a rank, or a block of undecided order."""

    added: Number  # what it adds to the sum
    # what `added` is made of, where it is more than a number: a term for each place of a block in random order, a gain
    # over its discount
    terms: tuple[Term, ...] = ()
    details: tuple[Detail, ...] = ()  # what else the measure looks at here
    interpolated: Fraction | None = None  # the highest precision from here on, where the interpolation looks at it


@dataclass(frozen=True)
class Level:
    """A fixed recall level: how many hits reach it, and the highest precision with so many (0 if none has)."""

    recall: Fraction
    hits_needed: int
    precision: Fraction


@dataclass(frozen=True)
class Beside:
    """What the sum has beside the rows: TAP-k's terminal term, the ranks after the list, a count of the qrels."""

    name: str  # what it is called
    formula: str  # how it came about: `2 hits / 5 documents kept`; empty where there is nothing to it
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
    """What a list's value is made of besides its rows."""

    divisor: Number | None = Fraction(1)  # what the sum is divided by; None where a rule decides instead
    divisor_text: str = ""  # what that is: `D`, `11 recall levels`
    denominator: int | None = None  # D, what the sum or the hits are divided by; None where there is none
    denominator_text: str = ""  # how it came about: `min(R, k) = min(5, 3) = 3`
    adds: str = ""  # what a row adds, where its columns don't tell: `the first hit adds 1/rank`
    levels: tuple[Level, ...] = ()  # the fixed recall levels, where the interpolation has them
    beside: Beside | None = None  # what the sum has beside the rows
    ideal: tuple[IdealRanking, ...] = ()  # the ranks of the ideal ranking, whose sum is the divisor
    factors: tuple[Factor, ...] = ()  # what the formula is made of
    formula: str = ""  # how the value is made of what was counted: `hits / D`, `p r`
    needed: str = ""  # how the hits that IPrec's recall level needs came about: `ceil(0.3 * 5) = 2`
    rule: str = ""  # the rule that gives the value, where no sum does: `no_hits=zero`


@dataclass(frozen=True)
class Listing:
    """One list that is evaluated, as a measure shows it."""

    evaluated: EvaluatedList  # the list
    measure: Measure
    convention: EffectiveConvention  # with what the measure itself says put in

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
                added, terms or [()] * blocks, details or [()] * blocks, interpolated or [None] * blocks, strict=True
            )
        )
