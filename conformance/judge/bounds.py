"""How far a floating-point result may be from the exact value, provably.

The bounds are for the straightforward programs: a sum of precisions divided by D, a sum of precision times recall
increments, trapezoids, a mean over fixed levels, and the mean over queries. They allow nothing for a wrong formula: for
a list of ten documents the double bound is below 1e-12.
"""

from __future__ import annotations

from fractions import Fraction

import sympy

UNIT_FLOAT64 = Fraction(1, 2**53)
"""Unit roundoff of a double."""
UNIT_FLOAT32 = Fraction(1, 2**24)
"""Unit roundoff of a single."""

_DIGITS = 60


def forward_error(terms: int, magnitude: Fraction, unit: Fraction) -> Fraction:
    """Bound the error of a sum of `terms` products of quotients, divided or averaged.

    Each precision and each recall is one rounded quotient in [0, 1], so a difference of two recalls is off by at most 3
    units, its product with a precision by at most 5, and a trapezoid by at most 7. A sum of m terms, of at most 1
    together, adds at most m more units for its m additions, and the last division and the mean one each. Seven units a
    term and eight over cover all of these, to first order; the factor 1 + m*unit makes up for the higher orders.
    """
    first_order = (7 * terms + 8) * unit
    return first_order * (1 + terms * unit) * max(Fraction(1), magnitude)


def rounding_error(unit: Fraction) -> Fraction:
    """Bound the error of printing: half a unit of the last digit, however a program rounds what lies in the middle.

    What is rounded is a double, which itself is as far from the exact value as `forward_error` says.
    """
    return unit / 2


def as_fraction(value: sympy.Expr) -> Fraction:
    """Return a rational value as it is, an irrational one to 60 digits: far closer than any bound here."""
    if isinstance(value, sympy.Rational):
        return Fraction(int(value.p), int(value.q))
    return Fraction(str(sympy.N(value, _DIGITS)))


def rounded_to_double(value: Fraction) -> float:
    """Return the nearest double."""
    return float(value)
