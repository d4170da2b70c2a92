"""Whether two answers can be one: the only comparison of answers that there is.

What an implementation answers twice, what two versions answer, what two implementations answer, and what one answers
and a convention demands: all are compared here, within a bound that says how far straightforward programs may be off.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from rankspec.conformance.judge.bounds import UNIT_FLOAT32, UNIT_FLOAT64, forward_error, rounding_error
from rankspec.conformance.questions.expectation import LEVELS
from rankspec.conformance.run.outcomes import NotAsked, Number, Outcome, PerQuery, Raised
from rankspec.conformance.worker.arguments import queries_in, size
from rankspec.conformance.worker.messages import Call
from rankspec.conformance.worker.values import SINGLE, Special
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.values import Undefined

Known = Fraction | Undefined
"""A value that equals every equal one; irrational ones are known to more places than any program has."""


class Demand(Protocol):
    """What a convention demands: the value of the set, and that of each query that counts."""

    @property
    def value(self) -> Known:
        """The value of the set."""

    @property
    def per_query(self) -> Mapping[str, Known]:
        """The values of the queries that count."""


@dataclass(frozen=True)
class Bound:
    """How far an answer to a question may be from the exact value.

    Attributes:
        terms: how many numbers a straightforward program adds up to answer it.
        unit: the unit roundoff of the program's numbers; None where the numbers themselves are to tell it.
        is_count: the answer is a number of things, which is right or wrong.
    """

    terms: int
    unit: Fraction | None = None
    is_count: bool = False

    def of(self, number: Number, magnitude: Fraction, unit: Fraction) -> Fraction:
        """Bound the error of one number: that of computing it, and that of printing it."""
        computing = Fraction(0) if self.is_count else forward_error(self.terms, magnitude, self.unit or unit)
        return computing + rounding_error(number.unit)


def bound_of(call: Call) -> Bound:
    """Return the bound of the answers to a call, whatever convention they follow.

    A program adds up the documents, the judged ones, the queries, and the levels of an interpolation at most. Where it
    takes a mean of logarithms, each query adds as many terms as the logarithm to base 2 of its value is long (see
    `questions/expectation.py`): 17 for the floor of 1/100,000.
    """
    arguments = call.arguments
    queries = queries_in(arguments)
    family = FAMILIES.get(call.measure)
    terms = size(arguments) + (1 + _LOGARITHM) * queries + LEVELS
    return Bound(terms, is_count=family is not None and family.is_count)


_LOGARITHM = 17


def agrees(first: Outcome, second: Outcome | Demand, bound: Bound) -> bool:
    """Tell whether two answers to one question can be one, or an answer and what a convention demands.

    Numbers agree if one exact value lies within the bound of both: they may be as far apart as both are off together.
    So a program that adds up in the order of a set, which depends on the hash seed, agrees with itself; and no two
    values of a small input that any formula makes lie so near to each other. What was printed may be off by half a unit
    of its last digit besides. The bound is derived in `judge/bounds.py`, in the precision of each number's type; where
    both are numbers that a single holds, in that of singles. NaN and infinities agree with themselves alone.

    Values a query agree if there are as many and each does, and the value of the set where it is told. Exceptions agree
    if they are of one type: their words may name an address. What was not asked contradicts nothing.
    """
    if isinstance(second, Outcome):
        return _same_outcome(first, second, bound)
    match first:
        case Number():
            return near(first, second.value, bound)
        case PerQuery(values, overall):
            return (
                second.value is not Undefined.ERROR
                and has_queries(first, second)
                and all(near(number, second.per_query[query], bound) for query, number in values.items())
                and (overall is None or near(overall, second.value, bound))
            )
        case Raised():
            return second.value is Undefined.ERROR
        case _:
            return False


def _same_outcome(first: Outcome, second: Outcome, bound: Bound) -> bool:
    if type(first) is NotAsked or type(second) is NotAsked:  # one that is declined is an answer
        return True
    match first, second:
        case Raised(), Raised():
            return first.type == second.type
        case Number(), Number():
            return near(first, second, bound)
        case PerQuery(), PerQuery():
            return (
                first.values.keys() == second.values.keys()
                and all(near(number, second.values[query], bound) for query, number in first.values.items())
                and (first.overall is None) is (second.overall is None)
                and (first.overall is None or second.overall is None or near(first.overall, second.overall, bound))
            )
        case _:
            return type(first) is type(second)


def differ_in_last_digits(first: Outcome, second: Outcome, bound: Bound) -> bool:
    """Tell whether two answers agree, and yet are not the same numbers: worth an observation, and no fault."""
    numbers = _numbers(first), _numbers(second)
    return None not in numbers and numbers[0] != numbers[1] and agrees(first, second, bound)


def _numbers(outcome: Outcome) -> object:
    match outcome:
        case Number(value):
            return value
        case PerQuery(values, overall):
            return {query: number.value for query, number in values.items()}, overall and overall.value
        case _:
            return None


def has_queries(answer: PerQuery, demand: Demand) -> bool:
    """Tell whether the queries that count have values; whoever tells the value of the set may leave out some."""
    if answer.overall is None:
        return answer.values.keys() == demand.per_query.keys()
    return answer.values.keys() <= demand.per_query.keys()


def near(first: Number, second: Number | Known, bound: Bound) -> bool:
    """Compare two numbers, or a number and the exact value that is demanded."""
    if isinstance(second, Undefined):
        return first.value is Special.NAN and second is not Undefined.ERROR
    other = second.value if isinstance(second, Number) else second
    if isinstance(first.value, Special) or isinstance(other, Special):
        return first.value == other
    apart = abs(first.value - other)
    if apart == 0:
        return True
    if not isinstance(second, Number):
        return apart <= bound.of(first, abs(other), unit_of(first))
    magnitude = max(abs(first.value), abs(other))
    units = (UNIT_FLOAT32,) * 2 if is_single(first.value) and is_single(other) else (unit_of(first), unit_of(second))
    return apart <= bound.of(first, magnitude, units[0]) + bound.of(second, magnitude, units[1])


def unit_of(number: Number) -> Fraction:
    """Return the unit roundoff of a number's type: that of singles for a single of whatever library, else of doubles.

    Sums in still shorter floats are bounded by nothing that would tell two values apart, so none is allowed for.
    """
    return UNIT_FLOAT32 if number.type_name.rpartition(".")[2] == SINGLE else UNIT_FLOAT64


def is_single(value: Fraction) -> bool:
    """Tell whether a number is one that a single holds: the result of a program in singles."""
    try:
        return Fraction(struct.unpack("f", struct.pack("f", float(value)))[0]) == value
    except OverflowError:  # beyond the doubles, or the singles
        return False
