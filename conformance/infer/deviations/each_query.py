"""Deviations that compute the value of each query by themselves: of another list, denominator, or set of judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial

from rankspec.conformance.infer.deviations.deviation import Made
from rankspec.conformance.infer.interview.prediction import NOTHING, Predicted, Predictor
from rankspec.conformance.infer.interview.probe import ShapedProbe
from rankspec.conformance.judge.agreement import Known
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.convention import Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError, UndefinedValueError
from rankspec.oracle.evaluation import aggregate_exactly
from rankspec.oracle.measures.rules import RULES, rule_of_missing
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.measures.worth import relevant_of, worth_of
from rankspec.oracle.rankings.ordering import ranking_of
from rankspec.oracle.rankings.ranking import Ranking
from rankspec.oracle.sweeps.exact_values import comparable
from rankspec.oracle.values import Exact, Undefined, worst

Labels = Callable[[ShapedProbe, str], Mapping[str, int]]
"""The judgments by which a query's list is labelled."""
Counted = Callable[[ShapedProbe, str], Iterable[int]]
"""The grades that are counted as a query's judged ones."""
QueryValue = Callable[[Ranking, Measure, EffectiveConvention], Exact]
"""Of a query that has a list and judgments. Raises ``ConventionError`` where the deviation means nothing."""

_ROUNDINGS = 120
"""So many roundings a program has that computes a value in an unheard-of way, beside one a document."""


def _ranking(query: str, asked: ShapedProbe, convention: EffectiveConvention) -> Ranking:
    worth = worth_of(asked.measure, convention)
    return ranking_of(query, asked.run.documents(query), asked.qrels.grades(query), convention, worth)


class OfEachQuery(Predictor):
    """Queries have other values, put together as the conventions have it."""

    def __init__(
        self,
        base: Predictor,
        *,
        value: QueryValue,
        is_about: Callable[[Measure], bool],
        ranking: Callable[[str, ShapedProbe, EffectiveConvention], Ranking] = _ranking,
        touches: Callable[[ShapedProbe], bool] = lambda _: True,
    ) -> None:
        """Take what predicts without the deviation, and what it computes.

        Args:
            base: predicts the answers that it does not touch.
            value: the value of a query.
            is_about: whether it means anything for a measure.
            ranking: the labelled list of a query.
            touches: whether it may change the answer to a question.
        """
        super().__init__(base.effort)
        self._base = base
        self._value = value
        self._is_about = is_about
        self._ranking = ranking
        self._touches = touches
        self._touched: dict[ShapedProbe, bool] = {}

    def touches(self, asked: ShapedProbe) -> bool:
        """Tell whether it may change the answer to a question, under some convention."""
        if asked not in self._touched:
            self._touched[asked] = self._touches(asked)
        return self._touched[asked]

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Predict as without it where it changes nothing."""
        return super().predicted(asked, convention) if self.touches(asked) else self._base.predicted(asked, convention)

    def computed(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Evaluate query by query, as the oracle does."""
        if convention.aggregate is Aggregate.MICRO or not self._is_about(asked.measure):
            return NOTHING
        try:
            values = {query: comparable(value) for query, value in self._values(asked, convention).items()}
        except UndefinedValueError:
            return Predicted(Undefined.ERROR, {}, 0)
        except ConventionError:
            return NOTHING
        if worst(values.values()) is Undefined.ERROR:
            return Predicted(Undefined.ERROR, {}, 0)
        counting = {query: value for query, value in values.items() if value is not Undefined.SKIP}
        numbers = [value for value in counting.values() if isinstance(value, Fraction)]
        if len(numbers) < len(counting):
            value: Known = Undefined.NAN
        elif not counting:
            value = comparable(RULES[convention.empty_mean])
        elif convention.aggregate is Aggregate.MEAN:
            value = sum(numbers, Fraction(0)) / len(numbers)
        elif min(numbers) < 0:  # which has no geometric mean
            return NOTHING
        else:
            value = comparable(aggregate_exactly(numbers, convention))
        return Predicted(value, counting, _ROUNDINGS + sum(len(asked.run.documents(query)) for query in asked.run))

    def reads_missing(self, convention: EffectiveConvention) -> bool:  # noqa: ARG002 - rules say what it is
        """Tell whether a query missing from the run is one with an empty list."""
        return False

    def of_query(self, query: str, asked: ShapedProbe, convention: EffectiveConvention) -> Exact:
        """Return the value of a query that has a list and judgments."""
        return self._value(self._ranking(query, asked, convention), asked.measure, convention)

    def _values(self, asked: ShapedProbe, convention: Convention) -> dict[str, Exact]:
        """Return the value of every query, as the conventions on sets of queries have it."""
        measure = asked.measure
        holding = measure.under(convention)
        values: dict[str, Exact] = {}
        for query in asked.qrels:
            if query in asked.run or self.reads_missing(holding):
                values[query] = self.of_query(query, asked, holding)
                continue
            ranking = self._ranking(query, asked, holding)
            no_relevant = None if relevant_of(ranking, measure, holding) else holding.no_relevant
            values[query] = RULES[rule_of_missing(holding.missing_query, no_relevant)]
        return values | {query: RULES[holding.unknown_query] for query in asked.run if query not in asked.qrels}


def of_two_sets(labels: Labels, counted: Counted) -> Made:
    """Label the list by one set of judgments, and count R in another."""

    def differ(asked: ShapedProbe) -> bool:
        return any(
            dict(labels(asked, query)) != dict(asked.qrels.grades(query))
            or list(counted(asked, query)) != list(asked.qrels.grades(query).values())
            for query in asked.qrels
        )

    def is_about(measure: Measure) -> bool:
        family = measure.family
        return not (family.cuts_by_score or family.is_count or family.is_of_query)

    def ranking(query: str, asked: ShapedProbe, convention: EffectiveConvention) -> Ranking:
        worth = worth_of(asked.measure, convention)
        listed = ranking_of(query, asked.run.documents(query), labels(asked, query), convention, worth)
        return listed._replace(judged=tuple(counted(asked, query)))

    return partial(OfEachQuery, value=value_of, is_about=is_about, ranking=ranking, touches=differ)
