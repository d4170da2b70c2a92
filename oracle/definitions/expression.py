"""Expressions over the quantities of an evaluated list: what a rank adds, what the sum is divided by.

An expression is built once, as data, with the operators of Python, and read many times: as an exact value, a formula,
an enclosure, a count of roundings. A reading is a class with one method an operation; `read` walks the expression.

>>> from rankspec.oracle.definitions.expression import COUNT, HIT, RANK
>>> sorted(names(HIT * COUNT / RANK))
['count', 'hit', 'rank']
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache, cached_property, partial
from math import inf
from types import MappingProxyType
from typing import ClassVar, Final, Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Operator(Enum):
    """What an operation does with its operands."""

    ADD = "add"
    SUBTRACT = "subtract"
    MULTIPLY = "multiply"
    DIVIDE = "divide"  # A quotient over 0 is 0: of a list, or of qrels, without what is counted
    POWER = "power"
    LEAST = "least"
    GREATEST = "greatest"
    LOG2 = "log2"


Binary = Callable[["Expression", "Operand"], "Expression"]


def _operation(operator: Operator) -> tuple[Binary, Binary]:
    """Return the methods of an operator for an expression before an operand, and behind it."""
    return (
        lambda one, other: Operation(operator, (one, lifted(other))),
        lambda one, other: Operation(operator, (lifted(other), one)),
    )


class Expression:
    """An expression; Python's operators make larger ones. `__match_args__` names what it is made of.

    Readings are remembered by expression, so a hash is worked out once: that of a tree as deep as infAP's takes longer
    than its value of a short list.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is type(self) and self._key == other._key)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._key))})"

    @cached_property
    def _key(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    @cached_property
    def _hash(self) -> int:
        return hash((type(self), self._key))

    __add__, __radd__ = _operation(Operator.ADD)
    __sub__, __rsub__ = _operation(Operator.SUBTRACT)
    __mul__, __rmul__ = _operation(Operator.MULTIPLY)
    __truediv__, __rtruediv__ = _operation(Operator.DIVIDE)
    __pow__, __rpow__ = _operation(Operator.POWER)


class Number(Expression):
    """A rational number."""

    __match_args__ = ("value",)

    def __init__(self, value: Fraction) -> None:
        self.value: Final = value


class Quantity(Expression):
    """A quantity of a document, of a rank or of a list, by its name in `quantities.py`."""

    __match_args__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name: Final = name


class Choice(Expression):
    """What a convention says on an axis: an expression for each of its values, see `measures/choices.py`."""

    __match_args__ = ("axis",)

    def __init__(self, axis: str) -> None:
        self.axis: Final = axis


class Parameter(Expression):
    """A number that the measure states, or else the convention, or else the default."""

    __match_args__ = ("name", "default")

    def __init__(self, name: str, default: Fraction = Fraction(0)) -> None:
        self.name: Final = name
        self.default: Final = default


class Above(Expression):
    """The product of an expression over the documents above; 1 at the first rank."""

    __match_args__ = ("factor",)

    def __init__(self, factor: Expression) -> None:
        self.factor: Final = factor


class Operation(Expression):
    """An operator with its operands."""

    __match_args__ = ("operator", "operands")

    def __init__(self, operator: Operator, operands: tuple[Expression, ...]) -> None:
        self.operator: Final = operator
        self.operands: Final = operands


Operand = Expression | Fraction | int
ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))


def lifted(operand: Operand) -> Expression:
    """Return an expression for a number; `TypeError` for a double, as `Fraction.__pow__` makes of a fraction."""
    if isinstance(operand, float):
        raise TypeError(f"{operand} is a double, and definitions are exact: Number(Fraction(...)) is a fraction")
    return operand if isinstance(operand, Expression) else Number(Fraction(operand))


def least(*operands: Operand) -> Expression:
    """Return the least of some expressions; of one, itself."""
    return lifted(operands[0]) if len(operands) == 1 else Operation(Operator.LEAST, tuple(map(lifted, operands)))


def greatest(*operands: Operand) -> Expression:
    """Return the greatest of some expressions."""
    return Operation(Operator.GREATEST, tuple(map(lifted, operands)))


def log2(operand: Operand) -> Expression:
    """Return the logarithm to the base 2."""
    return Operation(Operator.LOG2, (lifted(operand),))


class Algebra(ABC, Generic[T]):
    """What an expression is read as: a method for each kind of leaf, and one for the operators."""

    @abstractmethod
    def number(self, value: Fraction) -> T:
        """Read a number."""

    @abstractmethod
    def quantity(self, name: str) -> T:
        """Read a quantity."""

    @abstractmethod
    def above(self, product: Above) -> T:
        """Read a product over the documents above."""

    @abstractmethod
    def operation(self, operator: Operator, operands: tuple[T, ...]) -> T:
        """Read an operator with its operands."""

    def unresolved(self, leaf: Choice | Parameter) -> T:
        """Read what a measure and a convention have not decided yet."""
        raise TypeError(f"{leaf} was not resolved")


def read(expression: Expression, reading: Algebra[T]) -> T:
    """Read an expression."""
    match expression:
        case Number(value):
            return reading.number(value)
        case Quantity(name):
            return reading.quantity(name)
        case Above():
            return reading.above(expression)
        case Operation(operator, operands):
            return reading.operation(operator, tuple(read(operand, reading) for operand in operands))
        case Choice() | Parameter():
            return reading.unresolved(expression)
        case _:
            raise TypeError(f"{expression} is not an expression")


def resolved(expression: Expression, leaf: Callable[[Choice | Parameter], Expression]) -> Expression:
    """Return an expression in which choices and parameters are replaced."""
    match expression:
        case Choice() | Parameter():
            known = leaf(expression)
            return known if known == expression else resolved(known, leaf)
        case Above(factor):
            return Above(resolved(factor, leaf))
        case Operation(operator, operands):
            return Operation(operator, tuple(resolved(operand, leaf) for operand in operands))
        case _:
            return expression


def parts(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and everything in it."""
    yield expression
    inside = expression.operands if isinstance(expression, Operation) else ()
    for part in (expression.factor,) if isinstance(expression, Above) else inside:
        yield from parts(part)


@cache
def names(expression: Expression) -> frozenset[str]:
    """Return the names of the quantities in an expression."""
    return frozenset(part.name for part in parts(expression) if isinstance(part, Quantity))


Variable = str | Above  # A quantity by its name, or a product over the documents above


@cache
def degree(expression: Expression, variables: frozenset[Variable]) -> float:
    """Return the degree of an expression as a polynomial in some variables; infinity if it is none."""
    match expression:
        case Quantity(name):
            return int(name in variables)
        case Above():
            return int(expression in variables)
        case Operation(operator, operands):
            degrees = [degree(operand, variables) for operand in operands]
            match operator:
                case Operator.ADD | Operator.SUBTRACT:
                    return max(degrees)
                case Operator.MULTIPLY:
                    return sum(degrees)
                case Operator.DIVIDE:
                    return inf if degrees[1] else degrees[0]
                case _:
                    return inf if any(degrees) else 0
        case _:
            return 0


def factors(expression: Expression) -> Iterator[Expression]:
    """Yield what an expression is a multiple of: where one of them is 0, it is."""
    match expression:
        case Operation(Operator.MULTIPLY, operands):
            for operand in operands:
                yield from factors(operand)
        case Operation(Operator.DIVIDE, (numerator, _)):
            yield from factors(numerator)
        case _:
            yield expression


@cache
def has_factor(expression: Expression, name: str) -> bool:
    """Tell whether an expression is 0 wherever a quantity is, because it is a multiple of it."""
    return Quantity(name) in factors(expression)


class Definition(NamedTuple):
    """(the sum of `term` over the documents of the evaluated list + `beside`) / `divisor`."""

    term: Expression  # what a document adds
    divisor: Expression = ONE  # what the sum is divided by
    extra: Expression = ZERO  # what is added to the sum, of the list as a whole
    extra_name: str = ""  # what that is called in a derivation
    empty: Fraction = Fraction(0)  # the value where the divisor is 0
    empty_reason: str = "an empty list"  # why it is that, in a derivation
    adds: str = ""  # what a row adds, in words, where the term alone does not say it
    worded: tuple[tuple[str, Expression], ...] = ()  # what `adds` has in braces and no column shows
    divisor_name: str = ""  # what the divisor is called where it is not a whole number
    counted: str = ""  # what the sum counts, where it counts: `hits`
    # what else a derivation shows at a row: a name and an expression each
    columns: tuple[tuple[str, Expression], ...] = ()
    at_hits: tuple[str, ...] = ()  # the names of those that mean something at hits alone
    # what the formula is made of, where it is not a sum over a divisor: a name and an expression each
    factors: tuple[tuple[str, Expression], ...] = ()
    formula: tuple[str, str] = ("", "")  # how the value is made of these, in text and in LaTeX
    is_of_curve: bool = False  # recall and precision belong to the rows of its derivation


class Scope(Enum):
    """What a quantity is a quantity of."""

    DOCUMENT = "document"
    RANK = "rank"
    LIST = "list"


class Sign(NamedTuple):
    """How a quantity is written."""

    scope: Scope  # what it is a quantity of
    text: str  # in plain text
    latex: str  # in LaTeX
    meaning: str  # what it is, in a line


_signs: dict[str, Sign] = {}


def _quantity(scope: Scope, name: str, *written: str) -> Quantity:
    """Declare a quantity, and how it is written: the fields of `Sign`."""
    _signs[name] = Sign(scope, *written)
    return Quantity(name)


_of_document, _at_rank, _of_list = (partial(_quantity, scope) for scope in Scope)

DOCUMENT = _of_document("document", "1", "1", "1 for every document")
HIT = _of_document("hit", "hit", r"\mathrm{rel}_i", "1 if the document at rank i is relevant, else 0")
JUDGED = _of_document("judged", "judged", r"\mathrm{judged}_i", "1 if the document at rank i is judged, else 0")
NONRELEVANT = _of_document(
    "nonrelevant", "nonrelevant", r"\mathrm{non}_i", "1 if the document at rank i is judged and not relevant"
)
GRADE = _of_document("grade", "grade", r"\mathrm{grade}_i", "the grade at rank i, 0 if it is unjudged or negative")
GAIN = _of_document("gain", "gain", "g_i", "the gain at rank i (axis gain)")
FIRST = _at_rank("first", "first hit", r"\mathrm{first}_i", "1 at the first relevant document, else 0")
RANK = _at_rank("rank", "rank", "i", "the rank")
COUNT = _at_rank("count", "hits so far", "h_i", "the relevant documents among the first i")
MISSED = _at_rank("missed", "misses above", "m_i", "the documents above rank i that are not relevant")
NONRELEVANT_ABOVE = _at_rank("nonrelevant_above", "nb", "b_i", "the judged nonrelevant documents above rank i")
POOLED_ABOVE = _at_rank("pooled_above", "pooled", "q_i", "the documents above rank i that were pooled and not judged")
GAINED = _at_rank("gained", "gained", "z_i", "the gain of the first i ranks")
IDEAL_GAINED = _at_rank("ideal_gained", "ideal", "z^*_i", "the gain of the first i ranks of the ideal ranking")
RELEVANT = _of_list("relevant", "R", "R", "the relevant documents of the query")
CUTOFF = _of_list("cutoff", "k", "k", "the cutoff; the length of the list where there is none")
LENGTH = _of_list("length", "n", "n", "the number of evaluated documents, at most k where there is a cutoff")
HITS = _of_list("hits", "hits", "h_n", "the relevant documents among them")
HITS_IN_LIST = _of_list("hits_in_list", "hits before the cutoff", "h", "those in the whole list")
JUDGED_IN_LIST = _of_list("judged_in_list", "judged documents", "h^J_n", "the judged documents among them")
HIGHEST = _of_list("highest", "the highest grade or 1", "H", "the highest grade of the query, 1 at least")
NONRELEVANT_IN_QRELS = _of_list("nonrelevant_in_qrels", "N", "N", "the judged nonrelevant documents of the query")
IDEAL_GAIN = _of_list("ideal_gain", "the ideal gain", r"z^*", "the gains of all judged documents")
IDEAL_TOTAL = _of_list("ideal_total", "ideal", r"\mathrm{ideal}", "the same sum for the ideal ranking (axis ideal)")

SIGNS: Mapping[str, Sign] = MappingProxyType(_signs)
"""Quantity -> how it is written."""
