"""The exact reading of a definition: what each block of a list adds, in the mean over its orders.

In a block of undecided order every document is at every place with equal chance, and what stands above it is drawn
from the others without replacement. A term that is a polynomial of degree 1 in what stands above has the mean that
their means give; over what it is none of, it is summed, number by number, with the chance of each (hypergeometric).
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, reduce
from itertools import product
from math import comb, prod
from typing import Any, NamedTuple

from rankspec.oracle.clauses import clause
from rankspec.oracle.definitions.expression import (
    Above,
    Expression,
    Operator,
    Reading,
    Variable,
    degree,
    has_factor,
    names,
    parts,
    read,
)
from rankspec.oracle.definitions.quantities import SIGNS, Scope
from rankspec.oracle.reals.real import Number, log_sum
from rankspec.oracle.sums import sum_of_fractions


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
        """Return a multiple."""
        return Discounted(self.gain * factor, self.argument)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Fraction | int) -> Discounted:
        """Return a part."""
        return Discounted(self.gain / divisor, self.argument)

    def __bool__(self) -> bool:
        """Tell whether it is above 0."""
        return self.gain != 0

    def __str__(self) -> str:
        """Return it as it is written: `3/log2(5)`."""
        gain = f"({self.gain})" if self.gain.denominator > 1 else str(self.gain)
        return f"{gain}/log2({self.argument})"


Term = Fraction | Discounted
"""What is summed."""


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
        """Return a gain over it."""
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


class _Computing(Reading[Compiled]):
    """An expression as a function of a place: quantity -> number."""

    def number(self, value: Fraction) -> Compiled:
        constant = int(value) if value.denominator == 1 else value
        return lambda _: constant

    def quantity(self, name: str) -> Compiled:
        return operator.itemgetter(name)

    def above(self, product: Above) -> Compiled:
        return operator.itemgetter(product)

    def operation(self, operator: Operator, operands: tuple[Compiled, ...]) -> Compiled:
        compute = _OPERATIONS[operator]
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
    return read(expression, _Computing())


class _Drawn(NamedTuple):
    """A quantity that sums up what stands above: what a document counts in it, and whether one counts in its own."""

    weight: Callable[[Kind], Fraction | int]
    is_inclusive: bool = False


_DRAWN: Mapping[str, _Drawn] = {
    "count": _Drawn(lambda kind: kind.hit, is_inclusive=True),
    "missed": _Drawn(lambda kind: 1 - kind.hit),
    "nonrelevant_above": _Drawn(lambda kind: kind.nonrelevant),
    "pooled_above": _Drawn(lambda kind: kind.pooled),
    "gained": _Drawn(lambda kind: kind.gain, is_inclusive=True),
}


@dataclass(frozen=True)
class _Plan:
    """How the mean of a term over the orders of a block is found.

    Attributes:
        term: the term as a function.
        names: the quantities in it.
        means: the quantities and products in which it is of degree 1, so that their mean gives its mean.
        numbers: the quantities over whose numbers it is summed.
        is_of_documents: it is a multiple of what documents are by themselves, wherever they stand.
        own: the quantities of the document itself that are in it.
        factors: those of them that it is a multiple of: where one is 0, it is.
        is_of_first: it is 0 below the first hit.
    """

    term: Compiled
    names: frozenset[str]
    means: frozenset[Variable]
    numbers: tuple[str, ...]
    is_of_documents: bool
    own: tuple[str, ...]
    factors: tuple[str, ...]
    is_of_first: bool

    def is_nothing(self, block: Sequence[Kind], above: _Standing) -> bool:
        """Tell whether no document of a block adds anything."""
        if self.is_of_first and (above.hits or not any(kind.hit for kind in block)):
            return True
        return any(not any(getattr(kind, name) for kind in block) for name in self.factors)

    @cached_property
    def products(self) -> list[Above]:
        """Return the products over the documents above."""
        return [each for each in self.means if isinstance(each, Above)]

    @cached_property
    def sums(self) -> list[str]:
        """Return the quantities that sum up what stands above."""
        return [each for each in (*self.numbers, *self.means) if each in _DRAWN and isinstance(each, str)]

    def is_neutral(self, kind: Kind) -> bool:
        """Tell whether it is the same for a document below, whether one of this kind stands above it or not."""
        return (
            not any(_DRAWN[name].weight(kind) for name in self.sums)
            and all(_factor(product_, kind) == 1 for product_ in self.products)
            and not (kind.hit and "first" in self.means)
        )


_OF_DOCUMENTS = frozenset(name for name, sign in SIGNS.items() if sign.scope is Scope.DOCUMENT)
_PLACED = frozenset({"rank", "ideal_gained"})


@cache
def _plan(term: Expression) -> _Plan:
    """Find out what a term depends on.

    Raises:
        TypeError: it is of a higher degree in a product over the documents above: nothing is known of its mean.
    """
    used = names(term)
    variables: frozenset[Variable] = frozenset(used & {*_DRAWN, "first"}) | {
        part for part in parts(term) if isinstance(part, Above)
    }
    numbers = (
        frozenset[Variable]()
        if degree(term, variables) <= 1
        else frozenset(each for each in variables if degree(term, frozenset({each})) > 1)
    )
    if degree(term, variables - numbers) > 1:
        numbers = variables
    if not numbers <= frozenset(_DRAWN):
        raise TypeError(f"{term} has no mean over the orders of a block that is known")
    is_of_documents = not variables and not used & _PLACED and degree(term, frozenset(_OF_DOCUMENTS)) <= 1
    return _Plan(
        computed(term),
        used,
        variables - numbers,
        tuple(map(str, numbers)),
        is_of_documents,
        own=tuple(name for name in Kind._fields if name in used),
        factors=tuple(name for name in Kind._fields if has_factor(term, name)),
        is_of_first=has_factor(term, "first"),
    )


def _factor(product_: Above, kind: Kind) -> Value:
    """Return what a document multiplies a product over the documents above with."""
    return computed(product_.factor)(kind._asdict())


@dataclass
class _Standing:
    """What stands above a block."""

    plan: _Plan
    documents: int = 0
    hits: Fraction | int = 0

    def __post_init__(self) -> None:
        """Begin at the top of the list."""
        self.sums: dict[str, Fraction | int] = dict.fromkeys(self.plan.sums, 0)
        self.products: dict[Above, Value] = dict.fromkeys(self.plan.products, Fraction(1))

    def add(self, block: Sequence[Kind]) -> None:
        """Put a block above the next one."""
        self.documents += len(block)
        for kind in block:
            self.hits += kind.hit
            for name in self.sums:
                self.sums[name] += _DRAWN[name].weight(kind)
            for each in self.products:
                self.products[each] *= _factor(each, kind)


class ListTerms(NamedTuple):
    """The terms of a list.

    Attributes:
        term: what a document adds, without choices and parameters.
        quantities: those of the list, by name.
        ideal_gained: rank - 1 -> the gain of the ideal ranking down to there; the last one holds for all further ranks.
        is_grouped: a block is one operating point at its end (`ties=grouped`).
        limit: the ranks that count, where a block reaches beyond them.
    """

    term: Expression
    quantities: dict[str, Any]
    ideal_gained: Sequence[Fraction | int] = (0,)
    is_grouped: bool = False
    limit: int | None = None

    @clause("ranking.ties.expected", "ranking.ties.grouped")
    def of_blocks(self, blocks: Sequence[Sequence[Kind]]) -> Iterator[list[Term]]:
        """Yield the terms that each block adds."""
        plan = _plan(self.term)
        above = _Standing(plan)
        for block in blocks:
            if len(block) == 1 or self.is_grouped or plan.is_of_documents:
                yield [_as_term(term)] if (term := self._at_point(block, above)) else []
            else:
                yield [] if plan.is_nothing(block, above) else list(self._in_random_order(block, above))
            above.add(block)

    def spans(self, blocks: Sequence[Sequence[Kind]], shown: Expression) -> Iterator[list[Value]]:
        """Yield what an expression is in each block: one value, or those at the first and at the last of its documents.

        What is of a document alone has a value for each document of a block.
        """
        plan, reading = _plan(self.term), _plan(shown)
        above = _Standing(reading)
        for block in blocks:
            hit = next((kind for kind in block if kind.hit), None)
            if not reading.names - _OF_DOCUMENTS - set(self.quantities) and not reading.products:
                yield [reading.term({**self.quantities, **kind._asdict()}) for kind in block]
            elif len(block) == 1 or self.is_grouped or plan.is_of_documents:
                yield [reading.term(self._point(block, above))]
            else:
                first = self._place(above.documents + 1, hit or block[0], reading) | above.products
                end = above.documents + len(block)
                end = end if self.limit is None else min(end, self.limit)
                last = self._place(end, hit or block[0], reading) | above.products
                for name, before in above.sums.items():
                    drawn = _DRAWN[name]
                    own = drawn.weight(hit or block[0])
                    inside = sum(map(drawn.weight, block))
                    first[name] = before + (own if drawn.is_inclusive else 0)
                    last[name] = before + inside - (0 if drawn.is_inclusive else own)
                ends = [reading.term(first), reading.term(last)]
                yield (
                    ends[:1] if ends[0] == ends[1] or ("hit" in plan.factors and not hit) else [ends[0], "to", ends[1]]
                )
            above.add(block)

    def _at_point(self, block: Sequence[Kind], above: _Standing) -> Value:
        """Return what an operating point adds, whose documents count together."""
        if above.plan.is_nothing(block, above):
            return 0
        return above.plan.term(self._point(block, above))

    def _point(self, block: Sequence[Kind], above: _Standing) -> dict[Any, Value]:
        """Return the quantities of an operating point."""
        own = block[0] if len(block) == 1 else Kind(*map(sum, zip(*block, strict=True)))
        place = self._place(above.documents + len(block), own, above.plan) | above.products
        for name, before in above.sums.items():
            drawn = _DRAWN[name]
            place[name] = before + (sum(map(drawn.weight, block)) if drawn.is_inclusive else 0)
        place["first"] = int(own.hit > 0 and not above.hits)
        return place

    def _place(self, rank: int, own: Kind, plan: _Plan) -> dict[Any, Value]:
        """Return the quantities of a place that a term has, but for what stands above it."""
        place: dict[Any, Value] = {name: getattr(own, name) for name in plan.own}
        place["rank"] = rank
        place["ideal_gained"] = self.ideal_gained[min(rank, len(self.ideal_gained)) - 1]
        return self.quantities | place

    def _in_random_order(self, block: Sequence[Kind], above: _Standing) -> Iterator[Term]:
        """Yield the terms of a block whose documents are in any order."""
        plan = above.plan
        room = len(block) if self.limit is None else min(len(block), self.limit - above.documents)
        if not plan.means and not plan.numbers:
            mean = Kind(**{name: Fraction(sum(getattr(kind, name) for kind in block), len(block)) for name in plan.own})
            kinds = [(mean, len(block))] if degree(self.term, _OF_DOCUMENTS) <= 1 else list(Counter(block).items())
            for place in range(room):
                for kind, number in kinds:
                    term = plan.term(self._place(above.documents + place + 1, kind, plan))
                    yield from _shares(term, Fraction(number, len(block)))
            return
        by_place: dict[int, list[Term]] = {place: [] for place in range(room)}
        for kind, number in Counter(block).items():
            if not plan.is_nothing([kind], above):
                for place, chance, term in self._of_kind(kind, block, above, room):
                    by_place[place].extend(_shares(term, number * chance))
        for terms in by_place.values():
            rational = [term for term in terms if isinstance(term, Fraction)]
            if rational:
                yield sum_of_fractions(rational)
            yield from (term for term in terms if not isinstance(term, Fraction))

    def _of_kind(
        self, kind: Kind, block: Sequence[Kind], above: _Standing, room: int
    ) -> Iterator[tuple[int, Fraction, Value]]:
        """Yield the places that a document can have, what it adds there, and the chance of that.

        Where the rank does not matter, documents that change nothing for those below are left out of the block.
        """
        plan = above.plan
        others = list(block)
        others.remove(kind)
        if not plan.names & _PLACED:
            others = [other for other in others if not plan.is_neutral(other)]
        symmetric = {each: _symmetric([_factor(each, other) for other in others]) for each in above.products}
        misses = sum(not other.hit for other in others)
        share = Fraction(1, len(others) + 1)
        pool = _Pool(plan, others)
        for place in range(min(room, len(others) + 1)):
            known = self._place(above.documents + place + 1, kind, plan)
            orders = comb(len(others), place)
            for each, sums in symmetric.items():
                known[each] = above.products[each] * sums[place] / orders
            if "first" in plan.means:
                known["first"] = kind.hit * Fraction(0 if above.hits else comb(misses, place), orders)
            for chance, drawn in pool.draws(place):
                for name, inside in drawn.items():
                    own = _DRAWN[name].weight(kind) if _DRAWN[name].is_inclusive else 0
                    known[name] = above.sums[name] + inside + own
                yield place, share * chance, plan.term(known)


class _Pool:
    """The other documents of a block, of which some stand above one, in groups of the same `plan.numbers`."""

    def __init__(self, plan: _Plan, others: Sequence[Kind]) -> None:
        groups: dict[tuple[Fraction | int, ...], list[Kind]] = {}
        for kind in others:
            groups.setdefault(tuple(_DRAWN[name].weight(kind) for name in plan.numbers), []).append(kind)
        members = list(groups.values()) or [[]]
        self.sizes = [len(each) for each in members]
        self.weights: dict[str, list[Fraction | int]] = {
            name: [_mean([_DRAWN[name].weight(kind) for kind in each]) for each in members] for name in plan.sums
        }

    def draws(self, size: int) -> Iterator[tuple[Fraction, dict[str, Fraction | int]]]:
        """Yield what `size` documents can sum up to, with the chance of each.

        Of the quantities in `plan.means` they are the means, given the numbers of the others.
        """
        orders = comb(sum(self.sizes), size)
        for taken in product(*(range(min(each, size) + 1) for each in self.sizes[:-1])):
            last = size - sum(taken)
            if 0 <= last <= self.sizes[-1]:
                drawn = (*taken, last)
                ways = prod(map(comb, self.sizes, drawn))
                sums = {name: sum(map(operator.mul, drawn, each)) for name, each in self.weights.items()}
                yield Fraction(ways, orders), sums


def _mean(numbers: Sequence[Fraction | int]) -> Fraction | int:
    """Return the mean; the number itself where all are one."""
    return numbers[0] if len(set(numbers)) == 1 else Fraction(sum(numbers), len(numbers) or 1)


def _symmetric(factors: Sequence[Value]) -> list[Value]:
    """Return the sums of the products of 0, 1, 2, ... of the factors (elementary symmetric polynomials)."""
    return reduce(
        lambda sums, factor: [a + factor * b for a, b in zip([*sums, 0], [0, *sums], strict=True)], factors, [1]
    )


def _as_term(value: Value) -> Term:
    return value if isinstance(value, Discounted) else Fraction(value)


def _shares(value: Value, chance: Fraction) -> Iterator[Term]:
    """Yield a value times its chance, unless it is 0."""
    if value:
        yield _as_term(value * chance)
