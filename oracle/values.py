"""Exact values: what a measure may return.

Inside, the oracle computes with `fractions.Fraction` and, where a value is irrational, `Real` (`Exact`); at its edge
every value is a sympy expression or `Undefined` (`Value`). Nothing else about numbers belongs here.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from rankspec.oracle.reals.deciding import nearest_double
from rankspec.oracle.reals.real import Number, Real, as_sympy

if TYPE_CHECKING:
    import sympy


class Undefined(Enum):
    """A value that is not a number, by convention."""

    NAN = "nan"  # Not a number: it takes part in a mean and makes the mean undefined
    SKIP = "skip"  # The query is left out of the mean
    ERROR = "error"  # The convention demands an error; `evaluate` raises `UndefinedValueError` instead of returning it


Exact: TypeAlias = Number | Undefined  # A value inside the oracle
Value: TypeAlias = "sympy.Expr | Undefined"
"""A value as the oracle hands it out: `sympy.Rational`, another exact expression, or `Undefined`."""

AnyValue: TypeAlias = "sympy.Expr | Exact"  # A value from either side
_WORST_FIRST = (Undefined.ERROR, Undefined.SKIP, Undefined.NAN)


def worst(values: Iterable[Exact]) -> Undefined | None:
    """Return the undefined value that wins: `error` beats `skip` beats `nan`; None if all are numbers."""
    seen = {value for value in values if isinstance(value, Undefined)}
    return next((undefined for undefined in _WORST_FIRST if undefined in seen), None)


def to_value(exact: Exact) -> Value:
    """Turn a value from inside into one for outside. A `Fraction` is in lowest terms already, so no gcd is taken."""
    return exact if isinstance(exact, Undefined) else as_sympy(exact)


def outside(value: AnyValue) -> Value:
    """Turn a value from either side into one for outside."""
    return to_value(value) if isinstance(value, Fraction | Real) else value


def to_double(exact: Exact) -> float:
    """Return the double nearest to a value, NaN for an undefined one."""
    return math.nan if isinstance(exact, Undefined) else nearest_double(exact)


def to_text(value: AnyValue) -> str:
    """Write a value the way cases and JSON do: `37/48`, `1`, `nan`, `skip`, or a sympy expression.

    >>> to_text(Fraction(-(10**5000) - 7)) == "-1" + "0" * 4999 + "7"
    True
    """
    if isinstance(value, Undefined):
        return str(value.value)
    written = to_value(value) if isinstance(value, Real) else value
    try:
        return str(written)
    except ValueError:  # whole numbers longer than what Python writes unless it is told to: 4,300 digits
        most = sys.get_int_max_str_digits()
        sys.set_int_max_str_digits(0)
        try:
            return str(written)
        finally:
            sys.set_int_max_str_digits(most)
