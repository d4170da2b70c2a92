"""Exact values as things that can be compared and evaluated up, whatever expression an irrational one came as."""

from __future__ import annotations

from fractions import Fraction

from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.data import Data
from rankspec.oracle.errors import ConventionError, UndefinedValueError
from rankspec.oracle.evaluation import evaluate
from rankspec.oracle.reals.deciding import enclosing_fraction
from rankspec.oracle.reals.real import Number
from rankspec.oracle.values import Exact, Undefined

DIGITS = 50
"""Irrational values that agree in so many places are taken for one; none of a small input come nearer by chance."""

_LARGEST_DENOMINATOR = 10**12  # Fractions with smaller ones are 10^-24 apart or more, which 50 places tell
_CLOSE = Fraction(1, 10**DIGITS)


def as_rational(number: Number) -> Fraction:
    """Return a number as a fraction, the same one for equal numbers: a rational one as it is, others to 50 places."""
    # An expression can be rational without showing it (a/(a+b) + b/(a+b)), and then is taken for what it is.
    if isinstance(number, Fraction):
        return number
    near = enclosing_fraction(number, DIGITS + 10)
    plain = near.limit_denominator(_LARGEST_DENOMINATOR)
    return plain if abs(near - plain) < _CLOSE else Fraction(round(near * 10**DIGITS), 10**DIGITS)


def comparable(exact: Exact) -> Fraction | Undefined:
    """Return a value as one that equals every equal value."""
    return exact if isinstance(exact, Undefined) else as_rational(exact)


def exact_on(measure: Measure, data: Data, convention: Convention) -> Exact:
    """Return the value of data, `Undefined.ERROR` for an error, as of weights that no mean takes. `InputError` too."""
    try:
        return evaluate(measure, data.qrels, data.run, convention, data.weights).exact
    except UndefinedValueError:
        return Undefined.ERROR
    except ConventionError:
        if data.weights is None:
            raise
        return Undefined.ERROR
