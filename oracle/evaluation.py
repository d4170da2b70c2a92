"""From qrels and a run to a value: which queries count, what each is worth, and what they are worth together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import assert_never

from rankspec.oracle.clauses import clause
from rankspec.oracle.conventions.axes import Aggregate, GeometricZero, NoRelevant
from rankspec.oracle.conventions.convention import DEFAULT, Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure, effective
from rankspec.oracle.data.qrels import Qrels
from rankspec.oracle.data.run import Run, Score
from rankspec.oracle.measures.gain import relevant_of, require_whole_grades, why_excluded
from rankspec.oracle.measures.rules import RULES, mean_over_no_query, rule_of_missing, undefined_value, value_of_unknown
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.query_set import QuerySet, pooled_ranking, require_weighted_mean, weights_of
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.reals.deciding import greater
from rankspec.oracle.reals.real import Number, geometric_mean, sum_of_fractions, weighted_sum
from rankspec.oracle.values import Exact, Undefined, Value, to_double, to_value


@dataclass(frozen=True)
class ExactValues:
    """The value of a query set, and those of its queries."""

    exact: Exact  # the value of the set; what `empty_mean` says if no query counts
    # the value of each query that counts, in the order of the qrels (empty where they are pooled)
    exact_per_query: Mapping[str, Exact] = field(default_factory=dict)

    @cached_property
    def value(self) -> Value:
        """Return the value of the set as a sympy number, or what it is instead of one."""
        return to_value(self.exact)

    @cached_property
    def per_query(self) -> Mapping[str, Value]:
        """Return the value of each query that counts as a sympy number."""
        return MappingProxyType({query: to_value(exact) for query, exact in self.exact_per_query.items()})


@dataclass(frozen=True)
class Evaluation(ExactValues):
    """The value of a query set, and how it came about."""

    excluded: Mapping[str, str] = field(default_factory=dict)  # query -> why it does not count

    @property
    def double(self) -> float:
        """Return the double nearest to the value of the set; NaN if it is none."""
        return to_double(self.exact)


def evaluate(
    measure: Measure,
    qrels: Qrels,
    run: Run,
    convention: Convention = DEFAULT,
    weights: Mapping[str, Fraction] | None = None,
) -> Evaluation:
    """Evaluate a run against qrels, exactly.

    Args:
        measure: what is evaluated.
        qrels: the judgments.
        run: the ranked documents.
        convention: what the measure means.
        weights: what each query weighs in the mean; by default all weigh the same.

    Raises:
        ConventionError: the convention means nothing for the measure, or takes no weights.
        InputError: a query that counts has no weight.
        UndefinedValueError: a value is undefined and the convention says `error`.
    """
    return evaluate_set(measure, QuerySet(qrels, run, weights), convention)


def evaluate_set(measure: Measure, queries: QuerySet, convention: Convention = DEFAULT) -> Evaluation:
    """Evaluate a set that remembers its rankings, so that what conventions order alike is ordered once."""
    return evaluation_of(QueryValues(measure, queries, effective(measure, convention)))


def evaluate_many(
    measures: Iterable[Measure],
    qrels: Qrels,
    run: Run,
    convention: Convention = DEFAULT,
    weights: Mapping[str, Fraction] | None = None,
) -> dict[Measure, Evaluation]:
    """Evaluate a run under several measures, each query put in order once. Raises as `evaluate`."""
    holding = {measure: effective(measure, convention) for measure in measures}
    queries = QuerySet(qrels, run, weights)
    return {measure: evaluation_of(QueryValues(measure, queries, settled)) for measure, settled in holding.items()}


class QueryValues:
    """What each query of a set is worth to a measure; `explain` puts the derivations of these values in their place."""

    # the score at which TAP cuts the lists, None for other measures, or where everything is kept
    cutoff: Score | None = None
    # what the queries that count weigh in the mean, None where all weigh the same
    weights: Sequence[Fraction] | None = None

    def __init__(self, measure: Measure, queries: QuerySet, convention: EffectiveConvention) -> None:
        self.measure = measure
        self.queries = queries
        self.convention = convention

    @property
    def convention_of_pool(self) -> EffectiveConvention:
        """Return the convention of that ranking: the depth is each query's, and pooling has dealt with it."""
        return self.convention.with_setting("depth", None)

    def of_pool(self) -> Exact:
        """Return the value of all queries' documents in one ranking."""
        pooled = pooled_ranking(self.queries.qrels, self.queries.run, self.measure, self.convention)
        return value_of(pooled, self.measure, self.convention_of_pool)

    @clause("undefined.missing-query.*", "undefined.unknown-query.*")
    def of_all(self, of_query: Callable[[str], Exact] | None = None) -> dict[str, Exact]:
        """Return the value of every query of the qrels and the run, `SKIP` for those that don't count.

        Args:
            of_query: what a query with a list and judgments is worth, where something else decides that.
        """
        qrels, run = self.queries.qrels, self.queries.run
        if self.measure.family.cuts_by_score:
            self.cutoff = self.cut_score()
        known = of_query or self.of_query
        values = {query: known(query) if query in run else self.of_missing(query) for query in qrels}
        return values | {query: self.of_unknown(query) for query in run if query not in qrels}

    def of_query(self, query: str) -> Exact:
        """Return the value of a query with a list and judgments."""
        ranking = self._ranking(query)
        if self.measure.family.cuts_by_score:
            return _apcp(self.measure, ranking, self.cutoff, self.convention)
        return value_of(ranking, self.measure, self.convention)

    def of_missing(self, query: str) -> Exact:
        """Return the value of a query that the run lacks."""
        return value_of_missing(self._ranking(query), self.measure, self.convention)

    def of_unknown(self, query: str) -> Exact:  # noqa: ARG002 - a derivation says its name
        """Return the value of a query that the qrels lack."""
        return value_of_unknown(self.measure, self.convention.unknown_query)

    def cut_score(self) -> Score | None:
        """Return the score at which TAP cuts the lists of the set."""
        # A query left out of the mean has no say in it; a missing one is an empty list.
        rankings = self.queries.rankings(self.measure, self.convention)
        missing = [rankings.pop(query) for query in self.queries.qrels if query not in self.queries.run]
        values = (value_of_missing(each, self.measure, self.convention) for each in missing)
        counting = sum(value is not Undefined.SKIP for value in values)
        return _tap_cutoff(self.measure, rankings.values(), counting, self.convention)

    def _ranking(self, query: str) -> Ranking:
        return self.queries.ranking(query, self.measure, self.convention)


def evaluation_of(values: QueryValues) -> Evaluation:
    """Return the value of a set of queries from theirs. Raises as `evaluate`."""
    measure, queries, convention = values.measure, values.queries, values.convention
    require_whole_grades(queries.qrels, measure, convention)
    if queries.weights is not None:
        require_weighted_mean(measure, convention)
    if convention.aggregate is Aggregate.MICRO and not measure.family.is_count:
        return Evaluation(_allowed("all queries pooled", values.of_pool(), convention))
    counting: dict[str, Exact] = {}
    excluded: dict[str, str] = {}
    for query, value in values.of_all().items():
        if _allowed(f"query {query}", value, convention) is Undefined.SKIP:
            grades = queries.qrels.grades(query) if query in queries.qrels else None
            excluded[query] = why_excluded(grades, measure, convention, is_in_run=query in queries.run)
        else:
            counting[query] = value
    values.weights = None if measure.family.is_count else weights_of(counting, measure, queries, convention)
    whole = value_of_set(measure, counting.values(), convention, values.weights)
    return Evaluation(whole, MappingProxyType(counting), MappingProxyType(excluded))


def value_of_ranking(measure: Measure, ranking: Ranking, convention: Convention = DEFAULT) -> Value:
    """Evaluate one ranking by itself, exactly. Raises as `evaluate`, and `InputError` for scores that it lacks."""
    holding = effective(measure, convention)
    if measure.family.cuts_by_score:
        cutoff = _tap_cutoff(measure, [ranking], 1, holding)
        exact = _apcp(measure, ranking, cutoff, holding)
    else:
        exact = value_of(ranking, measure, holding)
    return to_value(_allowed("the query", exact, holding))


@clause("tap.cutoff")
def tap_cutoff(measure: Measure, qrels: Qrels, run: Run, convention: Convention = DEFAULT) -> Score | None:
    """Return the score at which TAP@k cuts the lists, None if all is kept; `UndefinedValueError` if too short."""
    return QueryValues(measure, QuerySet(qrels, run), effective(measure, convention)).cut_score()


@clause("count.total")
def value_of_set(
    measure: Measure, values: Iterable[Exact], convention: Convention, weights: Sequence[Fraction] | None = None
) -> Exact:
    """Return what queries that count are worth together: their mean, of counts the total. Raises as the mean."""
    if measure.family.is_count:
        return sum((count for count in values if isinstance(count, Fraction)), Fraction(0))
    return aggregate_exactly(values, convention, weights)


@clause("map.mean", "map.aggregate.*", "map.geometric-floor", "map.geometric-zero.*", "tap.mean")
def aggregate_exactly(
    values: Iterable[Exact], convention: Convention, weights: Sequence[Fraction] | None = None
) -> Exact:
    """Return the mean of the queries that count, by weights, if any; `UndefinedValueError` for none under `error`."""
    all_values = list(values)
    if not all_values or (weights is not None and not any(weights)):
        return mean_over_no_query(convention.empty_mean)
    numbers: list[Number] = [value for value in all_values if not isinstance(value, Undefined)]
    if len(numbers) < len(all_values):
        return Undefined.NAN
    match convention.aggregate:
        case Aggregate.MEAN | Aggregate.MICRO | Aggregate.BY_RELEVANT | Aggregate.RATIO:  # a pool has been evaluated
            return _mean(numbers, weights)
        case Aggregate.GEOMETRIC:
            return geometric_mean(*geometric_factors(numbers, convention))
        case _:
            assert_never(convention.aggregate)


@clause("map.aggregate.geometric", "map.geometric-floor", "map.geometric-zero.*")
def geometric_factors(numbers: list[Number], convention: Convention) -> tuple[list[Number], Fraction]:
    """Return what a geometric mean multiplies, with the floor at work, and what is taken off its root again."""
    floor, one = convention.geometric_floor, Fraction(1)
    match convention.geometric_zero:
        case GeometricZero.FLOOR:
            return [greater(number, floor) for number in numbers], Fraction(0)
        case GeometricZero.ADDED | GeometricZero.ADDED_SUBTRACTED:
            subtracted = convention.geometric_zero is GeometricZero.ADDED_SUBTRACTED
            factors = [weighted_sum([(one, number), (one, floor)]) for number in numbers]
            return factors, floor if subtracted else Fraction(0)
        case _:
            assert_never(convention.geometric_zero)


@clause("map.mean", "map.aggregate.by-relevant", "map.aggregate.ratio")
def _mean(numbers: list[Number], weights: Sequence[Fraction] | None) -> Number:
    if weights is not None:
        whole = sum(weights)
        return weighted_sum((weight / whole, number) for weight, number in zip(weights, numbers, strict=True))
    share = Fraction(1, len(numbers))
    rational = sum_of_fractions(number for number in numbers if isinstance(number, Fraction))
    irrational = [(share, number) for number in numbers if not isinstance(number, Fraction)]
    return weighted_sum([(share, rational), *irrational])


@clause("undefined.missing-query.*")
def value_of_missing(empty: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
    """Return the value of a query that the run lacks, whose list is empty."""
    # Without relevant documents it is under two rules: `error` beats `skip` beats the value.
    relevant = relevant_of(empty, measure, convention)
    under_rule = relevant == 0 and measure.family.has("no_relevant")
    value = RULES[rule_of_missing(convention.missing_query, convention.no_relevant if under_rule else None)]
    if measure.family.is_of_query and not isinstance(value, Undefined):
        return value_of(empty, measure, convention)
    return value


def _apcp(measure: Measure, ranking: Ranking, cutoff: Score | None, convention: EffectiveConvention) -> Exact:
    from rankspec.oracle.measures.functions import tap

    scored = tap.scored_list(ranking, measure.rel, convention)
    above_cutoff = tap.above_cutoff(scored, cutoff, convention.tap_ties)
    return tap.TapList.of(above_cutoff, ranking.relevant(measure.rel), cutoff, measure, convention).apcp()


def _tap_cutoff(
    measure: Measure, rankings: Iterable[Ranking], missing_lists: int, convention: EffectiveConvention
) -> Score | None:
    from rankspec.oracle.measures.functions import tap

    speaking = [
        tap.scored_list(ranking, measure.rel, convention)
        for ranking in rankings
        if ranking.relevant(measure.rel) or convention.no_relevant is not NoRelevant.SKIP
    ]
    return tap.cutoff([*speaking, *[[]] * missing_lists], measure.k or 1, convention)


def _allowed(where: str, value: Exact, convention: EffectiveConvention) -> Exact:
    if value is Undefined.ERROR:
        raise undefined_value(where, convention)
    return value
