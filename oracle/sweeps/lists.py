"""Every way to rank and measure the queries of some data: the axes of a list, then those of the area under its curve.

Together with `totals.py` this evaluates all conventions of average precision that data can show. What two conventions
share is computed once; the values are the oracle's (the tests compare them, convention by convention).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import product
from math import fsum
from typing import Any

from rankspec.oracle.conventions import axes
from rankspec.oracle.conventions.axes import INTERPOLATIONS
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import DEFAULT, Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.data.data import Data
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.measures.areas.denominators import Counts, denominator, hits_needed
from rankspec.oracle.measures.areas.estimators import ESTIMATORS, Estimator, Point, additions, near_points
from rankspec.oracle.measures.areas.expectation import area_of
from rankspec.oracle.measures.evaluated_list import evaluated_lists
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.query_set import pooled_ranking
from rankspec.oracle.rankings.ranking import Blocks, Ranking, all_orders, length, number_of_orders
from rankspec.oracle.sweeps.space import observable_settings, query_sets
from rankspec.oracle.sweeps.totals import AVERAGINGS, Averaging, Differences, ListScore, QueryWorths, Total, differences
from rankspec.oracle.values import Exact, Undefined, to_double

# ---- The areas under one list's curve
#
# Most estimators divide a sum that does not depend on the denominator; the levels of a grid need a few precisions of
# the list alone. This is about speed: every area equals the oracle's, and the tests prove it.


# So many orders of a list (10 tied documents have at most 252) are gone through one by one, in doubles. Of
# more of them estimators without a closed form are not tried.
_MOST_ORDERS = 256
CLOSED = frozenset(each for each, traits in INTERPOLATIONS.items() if traits.is_linear)
"""Interpolations whose mean over the orders of a tie has a closed form."""


@dataclass
class Areas:
    """The areas under the curve of a list with a hit, by whatever estimator and denominator."""

    blocks: Blocks  # the list that is evaluated
    undecided: bool  # areas are means over all orders inside the blocks (ties=expected)
    k: int | None  # the cutoff, if there is one
    _known: dict[Hashable, Fraction] = field(default_factory=dict)
    _near: dict[Hashable, float] = field(default_factory=dict)
    _sums: dict[Hashable, float] = field(default_factory=dict)

    @cached_property
    def is_feasible(self) -> bool:
        """Whether all areas can be had in reasonable time, those of estimators that look ahead, too."""
        return not self.undecided or number_of_orders(self.blocks) <= _MOST_ORDERS

    def area(self, interpolation: axes.Interpolation, denominator: int, grid: axes.RecallGrid) -> Fraction:
        """Return what `expectation.area_of` returns for this list."""
        # Sums of precisions at hits are kept for every denominator.
        traits = INTERPOLATIONS[interpolation]
        whole = denominator if traits.is_divided and not traits.precisions else 1
        key = (interpolation, whole, grid)
        if key not in self._known:
            estimator = self._estimator(interpolation, whole, grid)
            self._known[key] = area_of(estimator, self.blocks, undecided=self.undecided)
        return self._known[key] / denominator if traits.precisions else self._known[key]

    def near(self, interpolation: axes.Interpolation, denominator: int, grid: axes.RecallGrid) -> float:
        """Return `area` as a double that is off by less than 2^-49 of itself."""
        traits = INTERPOLATIONS[interpolation]
        below = hits_needed(grid, traits.levels, denominator) if traits.levels else denominator
        key = (interpolation, below)
        if key not in self._near:
            self._near[key] = self._nearly(interpolation, denominator, grid)
        return self._near[key]

    def _nearly(self, interpolation: axes.Interpolation, denominator: int, grid: axes.RecallGrid) -> float:
        if not self.is_feasible:
            return float(self.area(interpolation, denominator, grid))
        traits = INTERPOLATIONS[interpolation]
        if traits.levels:
            needed, lists = hits_needed(grid, traits.levels, denominator), self._best
            return (
                fsum(best[count] for best in lists for count in needed if count < len(best)) / len(lists) / len(needed)
            )
        # All but linear-101 are sums that do not depend on D: they are kept for every denominator.
        estimator = self._estimator(interpolation, denominator, grid)
        key = (interpolation, denominator if interpolation is axes.Interpolation.LINEAR_101 else None)
        if key not in self._sums:
            curves = self._curves if traits.is_divided else [near_points(each, every=True) for each in self._orders()]
            self._sums[key] = fsum(fsum(additions(estimator, points)) for points in curves) / len(curves)
        return self._sums[key] / estimator.divisor

    def _orders(self) -> Iterable[Blocks]:
        if not self.undecided:
            return [self.blocks]
        return (tuple((label,) for label in order) for order in all_orders(self.blocks))

    @cached_property
    def _curves(self) -> list[list[Point]]:
        return [near_points(each, every=False) for each in self._orders()]

    @cached_property
    def _best(self) -> list[list[float]]:
        return [best_with_hits(points) for points in self._curves]

    def _estimator(self, interpolation: axes.Interpolation, denominator: int, grid: axes.RecallGrid) -> Estimator:
        points = length(self.blocks) if self.undecided else len(self.blocks)
        return ESTIMATORS[interpolation](denominator, points, self.k, grid)


def best_with_hits(points: Sequence[Point]) -> list[Any]:
    """Return hits -> the highest precision of the points with at least that many."""
    best, place, highest = [], len(points) - 1, Point(1, 0)
    for count in range(points[-1].hits if points else 0, -1, -1):
        while place >= 0 and points[place].hits >= count:
            point = points[place]
            if point.hits * highest.retrieved > highest.hits * point.retrieved:
                highest = point
            place -= 1
        best.append(highest.precision)
    return best[::-1]


LIST_AXES = ("unjudged", "negative_grades", "duplicates", "score_precision", "ties")
"""The axes that decide a list, all but the depth."""

_LARGE_POOL = 5_000  # Documents of a pool of which only conventions with few differences are tried
_AREA_AXES = ("denominator", "interpolation", "recall_grid")


@dataclass(frozen=True)
class SweptList:
    """A list that is evaluated, with its probability."""

    probability: Fraction
    areas: Areas
    counts: Counts  # what is counted in it

    @cached_property
    def denominators(self) -> Mapping[axes.Denominator, int]:
        """D under each rule."""
        return {rule: denominator(rule, self.counts) for rule in axes.Denominator}


@dataclass(frozen=True)
class Estimate:
    """An estimator of the area with a denominator and a grid, and how these differ from the default."""

    interpolation: axes.Interpolation
    denominator: axes.Denominator
    grid: axes.RecallGrid
    differences: Differences

    def score(self, lists: Sequence[SweptList]) -> ListScore:
        """Return the value of a query."""
        areas = [
            evaluated.probability
            * evaluated.areas.area(self.interpolation, evaluated.denominators[self.denominator], self.grid)
            for evaluated in lists
            if evaluated.counts.hits
        ]
        return ListScore(sum(areas, Fraction(0)), hitless(lists))

    def near(self, lists: Sequence[SweptList]) -> float:
        """Return the number of `score` as a double, off by less than 2^-48 of itself."""
        areas = [
            float(evaluated.probability)
            * evaluated.areas.near(self.interpolation, evaluated.denominators[self.denominator], self.grid)
            for evaluated in lists
            if evaluated.counts.hits
        ]
        return areas[0] if len(areas) == 1 else fsum(areas)


def hitless(lists: Sequence[SweptList]) -> Fraction:
    """Return the probability of a list without hits."""
    return sum((evaluated.probability for evaluated in lists if not evaluated.counts.hits), Fraction(0))


@dataclass
class Evaluator:
    """All conventions of a measure of the AP family that data can show, with their values."""

    measure: Measure
    data: Data
    depths: Sequence[int | None] = (None,)  # how many documents of a query are evaluated at all, each tried
    complete: bool = True  # no convention was left out because its orders are too many to count
    share: float = 0.0  # how much of the work is done, of 1, while totals are asked for
    _known: dict[tuple[Blocks, bool], Areas] = field(default_factory=dict)
    _estimators: dict[axes.Ties, list[Estimate]] = field(default_factory=dict)
    _relevant: dict[str, int] = field(init=False)  # R of each query

    def __post_init__(self) -> None:
        grades = {query: Ranking((), tuple(self.data.qrels.grades(query).values())) for query in self.data.qrels}
        self._relevant = {query: each.relevant(self.measure.rel) for query, each in grades.items()}

    def totals(self) -> Iterator[Total]:
        """Yield every convention that says something other than `error`, as differences from the default."""
        # A pool of no query is an empty one, and a mean over none is not a number.
        several = len({*self.data.qrels, *self.data.run}) != 1
        separate = observable_settings(self.measure, self.data, pooled=False)
        # A file may hold one query, and its geometric mean the floor; a list by itself is no set of queries.
        in_files = self.data.scored and self.data.named
        rules = AVERAGINGS if several or in_files else AVERAGINGS[:1]
        ways = list(self._lists(separate))
        for place, (convention, changed) in enumerate(ways):
            self.share = place / len(ways)
            yield from self._separate(convention, changed, rules)
        if several and self.data.scored:
            for convention, changed in self._lists(observable_settings(self.measure, self.data)):
                if changed and self._is_large:
                    self.complete = False  # a pool's areas take seconds: of a large one only the plainest are tried
                    continue
                yield from self._pooled(convention, changed)

    @property
    def _is_large(self) -> bool:
        return sum(map(len, self.data.lists)) > _LARGE_POOL

    def _lists(self, space: Mapping[str, Sequence[Setting]]) -> Iterator[tuple[Convention, Differences]]:
        for settings in product(*(space.get(axis, (getattr(DEFAULT, axis),)) for axis in LIST_AXES)):
            given = dict(zip(LIST_AXES, settings, strict=True))
            if (
                given["unjudged"] is axes.Unjudged.NONRELEVANT
                and given["negative_grades"] is axes.NegativeGrades.UNJUDGED
            ):
                continue  # an unjudged document is a miss then, as the judged one is
            for depth in self.depths:
                convention = replace(DEFAULT, **given, depth=depth)
                yield convention, differences(**given, depth=depth)

    def _meaningful(self, ties: axes.Ties) -> Iterator[Estimate]:
        fixed = "interpolation" in self.measure.family.implies
        for interpolation in [DEFAULT.interpolation] if fixed else axes.Interpolation:
            for divisor, grid in product(axes.Denominator, axes.RecallGrid):
                convention = replace(
                    DEFAULT, ties=ties, interpolation=interpolation, denominator=divisor, recall_grid=grid
                )
                changed = differences(**{axis: getattr(convention, axis) for axis in _AREA_AXES})
                used = set(self.measure.axes(convention))
                if {axis for axis, _ in changed} <= used and meaningless(self.measure, convention) is None:
                    yield Estimate(self.measure.under(convention).interpolation, divisor, grid, changed)

    def _separate(self, convention: Convention, changed: Differences, rules: Sequence[Averaging]) -> Iterator[Total]:
        qrels, run = self.data.qrels, self.data.run
        queries: list[list[SweptList]] = []
        without_relevant = missing = missing_without_relevant = relevant_missing = 0
        holding = self.measure.under(convention)
        exactly = holding.with_setting("score_precision", axes.ScorePrecision.EXACT)  # scores have been rounded
        query_set = self.data.once(query_sets)[convention.score_precision]
        for query, relevant_documents in self._relevant.items():
            try:
                ranking = query_set.ranking(query, self.measure, exactly)
            except UndefinedValueError:
                return
            if query not in run:
                missing += relevant_documents > 0
                relevant_missing += relevant_documents
                missing_without_relevant += relevant_documents == 0
            elif relevant_documents == 0:
                without_relevant += 1
            else:
                queries.append(self._lists_of(ranking, relevant_documents, holding))
        unknown = sum(query not in qrels for query in run)
        without_hits = [hitless(lists) for lists in queries]
        relevant = [lists[0].counts.relevant for lists in queries], relevant_missing
        for estimate in self._distinct_estimates(convention.ties, queries):
            of_set = QueryWorths(
                [estimate.near(lists) for lists in queries],
                without_hits,
                partial(map, estimate.score, queries),
                without_relevant,
                missing,
                missing_without_relevant,
                unknown,
                relevant,
                is_set=self.data.scored and self.data.named,
            )
            for total in of_set.totals(rules):
                yield total._replace(differences=changed + estimate.differences + total.differences)

    def _pooled(self, convention: Convention, changed: Differences) -> Iterator[Total]:
        of_pool = differences(aggregate=axes.Aggregate.MICRO)
        if meaningless(self.measure, replace(convention, aggregate=axes.Aggregate.MICRO)) is not None:
            return
        run = self.data.compared[convention.score_precision]
        exactly = replace(convention, score_precision=axes.ScorePrecision.EXACT)
        seen: dict[tuple[object, ...], list[Differences]] = {}
        for no_relevant, missing, unknown in product(*self._rules_of_queries()):
            rules = differences(no_relevant=no_relevant, missing_query=missing, unknown_query=unknown)
            under = replace(exactly, no_relevant=no_relevant, missing_query=missing, unknown_query=unknown)
            try:
                ranking = pooled_ranking(self.data.qrels, run, self.measure, self.measure.under(under))
            except UndefinedValueError:
                continue
            relevant = ranking.relevant(self.measure.rel)
            pool = (ranking.blocks, relevant, no_relevant if relevant == 0 else None)
            if any(set(fewer) <= set(rules) for fewer in seen.setdefault(pool, [])):
                continue  # fewer rules let the same documents in
            seen[pool].append(rules)
            for total in self._of_pool(ranking, relevant, under):
                yield total._replace(differences=changed + of_pool + rules + total.differences)

    def _rules_of_queries(self) -> tuple[list[axes.NoRelevant], list[axes.MissingQuery], list[axes.UnknownQuery]]:
        """Return the rules that decide which queries join a pool, those alone that the data asks for."""
        qrels, run = self.data.qrels, self.data.run
        all_relevant = all(self._relevant.values())
        of_relevant: list[axes.NoRelevant] = [
            rule for rule in axes.NoRelevant if rule is not axes.NoRelevant.RECIPROCAL
        ]
        return (
            # A pool without any query has no relevant documents either.
            [axes.NoRelevant.ZERO] if all_relevant and any(query in run for query in qrels) else of_relevant,
            [axes.MissingQuery.ZERO] if all(query in run for query in qrels) else list(axes.MissingQuery),
            [axes.UnknownQuery.SKIP] if all(query in qrels for query in run) else list(axes.UnknownQuery),
        )

    def _of_pool(self, ranking: Ranking, relevant: int, convention: Convention) -> Iterator[Total]:
        if relevant == 0:
            if RULES[convention.no_relevant] is not Undefined.ERROR:
                yield _by_rule(convention.no_relevant, ())
            return
        holding = self.measure.under(convention).with_setting("depth", None)
        lists = self._lists_of(ranking, relevant, holding)
        without_hits = hitless(lists)
        for estimate in self._distinct_estimates(convention.ties, [lists]):
            if self._is_large and len(estimate.differences) > 1:
                self.complete = False
                continue
            for no_hits in axes.NoHits if without_hits else [axes.NoHits.ZERO]:
                changed = estimate.differences + differences(no_hits=no_hits)
                score = RULES[no_hits]
                if without_hits and isinstance(score, Undefined):
                    if score is not Undefined.ERROR:
                        yield _by_rule(no_hits, changed)
                    continue
                bonus = without_hits * score if isinstance(score, Fraction) else Fraction(0)
                near = estimate.near(lists) + float(bonus)
                yield Total(changed, near, None, later=partial(_with_bonus, estimate, lists, bonus))

    def _lists_of(self, ranking: Ranking, relevant: int, convention: EffectiveConvention) -> list[SweptList]:
        """Return the lists that are evaluated: several where a limit falls into a block of undecided order."""
        undecided = convention.ties is axes.Ties.EXPECTED
        return [
            SweptList(probability, self._areas(one.blocks, undecided), one.counts)
            for probability, one in evaluated_lists(ranking, self.measure, relevant, convention)
        ]

    def _areas(self, blocks: Blocks, undecided: bool) -> Areas:  # noqa: FBT001 - a key, not a switch
        if undecided and all(len(set(block)) == 1 for block in blocks):
            # Whatever their order, the labels are the same.
            blocks, undecided = tuple((label,) for block in blocks for label in block), False
        key = (blocks, undecided)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Areas(blocks, undecided, self.measure.k)
        return known

    def _distinct_estimates(self, ties: axes.Ties, queries: Sequence[Sequence[SweptList]]) -> Iterator[Estimate]:
        """Yield the estimators that can differ on these lists, and whose areas can be had in time."""
        evaluated = [one for lists in queries for one in lists if one.counts.hits]
        feasible = all(one.areas.is_feasible for one in evaluated)
        if ties not in self._estimators:
            self._estimators[ties] = list(self._meaningful(ties))
        for estimate in self._estimators[ties]:
            if not evaluated and estimate.differences:
                return  # there is no area that could differ
            if not feasible and estimate.interpolation not in CLOSED:
                self.complete = False
                continue
            yield estimate


def _with_bonus(estimate: Estimate, lists: Sequence[SweptList], bonus: Fraction) -> Exact:
    return estimate.score(lists).number + bonus


def _by_rule(rule: axes.NoRelevant | axes.NoHits, changed: Differences) -> Total:
    """Return a value that a rule gives without any area."""
    value = RULES[rule]
    return Total(changed, to_double(value), value if isinstance(value, Undefined | Fraction) else None)
