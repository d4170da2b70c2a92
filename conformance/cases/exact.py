"""Exact values as cases write them: read without evaluating code, and written as decimals for people.

A case's `exact` is a rational, an undefined value's name, or arithmetic of whole numbers, `pi`, `sqrt`, `log` and
`zeta`. sympy's own reader would run any Python that stands there, so the few forms are read here.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

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
    """Read an exact value.

    Raises:
        InputError: it is none of the forms.
    """
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
    return InputError(f"{text!r} is no exact value; write {forms}")


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
    """Return a number as a fraction: exactly if it is rational, else correct to 60 digits.

    No irrational number is printed exactly, so 60 digits decide whatever a printed number can ask.
    """
    if isinstance(value, Fraction | Real):
        return enclosing_fraction(value, _MOST_DIGITS)
    import sympy

    rational = value if isinstance(value, sympy.Rational) else sympy.Rational(str(value.evalf(_MOST_DIGITS)))
    return Fraction(int(rational.p), int(rational.q))


def same_value(first: Value, second: Value) -> bool:
    """Tell whether two exact values are one, however they are written.

    Irrational ones are compared to 60 digits: an expression has more than one form, and no algebra decides all of them.
    """
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
