"""How deviations predict: by another question, another list or denominator, or by what becomes of the values.

Each but those of areas and floors stands on another predictor, so that two deviations go together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from rankspec.conformance.judge.agreement import Known
from rankspec.conformance.settle.identify.prediction import NOTHING, Predicted, Predictor
from rankspec.conformance.settle.identify.probe import ShapedProbe
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.convention import Convention, EffectiveConvention
from rankspec.oracle.conventions.interpolations import INTERPOLATIONS
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError, UndefinedValueError
from rankspec.oracle.evaluate import aggregate_exactly
from rankspec.oracle.measures.average_precision import area_under
from rankspec.oracle.measures.denominators import Counts, denominator
from rankspec.oracle.measures.rules import RULES, mean_over_lists, rule_of_missing
from rankspec.oracle.measures.worth import worth_of
from rankspec.oracle.rankings.cutting import Blocks, cut, uncut_lists
from rankspec.oracle.rankings.ordering import ranking_of
from rankspec.oracle.rankings.ranking import Ranking, hits, length
from rankspec.oracle.sweeps.exact_values import comparable
from rankspec.oracle.values import Exact, Undefined, worst


class OfTheInput(Predictor):
    """Another input is answered than the one that was put: other scores, grades, lists."""

    def __init__(self, changed: Callable[[ShapedProbe], ShapedProbe], base: Predictor) -> None:
        """Take what becomes of a question, and the predictor of the answers."""
        super().__init__()
        self._changed = changed
        self._base = base
        self._instead: dict[ShapedProbe, ShapedProbe] = {}

    def seen(self, asked: ShapedProbe) -> ShapedProbe:
        """Return what is answered."""
        if asked not in self._instead:
            self._instead[asked] = self._changed(asked)
        return self._base.seen(self._instead[asked])

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Predict for the other input; nothing where it means nothing."""
        self.seen(asked)
        try:
            return self._base.predicted(self._instead[asked], convention)
        except (ConventionError, ArithmeticError):
            return NOTHING


class OfTheSet(Predictor):
    """The values of the queries are put together otherwise."""

    def __init__(
        self, counts: Callable[[Known], bool], mean: Callable[[Sequence[Fraction]], Fraction], base: Predictor
    ) -> None:
        """Take which values count, what becomes of them, and the predictor of the values."""
        super().__init__()
        self._counts = counts
        self._mean = mean
        self._base = base

    def seen(self, asked: ShapedProbe) -> ShapedProbe:
        """Return what is answered."""
        return self._base.seen(asked)

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Put them together; nothing where there are no values of queries."""
        plain = self._base.predicted(asked, convention)
        if plain.says_nothing or plain.value is Undefined.ERROR or convention.aggregate is not Aggregate.MEAN:
            return NOTHING if convention.aggregate is not Aggregate.MEAN else plain
        counting = {query: value for query, value in plain.per_query.items() if self._counts(value)}
        numbers = [value for value in counting.values() if isinstance(value, Fraction)]
        if len(numbers) < len(counting):
            value: Known = Undefined.NAN
        else:
            value = self._mean(numbers) if numbers else comparable(RULES[convention.empty_mean])
        return Predicted(value, counting, plain.terms)


class OfTheValue(Predictor):
    """The exact value goes through a function at the end."""

    def __init__(self, function: Callable[[Fraction], Fraction], base: Predictor) -> None:
        """Take the function, and the predictor of the values."""
        super().__init__()
        self._function = function
        self._base = base

    def seen(self, asked: ShapedProbe) -> ShapedProbe:
        """Return what is answered."""
        return self._base.seen(asked)

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Apply it."""
        plain = self._base.predicted(asked, convention)
        if plain.says_nothing:
            return plain
        return Predicted(
            self._applied(plain.value), {q: self._applied(v) for q, v in plain.per_query.items()}, plain.terms
        )

    def _applied(self, exact: Known) -> Known:
        return exact if isinstance(exact, Undefined) else self._function(exact)


class OfTheQuestion(Predictor):
    """Another question is answered than the one that was put: another cutoff, threshold or depth."""

    def __init__(self, base: Predictor, measure: Callable[[Measure], Measure], depth: int | None = None) -> None:
        """Take the predictor of the questions themselves, what becomes of the measure, and the depth."""
        super().__init__()
        self._base = base
        self._measure = measure
        self._depth = depth
        self._puts_instead: dict[ShapedProbe, ShapedProbe] = {}

    def seen(self, asked: ShapedProbe) -> ShapedProbe:
        """Return what is answered."""
        return self._base.seen(self._instead(asked))

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Predict for the other question; nothing where that has no meaning."""
        if self._depth is not None and self._depth < _longest(asked):
            convention = convention.with_setting("depth", self._depth)
        try:
            return self._base.predicted(self._instead(asked), convention)
        except ConventionError:
            return NOTHING

    def _instead(self, asked: ShapedProbe) -> ShapedProbe:
        if asked not in self._puts_instead:
            measure = self._measure(asked.measure)
            if measure == asked.measure:
                self._puts_instead[asked] = asked
            elif measure.k is not None:  # a cutoff behind every list is as good as one just behind it
                measure = replace(measure, k=max(1, min(measure.k, max(_longest(asked), asked.measure.k or 1))))
            self._puts_instead.setdefault(asked, replace(asked, probe=replace(asked.probe, measure=measure)))
        return self._puts_instead[asked]


def _longest(asked: ShapedProbe) -> int:
    return max((len(asked.run.documents(query)) for query in asked.run), default=0)


class WithFloor(Predictor):
    """A geometric mean has another floor."""

    def __init__(self, floor: Fraction) -> None:
        """Take the floor."""
        super().__init__()
        self._floor = floor

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Predict with it; nothing for the other means."""
        if asked.measure.under(convention).aggregate is not Aggregate.GEOMETRIC:
            return NOTHING
        return super().predicted(asked, convention.with_setting("geometric_floor", self._floor))


class _MeansNothingError(Exception):
    """The deviation means nothing for an estimator, such as more than D where nothing is divided by D."""


class OfTheArea(Predictor):
    """The list or the denominator is changed on the way."""

    def __init__(
        self, blocks: Callable[[Blocks], Blocks] = lambda blocks: blocks, more: Fraction = Fraction(0)
    ) -> None:
        """Take what becomes of the list, and what is added to the denominator."""
        super().__init__()
        self._blocks = blocks
        self._more = more

    def computed(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Evaluate query by query, as the oracle does."""
        if convention.aggregate is Aggregate.MICRO or not is_varied(asked.measure):
            return NOTHING
        try:
            values = {query: comparable(value) for query, value in _values(asked, convention, self._value).items()}
        except UndefinedValueError:
            return Predicted(Undefined.ERROR, {}, 0)
        except _MeansNothingError:
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

    def _value(self, ranking: Ranking, measure: Measure, convention: EffectiveConvention) -> Exact:
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
            raise _MeansNothingError
        return value * divisor / (divisor + self._more)


def _values(
    asked: ShapedProbe, convention: Convention, value: Callable[[Ranking, Measure, EffectiveConvention], Exact]
) -> dict[str, Exact]:
    """Return the value of every query, as the conventions on sets of queries have it."""
    qrels, run, measure = asked.qrels, asked.run, asked.measure
    holding = measure.under(convention)
    values: dict[str, Exact] = {}
    for query in qrels:
        ranking = ranking_of(query, run.documents(query), qrels.grades(query), holding, worth_of(measure, holding))
        if query in run:
            values[query] = value(ranking, measure, holding)
            continue
        no_relevant = None if ranking.relevant(measure.rel) else holding.no_relevant
        values[query] = RULES[rule_of_missing(holding.missing_query, no_relevant)]
    return values | {query: RULES[holding.unknown_query] for query in run if query not in qrels}


def is_varied(measure: Measure) -> bool:
    """Tell whether a measure is an area whose mean the convention chooses."""
    return measure.family.is_area and "aggregate" not in measure.family.implies
