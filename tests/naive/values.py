"""Values: fractions where a measure is rational, sympy expressions where it is not, and how two are compared."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TypeAlias

import sympy

Number: TypeAlias = Fraction | sympy.Expr
Value: TypeAlias = Fraction | sympy.Expr | str  # a number, or "nan", "skip", "error"
Total: TypeAlias = Fraction | sympy.Expr | str | tuple[str, Fraction, int]  # ("root", product, n) is product ** (1 / n)

DIGITS = 60


def symbolic(value: object) -> sympy.Expr:
    """Write a number as sympy does; a root too."""
    if isinstance(value, tuple):
        _, product, degree = value
        return symbolic(product) ** sympy.Rational(1, degree)
    if isinstance(value, Fraction):
        return sympy.Rational(value.numerator, value.denominator)
    return sympy.sympify(value)


def plain(expression: sympy.Expr) -> Number:
    """Write a rational as a fraction, and leave what is irrational as it is."""
    if isinstance(expression, sympy.Rational):
        return Fraction(int(expression.p), int(expression.q))
    return expression


def total(numbers: list[Number]) -> Number:
    """The sum, a fraction if every term is one."""
    fractions = [number for number in numbers if isinstance(number, Fraction)]
    if len(fractions) == len(numbers):
        return sum(fractions, Fraction(0))
    return plain(sum((symbolic(number) for number in numbers), sympy.Integer(0)))


def divided(number: Number, divisor: Number) -> Number:
    """The quotient, a fraction if both are."""
    if isinstance(number, Fraction) and isinstance(divisor, Fraction):
        return number / divisor
    return plain(symbolic(number) / symbolic(divisor))


def mean(numbers: list[Number]) -> Number:
    """The arithmetic mean."""
    return divided(total(numbers), Fraction(len(numbers)))


@cache
def evaluated(expression: sympy.Expr) -> sympy.Float:
    """60 digits of an expression."""
    return sympy.N(expression, DIGITS)


def close(left: sympy.Expr, right: sympy.Expr) -> bool:
    """Do two expressions agree to 50 of 60 digits? Values of these measures are sums of a few ordinary terms."""
    if left == right:
        return True
    size = max(abs(evaluated(left)), abs(evaluated(right)), sympy.Integer(1))
    return bool(abs(evaluated(left) - evaluated(right)) <= size * sympy.Float(10, DIGITS) ** -(DIGITS - 10))


def same(left: object, right: object) -> bool:
    """Are two values one? Words and fractions exactly, everything else by 60-digit evaluation."""
    if isinstance(left, str) or isinstance(right, str):
        return left == right
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left == right
    return close(symbolic(left), symbolic(right))


def less(left: Number, right: Number) -> bool:
    """Is one number below another? Exactly for fractions, else by 60-digit evaluation; equal ones are not."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left < right
    if same(left, right):
        return False
    return bool(evaluated(symbolic(left)) < evaluated(symbolic(right)))


def least(numbers: list[Number]) -> Number:
    """The lowest of some numbers."""
    lowest = numbers[0]
    for number in numbers[1:]:
        if less(number, lowest):
            lowest = number
    return lowest


def greatest(numbers: list[Number]) -> Number:
    """The highest of some numbers."""
    highest = numbers[0]
    for number in numbers[1:]:
        if less(highest, number):
            highest = number
    return highest
