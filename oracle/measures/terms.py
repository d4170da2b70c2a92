"""What a definition's terms are in numbers: fractions, and gains over logarithms; expressions as functions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from rankspec.oracle.definitions.expression import Above, Algebra, Expression, Operator, read
from rankspec.oracle.reals.real import Number, log_sum, sum_of_fractions


@dataclass(frozen=True)
class Discounted:
    """A gain over a logarithm as it stands in a sum: `gain / log2(argument)`."""

    gain: Fraction
    argument: int

    @property
    def value(self) -> Number:
        """Return the number that it is."""
        return log_sum([(self.gain, self.argument)])

    def __mul__(self, factor: Fraction | int) -> Discounted:
        return Discounted(self.gain * factor, self.argument)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Fraction | int) -> Discounted:
        return Discounted(self.gain / divisor, self.argument)

    def __bool__(self) -> bool:
        return self.gain != 0

    def __str__(self) -> str:
        """Return it as it is written: `3/log2(5)`."""
        gain = f"({self.gain})" if self.gain.denominator > 1 else str(self.gain)
        return f"{gain}/log2({self.argument})"


Term = Fraction | Discounted  # What is summed


def total(terms: Sequence[Term]) -> Number:
    """Return the exact sum of terms."""
    rational = sum_of_fractions(term for term in terms if isinstance(term, Fraction))
    logarithms = [(term.gain, term.argument) for term in terms if isinstance(term, Discounted)]
    # 1/log2(2) is 1, so that a rational part is one more term.
    return log_sum([*logarithms, (rational, 2)]) if logarithms else rational


class Logarithm(NamedTuple):
    """log2 of a whole number: only ever a divisor."""

    argument: int

    def __rtruediv__(self, gain: Fraction | int) -> Discounted:
        return Discounted(Fraction(gain), int(self.argument))


class Kind(NamedTuple):
    """What a definition sees of a document."""

    hit: Fraction | int = 0
    judged: Fraction | int = 0
    nonrelevant: Fraction | int = 0
    pooled: Fraction | int = 0
    grade: Fraction | int = 0
    gain: Fraction | int = 0
    document: Fraction | int = 1


Value = Any  # int, Fraction, Discounted or Logarithm: Python's operators tell them apart
Place = Mapping[Any, Value]  # by quantity, or by product over the documents above
Compiled = Callable[[Place], Value]


class _Computing(Algebra[Compiled]):
    """An expression as a function of a place: quantity -> number, by functions for the operators."""

    def __init__(self, operations: Mapping[Operator, Callable[..., Value]]) -> None:
        self._operations = operations

    def number(self, value: Fraction) -> Compiled:
        constant = int(value) if value.denominator == 1 else value
        return lambda _: constant

    def quantity(self, name: str) -> Compiled:
        return operator.itemgetter(name)

    def above(self, product: Above) -> Compiled:
        return operator.itemgetter(product)

    def operation(self, operator: Operator, operands: tuple[Compiled, ...]) -> Compiled:
        compute = self._operations[operator]
        if len(operands) == 2:  # noqa: PLR2004 - the common case, without a tuple a place
            first, second = operands
            return lambda place: compute(first(place), second(place))
        return lambda place: compute(*(operand(place) for operand in operands))


def _quotient(numerator: Value, denominator: Value) -> Value:
    if isinstance(denominator, Logarithm):
        return numerator / denominator
    if denominator == 0:
        return Fraction(0)
    if isinstance(numerator, int) and isinstance(denominator, int):
        return Fraction(numerator, denominator)
    return numerator / denominator


_OPERATIONS: Mapping[Operator, Callable[..., Value]] = {
    Operator.ADD: operator.add,
    Operator.SUBTRACT: operator.sub,
    Operator.MULTIPLY: operator.mul,
    Operator.DIVIDE: _quotient,
    Operator.POWER: operator.pow,
    Operator.LEAST: min,
    Operator.GREATEST: max,
    Operator.LOG2: Logarithm,
}


@cache
def computed(expression: Expression) -> Compiled:
    """Return an expression without choices as a function of the quantities in it."""
    return compiled(expression, _OPERATIONS)


def compiled(expression: Expression, operations: Mapping[Operator, Callable[..., Value]]) -> Compiled:
    """Return the same function in other numbers, whose operations are given."""
    return read(expression, _Computing(operations))
