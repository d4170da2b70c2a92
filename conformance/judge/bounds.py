"""How far a floating-point result may be from the exact value, provably.

Singles are held to the straightforward programs: a sum of precisions divided by D, a sum of precision times recall
increments, trapezoids, a mean over fixed levels, a quotient of counts, a sum of discounted gains and its share of an
ideal one, a sum of powers of a persistence, a mean of logarithms, and the mean over queries: each is allowed the
roundings that it makes and no others.

Doubles are held to any sensible program. It may compute the complement and take it from 1, so all errors are relative
to 1; and it may add up over pairs of documents, so a term is rounded for each pair. What it makes of that is still far
from every wrong formula: for a list of ten documents the bound is below 3e-14, for a thousand hits below 2e-10.

A count of things has no bound: it is right or wrong.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from rankspec.conformance.questions.expectation import Expectation
from rankspec.conformance.questions.roundings import Roundings

if TYPE_CHECKING:
    import sympy

UNIT_FLOAT64 = Fraction(1, 2**53)
"""Unit roundoff of a double."""
UNIT_FLOAT32 = Fraction(1, 2**24)
"""Unit roundoff of a single."""

_DIGITS = 60


_LEAST = {UNIT_FLOAT64: Fraction(1, 2**1074), UNIT_FLOAT32: Fraction(1, 2**149)}
"""The least positive number: what is below a half of it is lost."""


def forward_error(roundings: Roundings, exact: Fraction, unit: Fraction) -> Fraction:
    """Bound the error of a program that is off by so many roundings (`questions/roundings.py` counts them).

    That is so to first order; the factor makes up for the higher orders. A rounding of a number below the normal ones
    is off by half the least number at most.
    """
    if unit == UNIT_FLOAT64:
        units = roundings.total
        first_order = units * max(abs(exact), Fraction(1)) * unit
    else:
        units = roundings.relative + roundings.absolute
        first_order = (roundings.relative * abs(exact) + roundings.absolute) * unit
    return first_order * (1 + units * unit) + units * _LEAST.get(unit, Fraction(0)) / 2


MOST_IMPRECISE = 1000
"""So many roundings of doubles have no cause that a value could show: no two conventions' values of a small input lie
so near to each other, and of a large one a program of bad style is as likely."""

LAST_DIGITS = MOST_IMPRECISE * UNIT_FLOAT64
"""A difference between doubles that is never given a cause, relative to the value or to 1, whichever is greater."""


def roundings_off(value: Fraction, exact: Fraction) -> int:
    """Return by how many roundings a double is off, relative to the exact value or to 1, whichever is greater."""
    return ceil(abs(value - exact) / (UNIT_FLOAT64 * max(abs(exact), Fraction(1))))


def rounding_error(unit: Fraction) -> Fraction:
    """Bound the error of printing: half a unit of the last digit, however a program rounds what lies in the middle.

    What is rounded is a double, which itself is as far from the exact value as `forward_error` says.
    """
    return unit / 2


def bound(expectation: Expectation, exact: Fraction, unit: Fraction) -> Fraction:
    """Bound the error of what a program answers to a question: none for a count, the forward error for a value."""
    return Fraction(0) if expectation.is_count else forward_error(expectation.roundings, exact, unit)


def as_fraction(value: sympy.Expr) -> Fraction:
    """Return a rational value as it is, an irrational one to 60 digits: far closer than any bound here."""
    import sympy  # noqa: PLC0415 - it takes long to load, and who says what verdicts mean needs none

    if isinstance(value, sympy.Rational):
        return Fraction(int(value.p), int(value.q))
    return Fraction(str(sympy.N(value, _DIGITS)))
