"""Every convention of any measure that data can show, with its value: query by query, what they share computed once.

The value of a query depends on the axes that this query can show alone (the rule for ties where it has ties), so most
conventions find it computed already; a value of the set is a mean of what is remembered.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from rankspec.oracle.conventions.axes import Aggregate, NegativeGrades, ScorePrecision, Unjudged
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import AXES, DEFAULT, Convention
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.families import FAMILIES
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.data.data import Data
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.evaluation import aggregate_exactly, evaluate_set, value_of_set
from rankspec.oracle.measures.gain import beyond_exponential_gain
from rankspec.oracle.measures.rules import RULES as WORTH_UNDER
from rankspec.oracle.query_set import QuerySet, weights_of
from rankspec.oracle.sweeps.exact_values import exact_on
from rankspec.oracle.sweeps.space import conventions, observable_settings, query_sets
from rankspec.oracle.sweeps.totals import Differences, Total, near_root
from rankspec.oracle.values import Exact, Undefined, to_double

RULES = ("no_relevant", "no_hits", "missing_query", "unknown_query", "empty_mean", "aggregate", "geometric_zero")
"""The axes that change how queries are put together, and not how a list is made or measured."""

MOST_LINES = 1_000_000  # How many lines of qrels and runs are evaluated at most, over all conventions: some seconds
QueryScore = tuple[Exact | None, float]  # The value of a query, None if it does not count, and the double nearest to it


@dataclass
class ByQuery:
    """All conventions of a measure that data can show, with their values."""

    measure: Measure
    data: Data
    depths: Sequence[int | None] = (None,)  # how many documents of a query are evaluated at all, each tried
    most_lines: int = MOST_LINES  # how much is evaluated before the search ends
    complete: bool = True  # every convention was evaluated
    share: float = 0.0  # how much of the work is done, of 1, while totals are asked for
    _axes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _known: dict[tuple[str, tuple[Setting, ...]], QueryScore] = field(default_factory=dict)
    _lines: int = 0

    def __post_init__(self) -> None:
        # A pool is evaluated anew under each convention, and nearly all data has ties across queries: of measures that
        # are not pooled in use, pools with one other rule are tried and no more.
        pooled = self.measure.family.is_area or self.measure.family.cut is Cut.RECALL
        space = observable_settings(self.measure, self.data, pooled=pooled)
        self.complete = not beyond_exponential_gain(self.measure, self.data.qrels)
        self._of_lists = {axis: settings for axis, settings in space.items() if axis not in RULES}
        self._of_rules = {axis: settings for axis, settings in space.items() if axis in RULES}
        aggregates = space.get("aggregate", ())
        self._has_few_pools = not pooled and Aggregate.MICRO in aggregates
        if self._has_few_pools:
            self._of_rules["aggregate"] = tuple(each for each in aggregates if each is not Aggregate.MICRO)
        everywhere = ["depth", *(axis for axis in self._of_lists if AXES[axis].values is None)]
        for query, part in self.data.parts.items():
            own = observable_settings(self.measure, part, pooled=False).keys() - {"empty_mean"}
            self._axes[query] = tuple(dict.fromkeys([*everywhere, *(axis for axis in space if axis in own)]))

    def totals(self) -> Iterator[Total]:
        """Yield every convention that says something other than `error`, as differences from the default."""
        ways = list(conventions(self.measure, self._of_lists))
        rules_of_queries = [_differences(each) for each in conventions(self.measure, self._of_rules)]
        for place, way in enumerate(ways):
            if (
                way.negative_grades is NegativeGrades.UNJUDGED
                and self.measure.under(way).unjudged is Unjudged.NONRELEVANT
                and not self.measure.family.tells_unjudged
            ):
                continue  # a simpler convention says the same: an unjudged document is a miss, as a judged one is
            for depth in self.depths:
                convention = way.with_setting("depth", depth)
                of_list = _differences(convention)
                for rules in rules_of_queries:
                    self.share = max(place / len(ways), min(1.0, self._lines / self.most_lines))
                    if self._lines > self.most_lines:
                        self.complete = False
                        return
                    total = self._total(convention, of_list, dict(rules), is_searched=True)
                    if total is not None:
                        yield total
        for convention in self._few_pools() if self._has_few_pools else ():
            if (total := self._pooled(convention, _differences(convention))) is not None:
                yield total

    def _few_pools(self) -> Iterator[Convention]:
        plain = DEFAULT.with_setting("aggregate", Aggregate.MICRO)
        space = observable_settings(self.measure, self.data)
        others = [(axis, setting) for axis in space if axis != "aggregate" for setting in space[axis][1:]]
        for changed in (plain, *(plain.with_setting(axis, setting) for axis, setting in others)):
            if changed.differences().keys() <= set(self.measure.axes(changed)):
                yield changed

    def under(self, convention: Convention) -> Total | None:
        """Return the value under any convention, None where it demands an error."""
        if convention.aggregate is Aggregate.MICRO:
            return self._pooled(convention, _differences(convention))
        rules = {axis: getattr(convention, axis) for axis in RULES if axis != "empty_mean"}
        if all(self._score(query, convention, rules)[0] is None for query in self.data.parts):
            rules["empty_mean"] = convention.empty_mean
        total = self._total(convention, (), rules)
        return total and total._replace(differences=_differences(convention))

    def each(self, convention: Convention) -> dict[str, float]:
        """Return the value of each query that counts; not of pooled queries."""
        rules = {axis: getattr(convention, axis) for axis in RULES}
        scores = {query: self._score(query, convention, rules) for query in self.data.parts}
        return {query: double for query, (exact, double) in scores.items() if exact is not None}

    def _total(
        self, way: Convention, of_list: Differences, changes: Mapping[str, Setting], *, is_searched: bool = False
    ) -> Total | None:
        changed = (*of_list, *changes.items())
        if changes.get("aggregate") is Aggregate.MICRO:
            return self._pooled(way.with_settings(changes), changed)
        scores = [self._score(query, way, changes) for query in self.data.parts]
        if any(exact is Undefined.ERROR for exact, _ in scores):
            return None
        counting = [exact for exact, _ in scores if exact is not None]
        doubles = [double for exact, double in scores if exact is not None]
        if counting and "empty_mean" in changes:
            return None  # some query counts, and the rule says nothing
        if self.measure.family.is_count:
            total = value_of_set(self.measure, counting, DEFAULT)
            return Total(changed, to_double(total), total)
        rule = self.measure.under(DEFAULT.with_settings(changes))
        if not counting:
            # A geometric mean over no query, or a weighted one, is the same by another name.
            value = WORTH_UNDER[rule.empty_mean]
            named = "aggregate" not in self.measure.family.implies and rule.aggregate is not Aggregate.MEAN
            return None if value is Undefined.ERROR or named else Total(changed, to_double(value), value)
        stated = self.data.weights
        if stated is not None and rule.aggregate is Aggregate.GEOMETRIC:
            return None  # weights are of arithmetic means
        weights = None
        if stated is not None or not rule.aggregate.is_of_values:
            names = [query for query, (exact, _) in zip(self.data.parts, scores, strict=True) if exact is not None]
            queries = QuerySet(self.data.qrels, self.data.run, stated)
            weights = weights_of(names, self.measure, queries, self.measure.under(way.with_settings(changes)))
        if is_searched and stated is None and weights is not None and len({*weights}) == 1:
            return None  # the mean by another name, or that of no query
        later = partial(aggregate_exactly, counting, rule, weights)
        near = _mean(doubles, rule) if weights is None else None
        return Total(changed, to_double(later()) if near is None else near, None, later=later)

    def _score(self, query: str, way: Convention, rules: Mapping[str, Setting]) -> QueryScore:
        axes = self._axes[query]
        key = (query, tuple(rules[axis] if axis in rules else getattr(way, axis) for axis in axes))
        if key not in self._known:
            convention = way.with_settings({axis: rules[axis] for axis in axes if axis in rules})
            self._known[key] = self._evaluated(query, convention)
        return self._known[key]

    def _evaluated(self, query: str, convention: Convention) -> QueryScore:
        part = self.data.parts[query]
        self._lines += 1 + len(part.qrels.grades(query)) + len(part.run.documents(query))
        # A query that does not count would be an empty mean by itself.
        exactly = convention.with_settings({"score_precision": ScorePrecision.EXACT, "empty_mean": DEFAULT.empty_mean})
        try:
            values = evaluate_set(
                self.measure, part.once(query_sets)[convention.score_precision], exactly
            ).exact_per_query
        except UndefinedValueError:
            return Undefined.ERROR, math.nan
        exact = values.get(query)
        return exact, math.nan if exact is None else to_double(exact)

    def _pooled(self, convention: Convention, changed: Differences) -> Total | None:
        if meaningless(self.measure, convention) is not None:
            return None
        self._lines += sum(len(part.qrels.grades(query)) for query, part in self.data.parts.items())
        self._lines += sum(map(len, self.data.lists))
        exact = exact_on(self.measure, self.data, convention)
        if exact is Undefined.ERROR:
            return None
        return Total(changed, to_double(exact), None, later=lambda: exact)


def other_measures(measure: Measure) -> Iterator[Measure]:
    """Yield the other measures that a number may be, with the same cutoff and threshold where they take one."""
    for family in FAMILIES.values():
        if family is measure.family or family.cut in {Cut.FALSE_POSITIVES, Cut.RECALL, Cut.MULTIPLE} or family.is_count:
            continue
        if (family.requires_k and measure.k is None) or (measure.k and family.cut is Cut.NONE):
            continue
        yield Measure(family.name, measure.k, rel=measure.rel if "rel" in family.parameters else 1)


def _differences(convention: Convention) -> Differences:
    return tuple(convention.differences().items())


def _mean(doubles: Sequence[float], rule: Convention) -> float | None:
    """Return the mean as a double, None where the exact one alone is known."""
    if any(map(math.isnan, doubles)):
        return math.nan
    match rule.aggregate:
        case Aggregate.MEAN:
            return math.fsum(doubles) / len(doubles)
        case Aggregate.GEOMETRIC:
            return near_root(rule.geometric_zero, float(rule.geometric_floor), doubles)
        case _:
            return None
