"""The exact reading of a definition: what each block of a list adds, in the mean over its orders.

In a block of undecided order every document is at every place with equal chance, and what stands above it is drawn
from the others without replacement. `plans.py` says what of it the mean of a term needs.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, lcm, prod
from typing import Any, NamedTuple

from rankspec.oracle.clauses import clause
from rankspec.oracle.definitions.expression import Above, Expression, degree, names
from rankspec.oracle.limits import TIE_STATES
from rankspec.oracle.measures.plans import DRAWN, OF_DOCUMENTS, PLACED, Plan, factor_of, plan_of
from rankspec.oracle.measures.terms import Discounted, Kind, Term, Value, computed
from rankspec.oracle.reals.real import sum_of_fractions

# ---- Means of quotients over the orders of a tie


@dataclass(frozen=True)
class _Steps:
    """Consecutive steps: G becomes (t G + u) / q, and S grows by (x G + y) / (q d), of the G before them."""

    t: int
    u: int
    q: int
    x: int
    y: int
    d: int

    def then(self, other: _Steps) -> _Steps:
        """Return these steps followed by others."""
        d = lcm(self.d, other.d)
        mine, others = d // self.d * other.q, d // other.d
        return _Steps(
            other.t * self.t,
            other.t * self.u + other.u * self.q,
            self.q * other.q,
            self.x * mine + other.x * self.t * others,
            self.y * mine + (other.x * self.u + other.y * self.q) * others,
            d,
        )


def sum_of_inverse_means(weights: Sequence[Fraction], marked: int, drawn_from: int, offset: Fraction) -> Fraction:
    """Return the sum of weights[p] times the mean of 1/(offset + s), p = 0, 1, ... of m documents drawn, j marked."""
    if not weights:
        return Fraction(0)
    a, scale = offset.numerator, offset.denominator
    unmarked = drawn_from - marked
    steps = []
    for p, weight in enumerate(weights[1:], start=1):
        t = -((p - 1 - unmarked) * scale + a) * p
        u, q = (drawn_from + 1) * scale, (drawn_from + 1 - p) * (p * scale + a)
        steps.append(_Steps(t, u, q, weight.numerator * t, weight.numerator * u, weight.denominator))
    while len(steps) > 1:
        steps = [
            steps[place].then(steps[place + 1]) if place + 1 < len(steps) else steps[place]
            for place in range(0, len(steps), 2)
        ]
    first = weights[0] / offset
    if not steps:
        return first
    whole = steps[0]
    return first + Fraction(whole.x * scale + whole.y * a, whole.q * whole.d * a)


# ---- Means of products over the orders of a tie


def means_of_products(factors: Sequence[Fraction | int], most: int) -> list[Fraction]:
    """Return the mean products of 0, 1, 2, ... of the factors, at most so many."""
    sums, scale = _sums_of_products(factors, most)
    means, orders = [], 1
    for size, summed in enumerate(sums):
        means.append(Fraction(summed, orders * scale**size))
        orders = orders * (len(factors) - size) // (size + 1)
    return means


def sum_of_product_means(weights: Sequence[Fraction], factors: Sequence[Fraction | int]) -> Fraction:
    """Return the sum of weights[p] times the mean product of p of the m factors, for p = 0, 1, ..., m at most."""
    # All numbers C(m, p) divide L = lcm(1, ..., m + 1) / (m + 1) (Farhi 2009), so that the terms have a denominator
    # with O(m) digits in common: as many additions of such numbers as there are weights, and one gcd.
    sums, scale = _sums_of_products(factors, len(weights) - 1)
    common = lcm(*(weight.denominator for weight in weights))
    drawn_from = len(factors)
    multiple = lcm(*range(1, drawn_from + 2)) // (drawn_from + 1)
    share, total = multiple, 0
    for size, (weight, summed) in enumerate(zip(weights, sums, strict=True)):
        total = total * scale + weight.numerator * (common // weight.denominator) * share * summed
        share = share * (size + 1) // max(drawn_from - size, 1)
    return Fraction(total, common * multiple * scale ** (len(weights) - 1))


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
_FIXING = 3  # The points that fix a polynomial of degree 2


@dataclass
class _Standing:
    """What stands above a block."""

    plan: Plan
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
                self.sums[name] += DRAWN[name].weight(kind)
            for each, factor in self.plan.factors_above.items():
                if (multiplied := factor(kind)) != 1:
                    self.products[each] *= multiplied


class ListTerms(NamedTuple):
    """The terms of a list."""

    term: Expression  # what a document adds, without choices and parameters
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
        for block in blocks:
            if len(block) == 1 or self.is_grouped or plan.is_of_documents:
                yield [_as_term(term)] if (term := self._at_point(block, above)) else []
            else:
                yield [] if plan.is_nothing(block, above.hits) else list(self._in_random_order(block, above))
            above.add(block)

    def states(self, blocks: Sequence[Sequence[Kind]], others: int = 0) -> int:
        """Return the states walked through where no closed form is known, with `others`; `InputError` for too many."""
        plan = plan_of(self.term)
        above, number = _Standing(plan), others
        if self.is_grouped or not plan.numbers:
            return number
        for block in blocks:
            kinds = {kind for kind in block if not plan.is_nothing([kind], above.hits)} if len(block) > 1 else ()
            for kind in kinds:
                if _Divisor.of(kind, block, above, self.quantities) is None:
                    others_of_block = self._others(kind, block, plan, self._room(block, above))
                    places = min(self._room(block, above), len(others_of_block) + 1)
                    sizes = _Pool(plan, others_of_block).sizes[:-1]
                    number += places * prod(min(size, places - 1) + 1 for size in sizes)
                    TIE_STATES.require(number, "states or more")
            above.add(block)
        return number

    def _room(self, block: Sequence[Kind], above: _Standing) -> int:
        """Return how many places of a block count."""
        return len(block) if self.limit is None else min(len(block), self.limit - above.documents)

    def spans(self, blocks: Sequence[Sequence[Kind]], shown: Expression) -> Iterator[list[Value]]:
        """Yield what an expression is in each block: one value, or those at the first and at the last of its documents.

        What is of a document alone has a value for each document of a block.
        """
        plan, reading = plan_of(self.term), plan_of(shown)
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

    def _at_point(self, block: Sequence[Kind], above: _Standing) -> Value:
        """Return what an operating point adds, whose documents count together."""
        if above.plan.is_nothing(block, above.hits):
            return 0
        return above.plan.term(self._point(block, above))

    def _point(self, block: Sequence[Kind], above: _Standing) -> dict[Any, Value]:
        """Return the quantities of an operating point."""
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

    def _place(self, rank: int | Fraction, own: Kind, plan: Plan) -> dict[Any, Value]:
        """Return the quantities of a place that a term has, but for what stands above it."""
        place: dict[Any, Value] = {name: getattr(own, name) for name in plan.own}
        place["rank"] = rank
        place["ideal_gained"] = self.ideal_gained[min(int(rank), len(self.ideal_gained)) - 1]
        return self.quantities | place

    def _in_random_order(self, block: Sequence[Kind], above: _Standing) -> Iterator[Term]:
        """Yield the terms of a block whose documents are in any order."""
        plan = above.plan
        room = self._room(block, above)
        if not plan.means and not plan.numbers:
            mean = Kind(**{name: Fraction(sum(getattr(kind, name) for kind in block), len(block)) for name in plan.own})
            kinds = [(mean, len(block))] if degree(self.term, OF_DOCUMENTS) <= 1 else list(Counter(block).items())
            for place in range(room):
                for kind, number in kinds:
                    term = plan.term(self._place(above.documents + place + 1, kind, plan))
                    yield from _shares(term, Fraction(number, len(block)))
            return
        by_place: dict[int, list[Term]] = {place: [] for place in range(room)}
        for kind, number in Counter(block).items():
            if not plan.is_nothing([kind], above.hits):
                if (whole := self._over_all_places(kind, block, above, room)) is not None:
                    yield number * whole
                    continue
                for place, chance, term in self._of_kind(kind, block, above, room):
                    by_place[place].extend(_shares(term, number * chance))
        for terms in by_place.values():
            rational = [term for term in terms if isinstance(term, Fraction)]
            if rational:
                yield sum_of_fractions(rational)
            yield from (term for term in terms if not isinstance(term, Fraction))

    def _over_all_places(self, kind: Kind, block: Sequence[Kind], above: _Standing, room: int) -> Fraction | None:
        """Return what a document adds on average over all its places, if a closed form is known that is worth it."""
        by_inverse = self._by_inverse(kind, block, above, room)
        if by_inverse is not None or len(block) <= SHOWN_BY_PLACES:
            return by_inverse
        return self._by_product(kind, block, above, room)

    def _by_product(self, kind: Kind, block: Sequence[Kind], above: _Standing, room: int) -> Fraction | None:
        """Return the same where a product over the documents above is all that the term needs of them."""
        # The term is linear in it: what it is for products of 0 and 1 says what it is for the mean. None where the term
        # depends on something else above, or is over a logarithm.
        plan = above.plan
        if plan.numbers or len(plan.means) != 1 or plan.means & {*DRAWN}:
            return None
        (product_,) = plan.means
        others = self._others(kind, block, plan, room)
        if isinstance(product_, Above):
            before, factors = above.products[product_], [factor_of(product_, other) for other in others]
        else:
            before, factors = int(kind.hit and not above.hits), [int(not other.hit) for other in others]
        weights, constant = [], 0
        for place in range(min(room, len(others) + 1)):
            known = self._place(above.documents + place + 1, kind, plan)
            without, within = (plan.term(known | {product_: each}) for each in (0, before))
            if isinstance(without, Discounted) or isinstance(within, Discounted):
                return None
            weights.append(Fraction(within - without))
            constant += without
        return Fraction(constant + sum_of_product_means(weights, factors)) / (len(others) + 1)

    @staticmethod
    def _others(kind: Kind, block: Sequence[Kind], plan: Plan, room: int) -> list[Kind]:
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
        means = {each: means_of_products([factor_of(each, other) for other in others], room) for each in above.products}
        without_hits = means_of_products([int(not other.hit) for other in others], room if "first" in plan.means else 0)
        share = Fraction(1, len(others) + 1)
        pool, places = _Pool(plan, others), min(room, len(others) + 1)
        for place in range(places):
            known = self._place(above.documents + place + 1, kind, plan)
            for each, products in means.items():
                known[each] = above.products[each] * products[place]
            if "first" in plan.means:
                known["first"] = 0 if above.hits else kind.hit * without_hits[place]
            for chance, drawn in pool.draws(place):
                for name, inside in drawn.items():
                    known[name] = above.sums[name] + inside + DRAWN[name].own(kind)
                yield place, share * chance, plan.term(known)

    def _by_inverse(self, kind: Kind, block: Sequence[Kind], above: _Standing, room: int) -> Fraction | None:
        """Return what a document adds on average over all its places, by the means of 1/(a + s)."""
        # Of the other documents, s above count in the divisor. Given s and how many stand above in all, these and the
        # rest are drawn independently; the term is linear in what the rest sums up to, so that the mean of it does.
        # Times the divisor the term is then a polynomial of degree 2 in s, which its values for s = 0, 1 and 2 fix.
        # None where the term has no such divisor, too few documents count in it, or they count differently.
        plan, divisor = above.plan, _Divisor.of(kind, block, above, self.quantities)
        if divisor is None:
            return None
        size, share = len(block) - 1, Fraction(1, len(block))
        draws = [list(_Pool(plan, divisor.counted).draws(number)) for number in range(_FIXING)]
        weights, means = [], []
        for place in range(min(room, size + 1)):
            known = self._place(above.documents + place + 1, kind, plan)
            products = [
                (divisor.offset + number)
                * sum(chance * plan.term(known | divisor.sums(sums, place - number)) for chance, sums in draws[number])
                for number in range(_FIXING)
            ]
            square = (products[2] - 2 * products[1] + products[0]) / 2
            linear = products[1] - products[0] - square * (1 + divisor.offset)
            weights.append(share * (products[0] - divisor.offset * linear))
            means.append(share * (linear + square * Fraction(place * len(divisor.counted), size)))
        inverses = sum_of_inverse_means(weights, len(divisor.counted), size, divisor.offset)
        return sum_of_fractions([*means, inverses])


@dataclass(frozen=True)
class _Divisor:
    """The divisor of a term in a block: slope * (offset + s), s the documents above that count in it."""

    inside: frozenset[str]  # the quantities in it
    counted: Sequence[Kind]  # the other documents of the block that count in it
    offset: Fraction  # what it is before the block, over what a document counts
    before: Mapping[str, Fraction | int]  # what all quantities are before the block, with the document's own share
    beside: Mapping[str, Fraction | int]  # the mean of the rest's documents in each other quantity

    @classmethod
    def of(cls, kind: Kind, block: Sequence[Kind], above: _Standing, quantities: Mapping[str, Any]) -> _Divisor | None:
        """Return the divisor of a document's term; None where its numbers are no such sum."""
        plan = above.plan
        if plan.inverse is None:
            return None
        inside = names(plan.inverse) & {*plan.sums}
        others = list(block)
        others.remove(kind)
        weighed = {name: DRAWN[name].weight for name in plan.sums}
        counted = [other for other in others if any(weighed[name](other) for name in inside)]
        rest = [other for other in others if not any(weighed[name](other) for name in inside)]
        before = {name: above.sums[name] + DRAWN[name].own(kind) for name in plan.sums}
        divisor = computed(plan.inverse)
        known = {**quantities, **kind._asdict()}
        start = divisor(known | before)
        slopes = {
            divisor(known | {name: before[name] + weighed[name](other) for name in inside}) - start for other in counted
        }
        outside = [name for name in plan.sums if name not in inside]
        is_apart = not any(weighed[name](other) for name in outside for other in counted)
        if len(counted) < _FIXING - 1 or len(slopes) > 1 or not is_apart or min(start, *slopes) <= 0:
            return None
        beside = {name: _mean([weighed[name](other) for other in rest] or [0]) for name in outside}
        return cls(inside, counted, Fraction(start) / slopes.pop(), before, beside)

    def sums(self, drawn: Mapping[str, Fraction | int], rest: int) -> dict[Any, Value]:
        """Return the quantities where so much was drawn of those that count, and a number of the rest."""
        added = {name: drawn[name] for name in self.inside} | {name: rest * each for name, each in self.beside.items()}
        return {name: each + added[name] for name, each in self.before.items()}


class _Pool:
    """The other documents of a block, of which some stand above one, in groups of the same `plan.numbers`."""

    def __init__(self, plan: Plan, others: Sequence[Kind]) -> None:
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
    """Return the mean; the number itself where all are one."""
    return numbers[0] if len(set(numbers)) == 1 else Fraction(sum(numbers), len(numbers) or 1)


def _as_term(value: Value) -> Term:
    return value if isinstance(value, Discounted) else Fraction(value)


def _shares(value: Value, chance: Fraction) -> Iterator[Term]:
    """Yield a value times its chance, unless it is 0."""
    if value:
        yield _as_term(value * chance)
