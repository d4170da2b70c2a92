"""How far a floating-point result may be from the exact value, provably.

The bounds are for the straightforward programs: a sum of precisions divided by D, a sum of precision times recall
increments, trapezoids, a mean over fixed levels, a quotient of counts, a sum of discounted gains and its share of an
ideal one, a sum of powers of a persistence, a mean of logarithms, and the mean over queries. They allow nothing for a
wrong formula: for a list of ten documents the double bound is below 1e-12. A count of things has no bound: it is right
or wrong.
"""

from __future__ import annotations

from fractions import Fraction

import sympy
from rankspec.conformance.questions.expectation import Expectation

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

    So they do for what is no area. `n` documents are looked at, of `j` judged ones; both are among the terms.

    * Quotients of counts, and F from two of them: at most ten units, whatever the terms.
    * DCG: a gain is off by at most one unit (2^g - 1), a logarithm by two, the quotient by one, each relative to its
      term; no term is negative, so their sum is off by n + 4 units, relative to itself: hence `magnitude`. The ideal
      sum is off by j + 4, and nDCG, which is at most 1, by n + j + 9. A program that takes the mean of a block's
      discounts as a difference of running sums adds, a document, a unit of the running sum, which is below 2n times
      the least discount: 2n more.
    * RBP and its residual: p is off by one unit, so its (i-1)th power by i - 1, and by as many for its products or its
      power; 1 - p by a unit of p, that is by p/(1-p) relative to itself, and the sum is at most (1 - p^n)/(1-p), no
      more than n. Altogether 4n + 4.
    * infAP: a term is at most 1 and off by at most ten units; the sum of the at most R terms is divided by R, which
      leaves ten and n for the additions. The double next to 1/100000 is off by 1e-5 units, which moves a term by less
      than that.
    * bpref: a term is a difference from 1 of a quotient, at most two units; divided by R likewise.
    * Geometric means: a value is a sum of m terms none of which is negative, so the bound holds relative to it, and so
      does it for the mean of their logarithms, absolutely; what the logarithms add themselves is counted as terms
      (`questions/expectation.py`).
    """
    first_order = (7 * terms + 8) * unit
    return first_order * (1 + terms * unit) * max(Fraction(1), magnitude)


def rounding_error(unit: Fraction) -> Fraction:
    """Bound the error of printing: half a unit of the last digit, however a program rounds what lies in the middle.

    What is rounded is a double, which itself is as far from the exact value as `forward_error` says.
    """
    return unit / 2


def bound(expectation: Expectation, exact: Fraction, unit: Fraction) -> Fraction:
    """Bound the error of what a program answers to a question: none for a count, the forward error for a value."""
    return Fraction(0) if expectation.is_count else forward_error(expectation.terms, abs(exact), unit)


def as_fraction(value: sympy.Expr) -> Fraction:
    """Return a rational value as it is, an irrational one to 60 digits: far closer than any bound here."""
    if isinstance(value, sympy.Rational):
        return Fraction(int(value.p), int(value.q))
    return Fraction(str(sympy.N(value, _DIGITS)))
