"""What a set of queries is worth under every rule, given what each of its lists is worth.

The lists' areas take the time; the rules for undefined values, missing and unknown queries and the mean are arithmetic
on top of them. Rules that nothing in the data asks for are not varied, so no convention comes twice.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import NamedTuple

from rankspec.oracle.conventions.axes import (
    Aggregate,
    EmptyMean,
    GeometricZero,
    MissingQuery,
    NoHits,
    NoRelevant,
    UnknownQuery,
)
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import DEFAULT
from rankspec.oracle.evaluation import aggregate_exactly
from rankspec.oracle.measures.rules import RULES, rule_of_missing
from rankspec.oracle.sums import sum_of_fractions
from rankspec.oracle.values import Exact, Undefined, to_double


class Averaging(NamedTuple):
    """How the values of queries become one; `zero` says what keeps a geometric mean from being 0."""

    aggregate: Aggregate
    zero: GeometricZero = GeometricZero.FLOOR


AVERAGINGS = (Averaging(Aggregate.MEAN), *(Averaging(Aggregate.GEOMETRIC, zero) for zero in GeometricZero))
"""All of them that take the mean of values, the default's first."""

Differences = tuple[tuple[str, Setting], ...]
"""Axes with settings other than the default's."""


class Worth(NamedTuple):
    """What one list with relevant documents is worth, rules for lists without hits left open.

    Attributes:
        number: the value that its orders with a hit bring, weighted by their probabilities.
        hitless: the probability of an order without a hit (0 or 1 where the order is decided).
    """

    number: Fraction
    hitless: Fraction


class Total(NamedTuple):
    """The value of the set under some rules.

    Attributes:
        differences: where the rules differ from the default.
        approximate: the value as a double, NaN if it is undefined.
        exact: the exact value, where it is at hand.
        later: returns the exact value, where it is not at hand.
    """

    differences: Differences
    approximate: float
    exact: Exact | None
    later: Callable[[], Exact] | None = None

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
    """The queries of some data under one way to rank and measure them.

    Attributes:
        near: what the queries of qrels and run that have relevant documents are worth, as doubles.
        hitless: the probability that the list of each of them shows no hit (0 or 1 where its order is decided).
        exactly: returns the exact worths of these queries.
        without_relevant: how many queries of both have none.
        missing: how many queries with relevant documents are missing from the run.
        missing_without_relevant: how many of the others are.
        unknown: how many queries of the run the qrels do not name.
        is_set: they are a set, of which there is a mean; not a single list by itself.
    """

    near: Sequence[float]
    hitless: Sequence[Fraction]
    exactly: Callable[[], Sequence[Worth]]
    without_relevant: int
    missing: int
    missing_without_relevant: int
    unknown: int
    is_set: bool = True

    def totals(self, averagings: Sequence[Averaging]) -> Iterator[Total]:
        """Yield the value under every combination of rules that the data asks for, errors left out."""
        for no_hits in NoHits if any(self.hitless) else [NoHits.ZERO]:
            if no_hits is not NoHits.ERROR:
                yield from self._under(no_hits, averagings)

    def _under(self, no_hits: NoHits, averagings: Sequence[Averaging]) -> Iterator[Total]:
        ranked = _Ranked(self._near_under(no_hits), partial(self._exactly_under, no_hits))
        undefined = RULES[no_hits] is Undefined.NAN and any(self.hitless)
        for no_relevant in self._no_relevant_rules():
            for missing in self._missing_rules(no_relevant):
                for unknown in [UnknownQuery.SKIP, UnknownQuery.ZERO] if self.unknown else [UnknownQuery.SKIP]:
                    added = self._added(no_relevant, missing, unknown)
                    nan = undefined or added[Undefined.NAN] > 0
                    changed = differences(
                        no_relevant=no_relevant, no_hits=no_hits, missing_query=missing, unknown_query=unknown
                    )
                    if not nan and not ranked.near and not added[Fraction(0)] and not added[Fraction(1)]:
                        yield from _totals_of_no_query(changed, EmptyMean if self.is_set else [EmptyMean.NAN])
                        continue
                    for rule in averagings:
                        total = _total(rule, changed, ranked, added, nan=nan)
                        if total is not None:
                            yield total

    def _near_under(self, rule: NoHits) -> list[float]:
        """Return what the lists that count are worth where those that may be without hits are under a rule."""
        bonus = _bonus(rule)
        pairs = sorted(zip(self.near, self.hitless, strict=True), key=lambda pair: bool(pair[1]))
        return [near + bonus * float(hitless) if hitless else near for near, hitless in pairs if _counts(rule, hitless)]

    def _exactly_under(self, rule: NoHits) -> list[Fraction]:
        bonus = _bonus(rule)
        worths = sorted(self.exactly(), key=lambda worth: bool(worth.hitless))
        return [each.number + bonus * each.hitless for each in worths if _counts(rule, each.hitless)]

    def _no_relevant_rules(self) -> Iterable[NoRelevant]:
        if self.without_relevant:
            return [NoRelevant.ZERO, NoRelevant.ONE, NoRelevant.NAN, NoRelevant.SKIP]
        # A missing query is worth nothing, whatever the rule, unless it is left out.
        return [NoRelevant.ZERO, NoRelevant.SKIP] if self.missing_without_relevant else [NoRelevant.ZERO]

    def _missing_rules(self, no_relevant: NoRelevant) -> Iterable[MissingQuery]:
        asked = self.missing or (self.missing_without_relevant and no_relevant is not NoRelevant.SKIP)
        return [MissingQuery.ZERO, MissingQuery.SKIP] if asked else [MissingQuery.ZERO]

    def _added(self, no_relevant: NoRelevant, missing: MissingQuery, unknown: UnknownQuery) -> Counter[Exact]:
        """Return the values that the rules add, with their numbers."""
        added: Counter[Exact] = Counter()
        added[RULES[no_relevant]] += self.without_relevant
        added[RULES[missing]] += self.missing
        added[RULES[rule_of_missing(missing, no_relevant)]] += self.missing_without_relevant
        added[RULES[unknown]] += self.unknown
        return added


def _bonus(rule: NoHits) -> int:
    """Return what an order without a hit is worth."""
    return int(value) if isinstance(value := RULES[rule], Fraction) else 0


def _counts(rule: NoHits, hitless: Fraction) -> bool:
    """Tell whether a list counts that may show no hit."""
    return not hitless or RULES[rule] is not Undefined.SKIP


@dataclass(frozen=True)
class _Ranked:
    """What the ranked lists that count are worth."""

    near: Sequence[float]
    exactly: Callable[[], Sequence[Fraction]]

    @cached_property
    def total(self) -> float:
        return math.fsum(self.near)


def _totals_of_no_query(changed: Differences, rules: Iterable[EmptyMean]) -> Iterator[Total]:
    """Yield what the mean over no query may be; a geometric one is the same by another name."""
    for rule in rules:
        if (value := RULES[rule]) is not Undefined.ERROR:
            yield Total(changed + differences(empty_mean=rule), to_double(value), value)


def _total(
    rule: Averaging, changed: Differences, ranked: _Ranked, added: Mapping[Exact, int], *, nan: bool
) -> Total | None:
    """Return the mean, None if it is the arithmetic one by another name."""
    ones, zeros = added[Fraction(1)], added[Fraction(0)]
    count = len(ranked.near) + ones + zeros
    changed += differences(aggregate=rule.aggregate, geometric_zero=rule.zero)
    if nan and rule.aggregate is Aggregate.GEOMETRIC:
        return None
    if nan:
        return Total(changed, math.nan, Undefined.NAN)
    if rule.aggregate is Aggregate.MEAN:
        return Total(changed, (ranked.total + ones) / count, None, later=partial(_mean, ranked, ones, count))
    if count == 1 and _is_mean_itself(rule, [*ranked.exactly(), *[Fraction(1)] * ones, *[Fraction(0)] * zeros][0]):
        return None
    near = [*ranked.near, *[1.0] * ones, *[0.0] * zeros]
    return Total(changed, _near_root(rule, near), None, later=partial(_root, rule, ranked, ones, zeros))


def _is_mean_itself(rule: Averaging, value: Fraction) -> bool:
    """Tell whether the geometric mean of a single value is this value."""
    is_added = rule.zero is not GeometricZero.FLOOR
    return rule.zero is GeometricZero.ADDED_SUBTRACTED or (not is_added and value >= DEFAULT.geometric_floor)


def _near_root(rule: Averaging, values: Sequence[float]) -> float:
    floor = float(DEFAULT.geometric_floor)
    is_added = rule.zero is not GeometricZero.FLOOR
    root = math.exp(
        math.fsum(math.log(each + floor if is_added else max(each, floor)) for each in values) / len(values)
    )
    return root - floor if rule.zero is GeometricZero.ADDED_SUBTRACTED else root


def _mean(ranked: _Ranked, ones: int, count: int) -> Exact:
    return (sum_of_fractions(ranked.exactly()) + ones) / count


def _root(rule: Averaging, ranked: _Ranked, ones: int, zeros: int) -> Exact:
    values = (*ranked.exactly(), *[Fraction(1)] * ones, *[Fraction(0)] * zeros)
    return aggregate_exactly(values, replace(DEFAULT, aggregate=rule.aggregate, geometric_zero=rule.zero))
