"""The exact reading of a definition: what each block of a list adds, in the mean over its orders.

In a block of undecided order every document is at every place with equal chance, and what stands above it is drawn
from the others without replacement. `MeanPlan` says what of it the mean of a term needs.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache, partial
from itertools import pairwise, product
from math import comb, lcm, prod
from typing import Any, NamedTuple

from rankspec.oracle.clauses import clause
from rankspec.oracle.definitions import expression as algebra
from rankspec.oracle.limits import TIE_STATES
from rankspec.oracle.measures.terms import Compiled, Discounted, Kind, Term, Value, computed
from rankspec.oracle.reals.real import sum_of_fractions

_KINDS = 1024  # The kinds of documents that are remembered: a list has as many as it has grades, and a few more


class Drawn(NamedTuple):
    """A quantity that sums up what stands above: what a document counts in it, and whether one counts in its own."""

    weight: Callable[[Kind], Fraction | int]
    is_inclusive: bool = False

    def own(self, kind: Kind) -> Fraction | int:
        """Return what a document counts in its own."""
        return self.weight(kind) if self.is_inclusive else 0


DRAWN: Mapping[str, Drawn] = {
    "count": Drawn(lambda kind: kind.hit, is_inclusive=True),
    "missed": Drawn(lambda kind: 1 - kind.hit),
    "nonrelevant_above": Drawn(lambda kind: kind.nonrelevant),
    "pooled_above": Drawn(lambda kind: kind.pooled),
    "gained": Drawn(lambda kind: kind.gain, is_inclusive=True),
}


@dataclass(frozen=True)
class MeanPlan:
    """How the mean of a term over the orders of a block is found."""

    term: Compiled  # the term as a function
    names: frozenset[str]  # the quantities in it
    # the quantities and products in which it is of degree 1, so that their mean gives its mean
    means: frozenset[algebra.Variable]
    numbers: tuple[str, ...]  # the quantities over whose numbers it is summed
    is_of_documents: bool  # it is a multiple of what documents are by themselves, wherever they stand
    own: tuple[str, ...]  # the quantities of the document itself that are in it
    factors: tuple[str, ...]  # those of them that it is a multiple of: where one is 0, it is
    shares: tuple[Compiled, ...]  # what it is a multiple of that the document's own quantities alone decide
    is_of_first: bool  # it is 0 below the first hit

    def is_nothing(self, block: Sequence[Kind], hits_above: Fraction | int) -> bool:
        """Tell whether no document of a block adds anything."""
        if self.is_of_first and (hits_above or not any(kind.hit for kind in block)):
            return True
        if len(block) == 1:
            return self.is_nothing_anywhere(block[0])
        return any(not any(getattr(kind, name) for kind in block) for name in self.factors)

    @cached_property
    def is_nothing_anywhere(self) -> Callable[[Kind], bool]:
        """Tell whether a document adds nothing, wherever it stands. Kept by kind: a list has many of a few."""
        return lru_cache(_KINDS)(lambda kind: any(share(kind._asdict()) == 0 for share in self.shares))

    @cached_property
    def factors_above(self) -> Mapping[algebra.Above, Callable[[Kind], Value]]:
        """Return what a document multiplies each product with. Kept by kind."""
        return {each: lru_cache(_KINDS)(partial(factor_of, each)) for each in self.products}

    @cached_property
    def products(self) -> list[algebra.Above]:
        """Return the products over the documents above."""
        return [each for each in self.means if isinstance(each, algebra.Above)]

    @cached_property
    def sums(self) -> list[str]:
        """Return the quantities that sum up what stands above."""
        return [each for each in (*self.numbers, *self.means) if each in DRAWN and isinstance(each, str)]

    def is_neutral(self, kind: Kind) -> bool:
        """Tell whether it is the same for a document below, whether one of this kind stands above it or not."""
        return (
            not any(DRAWN[name].weight(kind) for name in self.sums)
            and all(factor_of(product_, kind) == 1 for product_ in self.products)
            and not (kind.hit and "first" in self.means)
        )


OF_DOCUMENTS = frozenset(name for name, sign in algebra.SIGNS.items() if sign.scope is algebra.Scope.DOCUMENT)
PLACED = frozenset({"rank", "ideal_gained"})


@cache
def plan_of(term: algebra.Expression) -> MeanPlan:
    """Find out what a term depends on; `TypeError` where products above have a higher degree, and so no known mean."""
    used = algebra.names(term)
    variables: frozenset[algebra.Variable] = frozenset(used & {*DRAWN, "first"}) | {
        part for part in algebra.parts(term) if isinstance(part, algebra.Above)
    }
    numbers = (
        frozenset[algebra.Variable]()
        if algebra.degree(term, variables) <= 1
        else frozenset(each for each in variables if algebra.degree(term, frozenset({each})) > 1)
    )
    if algebra.degree(term, variables - numbers) > 1:
        numbers = variables
    if not numbers <= frozenset(DRAWN):
        raise TypeError(f"{term} has no mean over the orders of a block that is known")
    of_document = [
        factor
        for factor in algebra.factors(term)
        if algebra.names(factor)
        and algebra.names(factor) <= OF_DOCUMENTS
        and not any(isinstance(part, algebra.Above) for part in algebra.parts(factor))
    ]
    is_of_documents = not variables and not used & PLACED and algebra.degree(term, frozenset(OF_DOCUMENTS)) <= 1
    return MeanPlan(
        computed(term),
        used,
        variables - numbers,
        tuple(map(str, numbers)),
        is_of_documents,
        own=tuple(name for name in Kind._fields if name in used),
        factors=tuple(name for name in Kind._fields if algebra.has_factor(term, name)),
        shares=tuple(map(computed, of_document)),
        is_of_first=algebra.has_factor(term, "first"),
    )


def factor_of(product_: algebra.Above, kind: Kind) -> Value:
    """Return what a document multiplies a product over the documents above with."""
    return computed(product_.factor)(kind._asdict())


# ---- Means of products over the orders of a tie


def means_of_products(factors: Sequence[Fraction | int], most: int) -> list[Fraction]:
    """Return the mean products of 0, 1, 2, ... of the factors, at most so many."""
    sums, scale = _sums_of_products(factors, most)
    means, orders = [], 1
    for size, summed in enumerate(sums):
        means.append(Fraction(summed, orders * scale**size))
        orders = orders * (len(factors) - size) // (size + 1)
    return means


def _sums_of_products(factors: Sequence[Fraction | int], most: int) -> tuple[list[int], int]:
    """Return the sums of the products of 0, 1, 2, ... factors times a number, and that number: times its powers."""
    scale = lcm(*(factor.denominator for factor in factors))
    numbers = Counter(int(factor * scale) for factor in factors)
    below = [1]
    for factor in numbers:
        below = _times(below, factor)
    above = [0] * len(below)
    for factor, number in numbers.items():
        beside = [1]
        for other in numbers:
            beside = beside if other == factor else _times(beside, other)
        above = [one + number * factor * each for one, each in zip(above, [*beside, 0], strict=True)]
    sums = [1]
    for size in range(1, min(most, len(factors)) + 1):
        last = range(1, min(len(below), size + 1))
        added = sum(
            above[back - 1] * sums[size - back] - below[back] * (size - back) * sums[size - back] for back in last
        )
        sums.append(added // size)
    return sums, scale


def _times(polynomial: Sequence[int], factor: int) -> list[int]:
    """Multiply a polynomial by 1 + factor * x."""
    return [one + factor * other for one, other in zip([*polynomial, 0], [0, *polynomial], strict=True)]


SHOWN_BY_PLACES = 32
"""The documents of a block whose places are terms by themselves, as a derivation shows them, if they are so few."""


@dataclass
class _Standing:
    plan: MeanPlan
    documents: int = 0
    hits: Fraction | int = 0

    def __post_init__(self) -> None:
        self.sums: dict[str, Fraction | int] = dict.fromkeys(self.plan.sums, 0)
        self.products: dict[algebra.Above, Value] = dict.fromkeys(self.plan.products, Fraction(1))

    def add(self, block: Sequence[Kind]) -> None:
        """Put a block above the next one."""
        self.documents += len(block)
        for kind in block:
            self.hits += kind.hit
            for name in self.sums:
                self.sums[name] += DRAWN[name].weight(kind)
            for each, factor in self.plan.factors_above.items():
                if (multiplied := factor(kind)) != 1:
                    self.products[each] *= multiplied


class ListTerms(NamedTuple):
    """The terms of a list."""

    term: algebra.Expression  # what a document adds, without choices and parameters
    quantities: dict[str, Any]  # those of the list, by name
    # rank - 1 -> the gain of the ideal ranking down to there; the last one holds for all further ranks
    ideal_gained: Sequence[Fraction | int] = (0,)
    is_grouped: bool = False  # a block is one operating point
    limit: int | None = None  # the ranks that count, where a block reaches beyond them
    is_at_middle: bool = False  # the point is at the mean rank of the block (`ties=mid-rank`), not at its end

    @clause("ranking.ties.expected", "ranking.ties.grouped", "ranking.ties.mid-rank")
    def of_blocks(self, blocks: Sequence[Sequence[Kind]]) -> Iterator[list[Term]]:
        """Yield the terms that each block adds."""
        plan = plan_of(self.term)
        above = _Standing(plan)
        self.states(blocks)
        for before, block in pairwise([(), *blocks]):
            above.add(before)
            if len(block) == 1 or self.is_grouped or plan.is_of_documents:
                is_nothing = plan.is_nothing(block, above.hits)
                yield [_as_term(term)] if not is_nothing and (term := plan.term(self._point(block, above))) else []
            else:
                yield [] if plan.is_nothing(block, above.hits) else list(self._in_random_order(block, above))

    def states(self, blocks: Sequence[Sequence[Kind]], others: int = 0) -> int:
        """Return the states that its ties are summed over, with `others`; `InputError` for too many."""
        plan = plan_of(self.term)
        above, number = _Standing(plan), others
        if self.is_grouped or not plan.numbers:
            return number
        for before, block in pairwise([(), *blocks]):
            above.add(before)
            room = self._room(block, above)
            for kind in {kind for kind in block if not plan.is_nothing([kind], above.hits)} if len(block) > 1 else ():
                others_of_block = self._others(kind, block, plan, room)
                places = min(room, len(others_of_block) + 1)
                sizes = _Pool(plan, others_of_block).sizes[:-1]
                number += places * prod(min(size, places - 1) + 1 for size in sizes)
                TIE_STATES.require(number, "states or more")
        return number

    def _room(self, block: Sequence[Kind], above: _Standing) -> int:
        return len(block) if self.limit is None else min(len(block), self.limit - above.documents)

    def spans(self, blocks: Sequence[Sequence[Kind]], expression: algebra.Expression) -> Iterator[list[Value]]:
        """Yield what an expression is in each block: one value, or those at the first and at the last of its documents.

        What is of a document alone has a value for each document of a block.
        """
        plan, reading = plan_of(self.term), plan_of(expression)
        above = _Standing(reading)
        for block in blocks:
            hit = next((kind for kind in block if kind.hit), None)
            if not reading.names - OF_DOCUMENTS - set(self.quantities) and not reading.products:
                yield [reading.term({**self.quantities, **kind._asdict()}) for kind in block]
            elif len(block) == 1 or self.is_grouped or plan.is_of_documents:
                yield [reading.term(self._point(block, above))]
            else:
                first = self._place(above.documents + 1, hit or block[0], reading) | above.products
                end = above.documents + len(block)
                end = end if self.limit is None else min(end, self.limit)
                last = self._place(end, hit or block[0], reading) | above.products
                for name, before in above.sums.items():
                    drawn = DRAWN[name]
                    own = drawn.weight(hit or block[0])
                    inside = sum(map(drawn.weight, block))
                    first[name] = before + drawn.own(hit or block[0])
                    last[name] = before + inside - (0 if drawn.is_inclusive else own)
                ends = [reading.term(first), reading.term(last)]
                yield (
                    ends[:1] if ends[0] == ends[1] or ("hit" in plan.factors and not hit) else [ends[0], "to", ends[1]]
                )
            above.add(block)

    def _point(self, block: Sequence[Kind], above: _Standing) -> dict[Any, Value]:
        """Return the quantities of an operating point, whose documents count together."""
        own = block[0] if len(block) == 1 else Kind(*map(sum, zip(*block, strict=True)))
        if self.limit is not None and (room := self.limit - above.documents) < len(block):
            own = Kind(*(each * Fraction(room, len(block)) for each in own))
        rank = Fraction(len(block) + 1, 2) if self.is_at_middle else len(block)
        place = self._place(above.documents + rank, own, above.plan) | above.products
        for name, before in above.sums.items():
            drawn = DRAWN[name]
            place[name] = before + (sum(map(drawn.weight, block)) if drawn.is_inclusive else 0)
        place["first"] = int(own.hit > 0 and not above.hits)
        return place

    def _place(self, rank: int | Fraction, own: Kind, plan: MeanPlan) -> dict[Any, Value]:
        """Return the quantities of a place that a term has, but for what stands above it."""
        place: dict[Any, Value] = {name: getattr(own, name) for name in plan.own}
        place["rank"] = rank
        place["ideal_gained"] = self.ideal_gained[min(int(rank), len(self.ideal_gained)) - 1]
        return self.quantities | place

    def _in_random_order(self, block: Sequence[Kind], above: _Standing) -> Iterator[Term]:
        plan = above.plan
        room = self._room(block, above)
        if not plan.means and not plan.numbers:
            mean = Kind(**{name: Fraction(sum(getattr(kind, name) for kind in block), len(block)) for name in plan.own})
            kinds = (
                [(mean, len(block))] if algebra.degree(self.term, OF_DOCUMENTS) <= 1 else list(Counter(block).items())
            )
            for place in range(room):
                for kind, number in kinds:
                    term = plan.term(self._place(above.documents + place + 1, kind, plan))
                    yield from _shares(term, Fraction(number, len(block)))
            return
        by_place: dict[int, list[Term]] = {place: [] for place in range(room)}
        is_shown_by_places = len(block) <= SHOWN_BY_PLACES
        for kind, number in Counter(block).items():
            if not plan.is_nothing([kind], above.hits):
                for place, chance, term in self._of_kind(kind, block, above, room):
                    by_place[place if is_shown_by_places else 0].extend(_shares(term, number * chance))
        for terms in by_place.values():
            rational = [term for term in terms if isinstance(term, Fraction)]
            if rational:
                yield sum_of_fractions(rational)
            yield from (term for term in terms if not isinstance(term, Fraction))

    @staticmethod
    def _others(kind: Kind, block: Sequence[Kind], plan: MeanPlan, room: int) -> list[Kind]:
        """Return the other documents of a block; where no rank matters, those that matter to one of a kind."""
        others = list(block)
        others.remove(kind)
        if not plan.names & PLACED and room >= len(block):
            others = [other for other in others if not plan.is_neutral(other)]
        return others

    def _of_kind(
        self, kind: Kind, block: Sequence[Kind], above: _Standing, room: int
    ) -> Iterator[tuple[int, Fraction, Value]]:
        """Yield the places that a document can have, what it adds there, and the chance of that."""
        plan = above.plan
        others = self._others(kind, block, plan, room)
        factors_of = plan.factors_above.items()
        means = {each: means_of_products([factor(other) for other in others], room) for each, factor in factors_of}
        without_hits = means_of_products([int(not other.hit) for other in others], room if "first" in plan.means else 0)
        share = Fraction(1, len(others) + 1)
        pool, places = _Pool(plan, others), min(room, len(others) + 1)
        outside = {name: summed + DRAWN[name].own(kind) for name, summed in above.sums.items()}
        for place in range(places):
            known = self._place(above.documents + place + 1, kind, plan)
            for each, products in means.items():
                known[each] = above.products[each] * products[place]
            if "first" in plan.means:
                known["first"] = 0 if above.hits else kind.hit * without_hits[place]
            for chance, drawn in pool.draws(place):
                for name, inside in drawn.items():
                    known[name] = outside[name] + inside
                yield place, share * chance, plan.term(known)


class _Pool:
    """The other documents of a block, of which some stand above one, in groups of the same `plan.numbers`."""

    def __init__(self, plan: MeanPlan, others: Sequence[Kind]) -> None:
        groups: dict[tuple[Fraction | int, ...], list[Kind]] = {}
        for kind in others:
            groups.setdefault(tuple(DRAWN[name].weight(kind) for name in plan.numbers), []).append(kind)
        members = sorted(groups.values(), key=len) or [[]]  # the largest last: what is drawn of it follows
        self.sizes = [len(each) for each in members]
        self.weights: dict[str, list[Fraction | int]] = {
            name: [_mean([DRAWN[name].weight(kind) for kind in each]) for each in members] for name in plan.sums
        }

    def draws(self, size: int) -> Iterator[tuple[Fraction, dict[str, Fraction | int]]]:
        """Yield what `size` documents can sum up to, with the chance of each."""
        # Of the quantities in `plan.means` they are the means, given the numbers of the others.
        if len(self.sizes) == 1:
            yield Fraction(1), {name: size * weights[0] for name, weights in self.weights.items()}
            return
        orders = comb(sum(self.sizes), size)
        for taken in product(*(range(min(each, size) + 1) for each in self.sizes[:-1])):
            last = size - sum(taken)
            if 0 <= last <= self.sizes[-1]:
                drawn = (*taken, last)
                ways = prod(map(comb, self.sizes, drawn))
                sums = {name: sum(map(operator.mul, drawn, each)) for name, each in self.weights.items()}
                yield Fraction(ways, orders), sums


def _mean(numbers: Sequence[Fraction | int]) -> Fraction | int:
    return numbers[0] if len(set(numbers)) == 1 else Fraction(sum(numbers), len(numbers) or 1)


def _as_term(value: Value) -> Term:
    return value if isinstance(value, Discounted) else Fraction(value)


def _shares(value: Value, chance: Fraction) -> Iterator[Term]:
    """Yield a value times its chance, unless it is 0."""
    if value:
        yield _as_term(value * chance)
