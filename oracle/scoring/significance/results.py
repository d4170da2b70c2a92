"""What a test of significance says: a p-value, and how it was come by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING

from rankspec.oracle.clauses import clause
from rankspec.oracle.reals.real import Number
from rankspec.oracle.values import to_value

if TYPE_CHECKING:
    import sympy

_BITS = 512  # Behind the point of t, beyond those that its square's denominator takes


class Side(StrEnum):
    """Which differences count as at least as extreme as the observed one."""

    BOTH = "two-sided"  # Those whose size is at least that of the observed difference
    GREATER = "greater"  # Those that favour the first run at least as much
    LESS = "less"  # Those that favour the second run at least as much


@dataclass(frozen=True)
class Sampling:
    """How a p-value was estimated."""

    permutations: int  # how many sign vectors were drawn
    seed: int  # the seed that they were drawn with
    extreme: int  # how many of them were at least as extreme as what was observed
    interval: tuple[float, float]  # the Clopper-Pearson interval of the exact p-value
    confidence: Fraction  # that of the interval


@dataclass(frozen=True)
class Student:
    """What the t test computes its p-value from."""

    freedom: int  # degrees of freedom
    sign: int  # the sign of t
    square: Fraction | None  # the square of t, within 2**-400 of it where it is irrational; None where it is undefined
    differences: tuple[Number, ...] = field(repr=False)  # what it was computed from

    @property
    def is_rational(self) -> bool:
        """Whether the square is rational, and exactly `square`."""
        return all(isinstance(difference, Fraction) for difference in self.differences)

    @property
    def t(self) -> sympy.Expr | None:
        """The t statistic, exactly: the root of (n - 1) S**2 / (n Q - S**2), of the sum S and the sum of squares Q."""
        if self.square is None:
            return None
        import sympy  # noqa: PLC0415 - it takes a second to load, and p-values do without

        if self.is_rational:
            square = sympy.Rational(self.square.numerator, self.square.denominator)
        else:
            values: list[sympy.Expr] = [to_value(difference) for difference in self.differences]
            total, squares = sympy.Add(*values), sympy.Add(*(value**2 for value in values))
            square = self.freedom * total**2 / (len(values) * squares - total**2)
        return self.sign * sympy.sqrt(square)

    @property
    def nearest(self) -> Fraction | None:
        """The t statistic to some 150 digits."""
        if self.square is None:
            return None
        bits = _BITS + self.square.denominator.bit_length() // 2
        return self.sign * Fraction(isqrt((self.square.numerator << 2 * bits) // self.square.denominator), 1 << bits)


@dataclass(frozen=True)
class PValue:
    """A p-value."""

    method: str  # `exact`, `monte-carlo` or `student`
    # the p-value itself if `exact`, the estimate if `monte-carlo`, and within 2**-200 of the p-value, as a share of it,
    # if `student`; None where it is undefined
    number: Fraction | None
    sampling: Sampling | None = None  # how it was estimated, if it was
    student: Student | None = None  # the t statistic, if it is that of a t test
    undefined: str | None = None  # why there is none

    @property
    def exact(self) -> Fraction | None:
        """The p-value if it is known exactly."""
        return self.number if self.method == EXACT else None


EXACT, MONTE_CARLO, STUDENT = "exact", "monte-carlo", "student"


class Correction(StrEnum):
    """How p-values of a family are corrected."""

    HOLM = "holm"  # Step down: the smallest times all, the next times one fewer, and so on, never falling
    BONFERRONI = "bonferroni"  # Each times the size of the family
    NONE = "none"  # Not at all


@clause("significance.holm", "significance.bonferroni")
def corrected(p_values: Sequence[Fraction | None], correction: Correction) -> list[Fraction | None]:
    """Return corrected p-values, in the order given, none above 1."""
    # A comparison whose p-value is undefined belongs to the family all the same, as one that shows nothing.
    size = len(p_values)
    if correction is Correction.NONE:
        return list(p_values)
    if correction is Correction.BONFERRONI:
        return [None if p is None else min(Fraction(1), p * size) for p in p_values]
    answer: list[Fraction | None] = [None] * size
    largest = Fraction(0)
    ascending = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    for before, (p, place) in enumerate(ascending):
        largest = max(largest, min(Fraction(1), p * (size - before)))
        answer[place] = largest
    return answer
