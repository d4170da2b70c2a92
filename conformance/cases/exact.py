"""Exact values as cases write them, and numbers as documents print them."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING

from rankspec.oracle.data.run import as_float64
from rankspec.oracle.errors import InputError
from rankspec.oracle.reals.deciding import enclosing_fraction
from rankspec.oracle.reals.real import Number, Real
from rankspec.oracle.values import AnyValue, Undefined, Value

if TYPE_CHECKING:
    import sympy

_UNDEFINED = {str(undefined.value): undefined for undefined in Undefined}
_OPERATORS: Mapping[type[ast.operator], Callable[[sympy.Expr, sympy.Expr], sympy.Expr]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_FUNCTIONS = frozenset({"sqrt", "log"})
"""Functions of sympy's that may be called; zeta(2, a), too, the sum of 1/a^2, 1/(a+1)^2, ..."""
_MOST_DIGITS = 60
_GUARD_DIGITS = 15
_LARGEST_POWER = 1000


def parse_exact(text: str) -> Value:
    """Read an exact value; `InputError` if it has none of the forms."""
    if text in _UNDEFINED:
        return _UNDEFINED[text]
    try:
        value = _built(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _refused(text) from None
    if not value.is_real or not value.is_finite:
        raise _refused(text)
    return value


def _refused(text: str) -> InputError:
    forms = "p/q, a whole number, nan, skip, error, or arithmetic with pi, sqrt, log and zeta(2, a)"
    return InputError(f"{text!r} is not an exact value; write {forms}", code="value-not-exact")


def _built(node: ast.expr) -> sympy.Expr:
    """Turn whitelisted arithmetic into a sympy expression, and raise ValueError for anything else."""
    import sympy

    match node:
        case ast.Constant(value=int() as whole) if not isinstance(whole, bool):
            return sympy.Integer(whole)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_built(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            first, second = _built(left), _built(right)
            if isinstance(op, ast.Pow) and not abs(second) <= _LARGEST_POWER:
                raise ValueError(ast.dump(node))
            return _OPERATORS[type(op)](first, second)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            return getattr(sympy, name)(_built(argument))
        case ast.Call(func=ast.Name(id="zeta"), args=[ast.Constant(value=2), start], keywords=[]):
            return sympy.zeta(2, _built(start))
        case ast.Name(id="pi"):
            return sympy.pi
        case _:
            raise ValueError(ast.dump(node))


def as_fraction(value: sympy.Expr | Number) -> Fraction:
    """Return a number as a fraction: exactly if it is rational, else correct to 60 digits."""
    # No irrational number is printed exactly, so 60 digits decide whatever a printed number can ask.
    if isinstance(value, Fraction | Real):
        return enclosing_fraction(value, _MOST_DIGITS)
    import sympy

    rational = value if isinstance(value, sympy.Rational) else sympy.Rational(str(value.evalf(_MOST_DIGITS)))
    return Fraction(int(rational.p), int(rational.q))


def same_value(first: Value, second: Value) -> bool:
    """Tell whether two exact values are one, however they are written."""
    # Irrational ones are compared to 60 digits: an expression has more than one form, and no algebra decides all of
    # them.
    if isinstance(first, Undefined) or isinstance(second, Undefined) or first == second:
        return first is second or first == second
    import sympy

    if isinstance(first, sympy.Rational) and isinstance(second, sympy.Rational):
        return False
    one, other = (value.evalf(_MOST_DIGITS + _GUARD_DIGITS) for value in (first, second))
    return bool(abs(one - other) <= max(abs(one), abs(other)) * sympy.Rational(1, 10**_MOST_DIGITS))


def decimal_text(value: AnyValue, digits: int = 10) -> str:
    """Write a value as a decimal of so many places, without trailing zeros; an undefined one by its name."""
    if isinstance(value, Undefined):
        return str(value.value)
    scaled = round(as_fraction(value) * 10**digits)
    whole, rest = divmod(abs(scaled), 10**digits)
    places = f"{rest:0{digits}}".rstrip("0")
    return f"{'-' if scaled < 0 else ''}{whole}{'.' + places if places else ''}"


_DECIMAL = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?", re.ASCII)
_MOST_CHARACTERS = 1_500  # A double written out in full has no more
_FRACTION = re.compile(r"[-+]?\d+/0*[1-9]\d*", re.ASCII)


class Agreement(Enum):
    """How a printed number comes of an exact one."""

    ROUNDED = "rounded"  # To the nearest, a half in either direction
    TRUNCATED = "truncated"  # The further digits are cut off

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Printed:
    """A printed number."""

    text: str  # as it was printed
    number: Fraction | Undefined  # the number, `Undefined.NAN` for nan
    unit: Fraction  # a unit of the last digit, 0 for a fraction, which is exact

    def agreement(self, exact: AnyValue) -> Agreement | None:
        """Say how this number comes of an exact value; None if it does not."""
        if isinstance(exact, Undefined) or isinstance(self.number, Undefined):
            return Agreement.ROUNDED if exact is self.number else None
        return self.agreement_of(as_fraction(exact))

    def agreement_of(self, exact: Fraction) -> Agreement | None:
        """Say the same of a fraction."""
        if isinstance(self.number, Undefined):
            return None
        beyond = exact - self.number
        if abs(beyond) * 2 <= self.unit:
            return Agreement.ROUNDED
        outwards = -beyond if self.text.startswith("-") else beyond
        return Agreement.TRUNCATED if 0 <= outwards < self.unit else None


def parse_printed(text: str) -> Printed:
    """Read a number as printed: a decimal, a fraction such as 4/6, or nan; `InputError` for others."""
    stripped = text.strip()
    if len(stripped) > _MOST_CHARACTERS:
        reason = f"a number of {len(stripped)} characters; no program prints more than {_MOST_CHARACTERS}"
        raise InputError(reason, code="number-not-printed")
    if stripped.lower() == "nan":
        return Printed(stripped, Undefined.NAN, Fraction(0))
    if _FRACTION.fullmatch(stripped):
        return Printed(stripped, Fraction(stripped), Fraction(0))
    if not _DECIMAL.fullmatch(stripped):
        refusal = f"{text!r} is not a printed number; give it as it was printed: 0.6533 or 37/48"
        raise InputError(refusal, code="number-not-printed")
    if math.isinf(as_float64(Fraction(stripped))):
        raise InputError(f"{stripped} lies beyond every double; no program prints it", code="number-not-printed")
    exponent = Decimal(stripped).as_tuple().exponent
    return Printed(stripped, Fraction(stripped), Fraction(10) ** int(exponent))
