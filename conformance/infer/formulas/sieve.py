"""Formulas are sifted in doubles: of some millions those are kept that give the answers to a few lists.

Terms, places and combinations make up one table of numbers, divisors and factors another; products of a row of each are
compared with the answers, list after list. The grammar and the lists alone decide what is tried, so it is the same at
every call: three parts that differ from the plain formula at most, one of them the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from rankspec.conformance.infer.formulas.arithmetic import Numbers, over
from rankspec.conformance.infer.formulas.formula import Formula, Grammar, Looking
from rankspec.conformance.infer.formulas.lists import Edit, IdealList, Numbering, Query
from rankspec.conformance.infer.formulas.sight import Quantity, Sight
from rankspec.conformance.infer.formulas.sums import COMBINATIONS, PLACES, SUM, Combination, Places

_MOST = 6
"""The highest cost of a formula: 2 for each part that differs, 1 where that is a convention's."""
_MOST_KEPT = 150
"""The plainest stay; what is left is told apart by further questions, each of which evaluates all of them."""
_SIFTED_BY = 16
"""So many lists sift; what is left is compared with the others."""


@dataclass(frozen=True, eq=False)
class Answered:
    """A list without ties, and the number that came for it."""

    query: Query
    value: float


@dataclass(frozen=True)
class _Sum:
    """A row of the first table."""

    term: Quantity
    places: Places
    combination: Combination
    cost: int


@dataclass(frozen=True)
class _Shares:
    """A row of the second table."""

    divisor: Quantity | None
    factor: Quantity
    cost: int


@dataclass(frozen=True, eq=False)
class _Plan:
    """The first table: what is added, where, and how it is put together; up to a cost."""

    most: int
    terms: tuple[Quantity, ...]
    steps: tuple[tuple[Places, Combination, list[int]], ...]
    rows: tuple[_Sum, ...]
    costs: Numbers

    def totals(self, x: Sight) -> Numbers:
        """Return its numbers for some lists, a row for each row."""
        added = np.stack([np.broadcast_to(np.asarray(each.of(x), dtype=float), x.there.shape) for each in self.terms])
        where = {places: places.of(x) for places, _, _ in self.steps}
        return np.concatenate(
            [
                combination.of(added if len(chosen) == len(added) else added[chosen], where[places])
                for places, combination, chosen in self.steps
            ]
        )


class Sieve:
    """Some answers, and the formulas that give them."""

    def __init__(self, grammar: Grammar, answered: Sequence[Answered], tolerance: float) -> None:
        """Take what is searched, the answers, and how far a number may be off relative to the greater of it and 1."""
        self._grammar = grammar
        self._answered = answered
        self._tolerance = tolerance
        telling = sorted(answered, key=lambda each: -_worth(each.query))
        self._sifting = telling[:_SIFTED_BY]
        self._plans: dict[int, _Plan] = {}
        self._shares = _shares(grammar)
        self._share_costs = np.array([each.cost for each in self._shares])
        self._is_undivided = np.array([each.divisor is None for each in self._shares])

    def kept(self) -> list[Formula]:
        """Return formulas that give all answers, those first that are nearest to the plain one.

        A change of the list is tried where no other part that differs does.
        """
        with np.errstate(all="ignore"):  # what is too large for a double is not an answer
            return self._kept()

    def _kept(self) -> list[Formula]:
        plain = self._grammar.plain.looking
        found = [*self._of([(plain, 0)]), *self._with_other_ideals()]
        if not any(self._grammar.cost(each) <= 2 for each in found):  # noqa: PLR2004
            found = sorted([*found, *self._of(self._single_looks())], key=self._grammar.cost)
        return found

    def _with_other_ideals(self) -> list[Formula]:
        """Return formulas that add something else in the ideal list than in the list."""
        grammar, plain = self._grammar, self._grammar.plain
        if not isinstance(plain.divisor, IdealList):
            return []
        terms = [each for each in grammar.terms if grammar.cost_of_term(each) <= 2]  # noqa: PLR2004
        queries = [each.query for each in self._sifting]
        answers = np.array([each.value for each in self._sifting])
        x = plain.looking.sight(queries)
        tops = _added(terms, x, plain.places.of(x))
        found = []
        for ideal in (each for each in grammar.ideals if grammar.cost_of_divisor(each) <= 1 and each.above is None):
            best, _ = plain.looking.ideal_sights(ideal, queries)
            bottoms = _added(terms, best, plain.places.of(best))
            ratios = over(tops[:, None], bottoms[None])
            for one, other in np.argwhere(self._is_near(ratios, answers).all(axis=-1)).tolist():
                if terms[one] is not terms[other]:
                    found.append(replace(plain, term=terms[one], divisor=ideal, ideal_term=terms[other]))
        found = [each for each in found if self.gives_all(each, self._answered)]
        return sorted(found, key=grammar.cost)[:_MOST_KEPT]

    def _of(self, looks: Iterable[tuple[Looking, int]]) -> list[Formula]:
        """Return what is kept, of several ways to look at a list."""
        found: list[tuple[int, Formula]] = []
        for looking, cost in looks:
            found += [(cost + more, formula) for more, formula in self._sifted(looking, cost)]
        usual = self._grammar.plain.factor
        found.sort(key=lambda pair: (pair[0], pair[1].factor is not usual))
        return [formula for _, formula in found[:_MOST_KEPT] if self.gives_all(formula, self._answered)]

    def gives_all(self, formula: Formula, answered: Sequence[Answered]) -> bool:
        """Tell whether a formula gives some answers."""
        values = formula.values([each.query for each in answered]).astype(float)
        return all(self._is_near(value, each.value) for value, each in zip(values, answered, strict=True))

    def _is_near(self, values: Any, answer: Any) -> Any:
        return np.abs(values - answer) <= self._tolerance * np.maximum(1.0, np.abs(answer))

    def _looks(self) -> list[tuple[str, Any]]:
        grammar = self._grammar
        parts: list[tuple[str, Sequence[Edit | Numbering]]] = [
            ("before", grammar.edits),
            ("cut", grammar.cuts),
            ("numbering", grammar.numberings),
        ]
        if any(each.query.k is not None for each in self._answered):
            parts.append(("after", grammar.edits))
        return [(part, each) for part, offered in parts for each in offered if not each.of_ties]

    def _single_looks(self) -> Iterator[tuple[Looking, int]]:
        plain = self._grammar.plain.looking
        for part, each in self._looks():
            yield replace(plain, **{part: each}), 2

    # ---- One way to look at a list

    def _sifted(self, looking: Looking, cost: int) -> list[tuple[int, Formula]]:
        """Return the formulas that give the sifting answers, with what they cost besides the list."""
        queries = [each.query for each in self._sifting]
        most = _MOST - cost
        x = looking.sight(queries)
        ratios = self._ratios(x)
        found: list[tuple[int, Formula]] = []
        ideals: list[IdealList | None] = [None]
        if not cost or isinstance(self._grammar.plain.divisor, IdealList):
            ideals += self._grammar.ideals
        made: dict[int, Numbers] = {}
        for ideal in ideals:
            spent = 0 if ideal is None else self._grammar.cost_of_divisor(ideal)
            if spent > most:
                continue
            plan = self._plan(most - spent)
            if plan.most not in made:
                made[plan.most] = plan.totals(x)
            totals = made[plan.most]
            if ideal is not None:
                totals = _over(ideal, looking, queries, totals, plan)
            for of_sum, of_shares in product(range(plan.most + 1), range(plan.most + 1)):
                if of_sum + of_shares > plan.most:
                    continue
                first = np.flatnonzero(plan.costs == of_sum)
                second = np.flatnonzero((self._share_costs == of_shares) & (self._is_undivided == (ideal is not None)))
                for one, other in self._agreeing(totals[first], ratios[second]):
                    row, share = plan.rows[first[one]], self._shares[second[other]]
                    divisor = share.divisor or ideal
                    if divisor is not None:
                        formula = Formula(row.term, row.places, divisor, share.factor, row.combination, looking)
                        found.append((spent + of_sum + of_shares, formula))
        return found

    def _agreeing(self, totals: Numbers, ratios: Numbers) -> Iterator[tuple[int, int]]:
        if not len(totals) or not len(ratios):
            return
        near = self._is_near(np.outer(totals[:, 0], ratios[:, 0]), self._sifting[0].value)
        ones, others = np.nonzero(near)
        for place, each in enumerate(self._sifting[1:], start=1):
            left = self._is_near(totals[ones, place] * ratios[others, place], each.value)
            ones, others = ones[left], others[left]
        yield from zip(ones.tolist(), others.tolist(), strict=True)

    def _plan(self, most: int) -> _Plan:
        if most not in self._plans:
            self._plans[most] = _plan(self._grammar, most)
        return self._plans[most]

    def _ratios(self, x: Sight) -> Numbers:
        """Return the second table: factors over divisors; and factors alone, where an ideal list divides."""
        factors = np.stack([each.of(x)[:, 0] for each in self._grammar.factors])
        divisors = np.stack([each.of(x)[:, 0] for each in self._grammar.divisors])
        ratios = over(factors[None], divisors[:, None]).reshape(-1, factors.shape[1])
        return np.concatenate([factors, ratios])


def _added(terms: Sequence[Quantity], x: Sight, where: Numbers) -> Numbers:
    """Return the sums of some terms."""
    added = np.stack([np.broadcast_to(np.asarray(each.of(x), dtype=float), where.shape) for each in terms])
    return SUM.of(added, where)


def _plan(grammar: Grammar, most: int) -> _Plan:
    plain = grammar.plain
    costed = [(each, grammar.cost_of_term(each)) for each in grammar.terms]
    costed = [(each, cost) for each, cost in costed if cost <= most]
    rows: list[_Sum] = []
    steps = []
    for places, combination in product(PLACES, COMBINATIONS):
        more = 2 * (places is not plain.places) + 2 * (combination is not plain.combination)
        chosen = [place for place, (_, cost) in enumerate(costed) if cost + more <= most]
        if chosen and not (places.is_one and combination is not plain.combination):
            steps.append((places, combination, chosen))
            rows += [_Sum(costed[place][0], places, combination, costed[place][1] + more) for place in chosen]
    terms = tuple(each for each, _ in costed)
    return _Plan(most, terms, tuple(steps), tuple(rows), np.array([row.cost for row in rows]))


def _shares(grammar: Grammar) -> list[_Shares]:
    costs = [(factor, 2 * (factor is not grammar.plain.factor)) for factor in grammar.factors]
    alone = [_Shares(None, factor, cost) for factor, cost in costs]
    divided = [(divisor, grammar.cost_of_divisor(divisor)) for divisor in grammar.divisors]
    return [*alone, *(_Shares(divisor, factor, more + cost) for divisor, more in divided for factor, cost in costs)]


def _over(ideal: IdealList, looking: Looking, queries: Sequence[Query], totals: Numbers, plan: _Plan) -> Numbers:
    best, worst = looking.ideal_sights(ideal, queries)
    least: Any = 0 if worst is None else plan.totals(worst)
    return over(totals - least, plan.totals(best) - least)


def _worth(query: Query) -> int:
    """Return how much a list tells: one on which no two sizes are the same."""
    hits = sum(row.gain > 0 for row in query.rows[: query.k])
    sizes = {hits, query.relevant, len(query.rows), query.k, sum(row.gain > 0 for row in query.rows)}
    short = len(query.rows) <= 12  # noqa: PLR2004
    return 10 * short + 2 * len(sizes) + (hits > 1) + (query.relevant > hits) + (hits < len(query.rows))
