"""How deviations of areas and of geometric means predict: another list or denominator, or another floor.

They compute by themselves, so others can stand on them, and they on none.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from rankspec.conformance.infer.identify.prediction import NOTHING, Effort, Predicted, Predictor
from rankspec.conformance.infer.identify.probe import ShapedProbe
from rankspec.conformance.judge.agreement import Known
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.convention import Convention, EffectiveConvention
from rankspec.oracle.conventions.interpolations import INTERPOLATIONS
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import UndefinedValueError
from rankspec.oracle.evaluation import aggregate_exactly
from rankspec.oracle.measures.average_precision import area_under
from rankspec.oracle.measures.denominators import Counts, denominator
from rankspec.oracle.measures.rules import RULES, mean_over_lists, rule_of_missing
from rankspec.oracle.measures.worth import relevant_of, worth_of
from rankspec.oracle.rankings.cutting import Blocks, cut, uncut_lists
from rankspec.oracle.rankings.ordering import ranking_of
from rankspec.oracle.rankings.ranking import Ranking, hits, length
from rankspec.oracle.sweeps.exact_values import comparable
from rankspec.oracle.values import Exact, Undefined, worst


class WithFloor(Predictor):
    """A geometric mean has another floor."""

    def __init__(self, floor: Fraction, effort: Effort) -> None:
        """Take the floor, and where effort is counted."""
        super().__init__(effort)
        self._floor = floor

    def touches(self, asked: ShapedProbe) -> bool:  # noqa: ARG002 - every mean has a floor
        """Tell that it may."""
        return True

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Predict with it; nothing for the other means."""
        if asked.measure.under(convention).aggregate is not Aggregate.GEOMETRIC:
            return NOTHING
        return super().predicted(asked, convention.with_setting("geometric_floor", self._floor))


class MeansNothingError(Exception):
    """The deviation means nothing for an estimator, such as more than D where nothing is divided by D."""


class OfEachQuery(Predictor):
    """Queries have other values, put together as the conventions have it."""

    def touches(self, asked: ShapedProbe) -> bool:  # noqa: ARG002 - every list has a value
        """Tell that it may."""
        return True

    def computed(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Evaluate query by query, as the oracle does."""
        if convention.aggregate is Aggregate.MICRO or not self.is_about(asked.measure):
            return NOTHING
        try:
            values = {query: comparable(value) for query, value in _values(asked, convention, self).items()}
        except UndefinedValueError:
            return Predicted(Undefined.ERROR, {}, 0)
        except MeansNothingError:
            return NOTHING
        if worst(values.values()) is Undefined.ERROR:
            return Predicted(Undefined.ERROR, {}, 0)
        counting = {query: value for query, value in values.items() if value is not Undefined.SKIP}
        plain = convention.aggregate is Aggregate.MEAN
        numbers = [value for value in counting.values() if isinstance(value, Fraction)]
        if len(numbers) < len(counting):
            value: Known = Undefined.NAN
        elif not counting:
            value = comparable(RULES[convention.empty_mean])
        elif plain:
            value = sum(numbers, Fraction(0)) / len(numbers)
        else:
            value = comparable(aggregate_exactly(numbers, convention))
        return Predicted(value, counting, 120 + sum(len(asked.run.documents(query)) for query in asked.run))

    def ranking(self, query: str, asked: ShapedProbe, convention: EffectiveConvention) -> Ranking:
        """Return the labelled list of a query."""
        worth = worth_of(asked.measure, convention)
        return ranking_of(query, asked.run.documents(query), asked.qrels.grades(query), convention, worth)

    def is_about(self, measure: Measure) -> bool:
        """Tell whether it means anything for a measure."""
        raise NotImplementedError

    def value(self, ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
        """Return the value of a query that has a list and judgments."""
        raise NotImplementedError


class OfTheArea(OfEachQuery):
    """The list or the denominator is changed on the way."""

    def __init__(self, blocks: Callable[[Blocks], Blocks], more: Fraction, effort: Effort) -> None:
        """Take what becomes of the list, what is added to the denominator, and where effort is counted."""
        super().__init__(effort)
        self._blocks = blocks
        self._more = more

    def is_about(self, measure: Measure) -> bool:
        """Tell whether it is an area."""
        return is_varied(measure)

    def value(self, ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
        """Return the area."""
        relevant = ranking.relevant(measure.rel)
        if relevant == 0:
            return RULES[convention.no_relevant]
        outcomes = [
            (whole * part, self._area(looked_at, hits(listed), relevant, measure, convention))
            for whole, listed in uncut_lists(ranking.binary(measure.rel), convention)
            for part, looked_at in cut(listed, measure.k, convention.ties)
        ]
        return mean_over_lists(outcomes)

    def _area(
        self, looked_at: Blocks, hits_in_list: int, relevant: int, measure: Measure, convention: EffectiveConvention
    ) -> Exact:
        documents = length(looked_at)
        counts = Counts(relevant, measure.k or documents, documents, hits(looked_at), hits_in_list)
        if counts.hits == 0:
            return RULES[convention.no_hits]
        divisor = denominator(convention.denominator, counts)
        changed = self._blocks(looked_at)
        if not changed:
            return Fraction(0)
        value = area_under(changed, divisor, measure.k, convention)
        if not self._more:
            return value
        if not INTERPOLATIONS[convention.interpolation].is_sum_over_denominator:
            raise MeansNothingError
        return value * divisor / (divisor + self._more)


def _values(asked: ShapedProbe, convention: Convention, computing: OfEachQuery) -> dict[str, Exact]:
    """Return the value of every query, as the conventions on sets of queries have it."""
    qrels, run, measure = asked.qrels, asked.run, asked.measure
    holding = measure.under(convention)
    values: dict[str, Exact] = {}
    for query in qrels:
        ranking = computing.ranking(query, asked, holding)
        if query in run:
            values[query] = computing.value(ranking, measure, holding)
            continue
        no_relevant = None if relevant_of(ranking, measure, holding) else holding.no_relevant
        values[query] = RULES[rule_of_missing(holding.missing_query, no_relevant)]
    return values | {query: RULES[holding.unknown_query] for query in run if query not in qrels}


def is_varied(measure: Measure) -> bool:
    """Tell whether a measure is an area whose mean the convention chooses."""
    return measure.family.is_area and "aggregate" not in measure.family.implies
