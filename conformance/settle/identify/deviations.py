"""Named deviations: what programs do that no convention says, each tried with all conventions.

A deviation that explains every answer, together with a convention, is what the program does, as far as anybody can see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from rankspec.conformance.judge.agreement import Known
from rankspec.conformance.settle.identify.prediction import NOTHING, Predicted, Predictor
from rankspec.conformance.settle.identify.probe import Probe, ShapedProbe
from rankspec.conformance.settle.identify.reach import BEYOND, both_sides
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import Convention, EffectiveConvention
from rankspec.oracle.conventions.declarations.family import Cut
from rankspec.oracle.conventions.interpolations import INTERPOLATIONS
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError, UndefinedValueError
from rankspec.oracle.evaluation import aggregate_exactly
from rankspec.oracle.measures.average_precision import area_under
from rankspec.oracle.measures.denominators import Counts, denominator
from rankspec.oracle.measures.rules import RULES, mean_over_lists, rule_of_missing
from rankspec.oracle.measures.worth import worth_of
from rankspec.oracle.rankings.cutting import Blocks, cut, uncut_lists
from rankspec.oracle.rankings.ordering import ranking_of
from rankspec.oracle.rankings.ranking import Ranking, hits, length
from rankspec.oracle.sweeps.exact_values import comparable
from rankspec.oracle.values import Exact, Undefined, worst


@dataclass(frozen=True)
class Deviation:
    """A deviation: what it is called, and how it predicts."""

    words: str
    predictor: Callable[[], Predictor]
    settings: Mapping[str, Setting] = field(default_factory=dict)
    """Settings of axes that are no part of the space, since they take any number: so it is no deviation at all."""
    refuting: Sequence[Probe] = ()
    """What is asked besides random inputs before it is named: where it would show that it is another one."""


class OfTheValue(Predictor):
    """The exact value goes through a function at the end."""

    def __init__(self, function: Callable[[Fraction], Fraction], base: Predictor) -> None:
        """Take the function, and the predictor of the values."""
        super().__init__()
        self._function = function
        self._base = base

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

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Predict for the other question; where it is the same one, as the base does."""
        longest = max((len(asked.run.documents(query)) for query in asked.run), default=0)
        if self._depth is not None:
            if self._depth >= longest:
                return self._base.predicted(asked, convention)
            convention = convention.with_setting("depth", self._depth)
        if asked not in self._puts_instead:
            measure = self._measure(asked.measure)
            if measure == asked.measure:
                self._puts_instead[asked] = asked
            elif measure.k is not None:  # a cutoff behind every list is as good as one just behind it
                measure = replace(measure, k=max(1, min(measure.k, max(longest, asked.measure.k or 1))))
            self._puts_instead.setdefault(asked, replace(asked, probe=replace(asked.probe, measure=measure)))
        if self._puts_instead[asked] is asked and self._depth is None:
            return self._base.predicted(asked, convention)
        return super().predicted(self._puts_instead[asked], convention)

    def computed(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Say nothing where the other question has no meaning."""
        try:
            return super().computed(asked, convention)
        except ConventionError:
            return NOTHING


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
        if convention.aggregate is Aggregate.MICRO or not _is_varied(asked.measure):
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


def _questions(base: Measure, predictor: Predictor, reach: int | None) -> Iterator[Deviation]:
    """Yield the deviations that are another cutoff, threshold or depth."""

    def _question(
        measure: Callable[[Measure], Measure] = lambda measure: measure, depth: int | None = None
    ) -> Callable[[], Predictor]:
        return lambda: OfTheQuestion(predictor, measure, depth)

    refuting = [] if reach is None else both_sides(reach, base if base.k is None else replace(base, k=BEYOND))
    if reach is not None:
        yield Deviation(
            f"looks at the first {reach} documents of a query alone", _question(depth=reach), {"depth": reach}, refuting
        )
    if base.k is not None:
        yield Deviation("cuts off one document late: k + 1", _question(lambda measure: _with_k(measure, 1)))
        yield Deviation("cuts off one document early: k - 1", _question(lambda measure: _with_k(measure, -1)))
    if base.k is not None and base.family.cut is Cut.OPTIONAL:
        yield Deviation("ignores its cutoff", _question(lambda measure: replace(measure, k=10**6)))
    if base.k is not None and reach is not None:
        words = f"takes no cutoff above {reach}: k is min(k, {reach})"
        at_most = _question(lambda measure: replace(measure, k=min(measure.k or reach, reach)))
        yield Deviation(words, at_most, refuting=refuting)
    if "rel" not in base.family.parameters:
        return
    yield Deviation(
        "counts a grade as relevant only above the threshold",
        _question(lambda measure: replace(measure, rel=measure.rel + 1)),
    )
    if base.rel > 0:
        yield Deviation(
            "counts a grade as relevant that is one below the threshold",
            _question(lambda measure: replace(measure, rel=measure.rel - 1)),
        )


def _is_varied(measure: Measure) -> bool:
    """Tell whether a measure is an area whose mean the convention chooses."""
    return measure.family.is_area and "aggregate" not in measure.family.implies


def _with_k(measure: Measure, more: int) -> Measure:
    # Nothing is left of a cutoff at 1 that is one less: the list is empty.
    return replace(measure, k=max(1, (measure.k or 1) + more))


def deviations(base: Measure, predictor: Predictor, reach: int | None, apart: float) -> Iterator[Deviation]:
    """Yield the deviations that are tried, the plainest first.

    Args:
        base: the measure.
        predictor: predicts without a deviation.
        reach: how far down a list it looks, None if it is the whole list.
        apart: how far the nearest convention is from the answers at most; more than an epsilon brings about or less,
            and no epsilon is tried.
    """
    yield from _questions(base, predictor, reach)
    for exponent in range(2, 17):
        floor = Fraction(1, 10**exponent)
        words = f"raises values to 1e-{exponent} at least before it takes their geometric mean"
        yield Deviation(words, lambda floor=floor: WithFloor(floor), {"geometric_floor": floor})  # type: ignore[misc]
    if _is_varied(base):
        yield Deviation("divides by D + 1, one more than the denominator", _area(more=Fraction(1)))
        for exponent in (
            exponent for exponent in range(3, 17) if 10.0**-exponent / 100 <= apart <= 10.0 ** (3 - exponent)
        ):
            more = Fraction(1, 10**exponent)
            yield Deviation(f"divides by D + 1e-{exponent}: an epsilon in the denominator", _area(more=more))
        yield Deviation(
            "counts ranks from one too high: precision is hits / (rank + 1)", _area(lambda blocks: ((0,), *blocks))
        )
        yield Deviation("leaves out the last document of the list", _area(lambda blocks: blocks[:-1]))
        yield Deviation("leaves out the first document of the list", _area(lambda blocks: blocks[1:]))
    yield Deviation("returns percent: 100 times the value", _value(lambda value: 100 * value, predictor))
    yield Deviation("returns 1 - the value", _value(lambda value: 1 - value, predictor))
    yield Deviation("returns the value with the other sign", _value(lambda value: -value, predictor))
    for digits in (digits for digits in range(1, 13) if apart <= 10.0**-digits):
        rounded = _value(lambda value, digits=digits: round(value, digits), predictor)  # type: ignore[misc]
        yield Deviation(f"rounds to {digits} digits", rounded)


def _area(
    blocks: Callable[[Blocks], Blocks] = lambda blocks: blocks, more: Fraction = Fraction(0)
) -> Callable[[], Predictor]:
    return lambda: OfTheArea(blocks, more)


def _value(function: Callable[[Fraction], Fraction], predictor: Predictor) -> Callable[[], Predictor]:
    return lambda: OfTheValue(function, predictor)
