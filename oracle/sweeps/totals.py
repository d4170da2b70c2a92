"""The value of a set of queries under every rule, given what each of its lists is worth.

The lists' areas take the time; the rules for undefined values, missing and unknown queries and the mean are arithmetic
on top of them. Rules that nothing in the data asks for are not varied, so no convention comes twice.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import compress, product
from operator import mul
from typing import NamedTuple, TypeVar

from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.evaluation import aggregate_exactly
from rankspec.oracle.measures.rules import RULES, Rule, rule_of_missing
from rankspec.oracle.values import Exact, Undefined, to_double


class Averaging(NamedTuple):
    """How the values of queries become one; `zero` says what keeps a geometric mean from being 0."""

    aggregate: axes.Aggregate
    zero: axes.GeometricZero = axes.GeometricZero.FLOOR


_PLAIN = tuple(
    each
    for each in axes.Aggregate
    if each not in {axes.Aggregate.GEOMETRIC, axes.Aggregate.MICRO, axes.Aggregate.RATIO}
)
AVERAGINGS = (*map(Averaging, _PLAIN), *(Averaging(axes.Aggregate.GEOMETRIC, zero) for zero in axes.GeometricZero))
"""All of them that take the mean of values, the default's first."""

Differences = tuple[tuple[str, Setting], ...]  # Axes with settings other than the default's


class ListScore(NamedTuple):
    """What one list with relevant documents is worth, rules for lists without hits left open."""

    number: Fraction  # the value that its orders with a hit bring, weighted by their probabilities
    hitless: Fraction  # the probability of an order without a hit (0 or 1 where the order is decided)


class Total(NamedTuple):
    """The value of the set under some rules."""

    differences: Differences  # where the rules differ from the default
    approximate: float  # the value as a double, NaN if it is undefined
    exact: Exact | None  # the exact value, where it is at hand
    later: Callable[[], Exact] | None = None  # returns the exact value, where it is not at hand

    def value(self) -> Exact:
        """Return the exact value."""
        if self.later is not None:
            return self.later()
        return self.exact if self.exact is not None else Undefined.NAN


def differences(**settings: Setting) -> Differences:
    """Return the settings that are not the default's."""
    return tuple((axis, setting) for axis, setting in settings.items() if setting is not getattr(DEFAULT, axis))


@dataclass(frozen=True)
class QueryWorths:
    """The queries of some data under one way to rank and measure them."""

    near: Sequence[float]  # what the queries of qrels and run that have relevant documents are worth, as doubles
    # the probability that the list of each of them shows no hit (0 or 1 where its order is decided)
    hitless: Sequence[Fraction]
    exactly: Callable[[], Iterable[ListScore]]  # returns the exact worths of these queries
    without_relevant: int  # how many queries of both have none
    missing: int  # how many queries with relevant documents are missing from the run
    missing_without_relevant: int  # how many of the others are
    unknown: int  # how many queries of the run the qrels do not name
    # how many relevant documents each query of `near` has, and how many all missing ones
    relevant: tuple[Sequence[int], int]
    is_set: bool = True  # they are a set, of which there is a mean; not a single list by itself

    def totals(self, averagings: Sequence[Averaging]) -> Iterator[Total]:
        """Yield the value under every combination of rules that the data asks for, errors left out."""
        for no_hits in _without_errors(axes.NoHits) if any(self.hitless) else [axes.NoHits.ZERO]:
            yield from self._under(no_hits, averagings)

    def _under(self, no_hits: axes.NoHits, averagings: Sequence[Averaging]) -> Iterator[Total]:
        ranked = self._ranked(no_hits)
        undefined = RULES[no_hits] is Undefined.NAN and any(self.hitless)
        for no_relevant, missing, unknown in self._rules():
            added = self._added(no_relevant, missing, unknown)
            nan = undefined or added[Undefined.NAN] > 0
            changed = differences(
                no_relevant=no_relevant, no_hits=no_hits, missing_query=missing, unknown_query=unknown
            )
            if not nan and not ranked.near and not list(_numbers(added)):
                # A geometric mean over no query is the same by another name.
                for rule in axes.EmptyMean if self.is_set else [axes.EmptyMean.NAN]:
                    if (value := RULES[rule]) is not Undefined.ERROR:
                        yield Total(changed + differences(empty_mean=rule), to_double(value), value)
                continue
            for averaging in averagings:
                if averaging.aggregate is axes.Aggregate.BY_RELEVANT:
                    rest = RULES[missing], 0 if RULES[missing] is Undefined.SKIP else self.relevant[1]
                    is_mean = len({*ranked.relevant}) == 1 and not [*_numbers(added)]
                    total = None if nan or is_mean else _by_relevant(changed, ranked, *rest)
                else:
                    total = _total(averaging, changed, ranked, added, nan=nan)
                if total is not None:
                    yield total

    def _ranked(self, rule: axes.NoHits) -> _Ranked:
        """Return what the lists that count are worth where those that may be without hits are under a rule."""
        value = RULES[rule]
        bonus = value if isinstance(value, Fraction) else Fraction(0)
        counting = [not hitless or value is not Undefined.SKIP for hitless in self.hitless]
        pairs = compress(zip(self.near, self.hitless, strict=True), counting)

        def exactly() -> list[Fraction]:
            return [each.number + bonus * each.hitless for each in compress(self.exactly(), counting)]

        near = [each + float(bonus * hitless) if hitless else each for each, hitless in pairs]
        return _Ranked(near, exactly, [*compress(self.relevant[0], counting)])

    def _rules(self) -> Iterator[tuple[axes.NoRelevant, axes.MissingQuery, axes.UnknownQuery]]:
        """Yield the rules for queries without relevant documents, missing and unknown ones that the data asks for."""
        every = [axes.NoRelevant.ZERO]
        if self.without_relevant:
            every = _without_errors(each for each in axes.NoRelevant if each is not axes.NoRelevant.RECIPROCAL)
        elif self.missing_without_relevant:  # it is worth nothing, whatever the rule, unless it is left out
            every.append(axes.NoRelevant.SKIP)
        unknown_rules = _without_errors(axes.UnknownQuery) if self.unknown else [axes.UnknownQuery.SKIP]
        for rule in every:
            is_missing = self.missing or (self.missing_without_relevant and rule is not axes.NoRelevant.SKIP)
            missing_rules = _without_errors(axes.MissingQuery) if is_missing else [axes.MissingQuery.ZERO]
            yield from product([rule], missing_rules, unknown_rules)

    def _added(
        self, no_relevant: axes.NoRelevant, missing: axes.MissingQuery, unknown: axes.UnknownQuery
    ) -> Counter[Exact]:
        """Return the values that the rules add, with their numbers."""
        added: Counter[Exact] = Counter()
        added[RULES[no_relevant]] += self.without_relevant
        added[RULES[missing]] += self.missing
        added[RULES[rule_of_missing(missing, no_relevant)]] += self.missing_without_relevant
        added[RULES[unknown]] += self.unknown
        return added


R = TypeVar("R", bound=Rule)


def _without_errors(rules: Iterable[R]) -> list[R]:
    return [rule for rule in rules if RULES[rule] is not Undefined.ERROR]


def _numbers(added: Counter[Exact]) -> Iterator[Fraction]:
    """Yield the numbers that rules add, each as often as they do."""
    return (value for value in added.elements() if isinstance(value, Fraction))


@dataclass(frozen=True)
class _Ranked:
    """What the ranked lists that count are worth."""

    near: Sequence[float]
    exactly: Callable[[], Sequence[Fraction]]
    relevant: Sequence[int]

    @cached_property
    def total(self) -> float:
        return math.fsum(self.near)


def _total(rule: Averaging, changed: Differences, ranked: _Ranked, added: Counter[Exact], *, nan: bool) -> Total | None:
    """Return the mean, None if it is the arithmetic one by another name."""
    changed += differences(aggregate=rule.aggregate, geometric_zero=rule.zero)

    def later() -> Exact:
        convention = replace(DEFAULT, aggregate=rule.aggregate, geometric_zero=rule.zero)
        return aggregate_exactly((*ranked.exactly(), *_numbers(added)), convention)

    match rule.aggregate:
        case axes.Aggregate.MEAN if nan:
            return Total(changed, math.nan, Undefined.NAN)
        case axes.Aggregate.GEOMETRIC if nan:
            return None
        case axes.Aggregate.MEAN:
            total, count = ranked.total, len(ranked.near)
            for value, number in added.items():
                if isinstance(value, Fraction):
                    total, count = total + float(value) * number, count + number
            return Total(changed, total / count, None, later=later)
        case axes.Aggregate.GEOMETRIC:
            numbers = list(_numbers(added))
            if len(ranked.near) + len(numbers) == 1:  # the mean of one value is the value, unless it is raised
                is_left = [*ranked.exactly(), *numbers][0] >= DEFAULT.geometric_floor
                if rule.zero in {axes.GeometricZero.ADDED_SUBTRACTED, axes.GeometricZero.FLOOR if is_left else None}:
                    return None
            near = near_root(rule.zero, float(DEFAULT.geometric_floor), [*ranked.near, *map(float, numbers)])
            return Total(changed, near, None, later=later)
        case _:
            exact = Undefined.NAN if nan else later()
            return Total(changed, to_double(exact), exact)


def _by_relevant(changed: Differences, ranked: _Ranked, missing: Exact, relevant_missing: int) -> Total | None:
    """Return the mean weighted by R, None if nothing weighs anything; queries without relevant documents weigh 0."""
    of_missing = missing if isinstance(missing, Fraction) else Fraction(0)
    whole = sum(ranked.relevant) + relevant_missing
    if not whole:
        return None

    def exactly() -> Exact:
        weights = [*map(Fraction, ranked.relevant), Fraction(relevant_missing)]
        return aggregate_exactly([*ranked.exactly(), of_missing], DEFAULT, weights)

    near = math.fsum(map(mul, ranked.relevant, ranked.near)) + relevant_missing * float(of_missing)
    return Total(changed + differences(aggregate=axes.Aggregate.BY_RELEVANT), near / whole, None, later=exactly)


def near_root(zero: axes.GeometricZero, floor: float, values: Sequence[float]) -> float:
    """Return the geometric mean as a double."""
    factors = [max(value, floor) if zero is axes.GeometricZero.FLOOR else value + floor for value in values]
    root = math.exp(math.fsum(map(math.log, factors)) / len(factors))
    return root - floor if zero is axes.GeometricZero.ADDED_SUBTRACTED else root
