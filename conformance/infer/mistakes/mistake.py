"""A mistake: what a program does that no convention says, and how it predicts with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from fractions import Fraction
from functools import cache

from rankspec.conformance.infer.interview.interview import AND_THAT
from rankspec.conformance.infer.interview.prediction import NOTHING, Predicted, Predictor
from rankspec.conformance.infer.interview.probe import Probe, ShapedProbe
from rankspec.conformance.judge.agreement import Known
from rankspec.conformance.questions.question import best_first
from rankspec.oracle.conventions.axes import Aggregate, MissingQuery
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import Convention, EffectiveConvention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.run import Run
from rankspec.oracle.errors import ConventionError, UndefinedValueError
from rankspec.oracle.evaluation import QueryValues, aggregate_exactly
from rankspec.oracle.measures.gain import label_gain_of
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.measures.values import value_of
from rankspec.oracle.query_set import QuerySet, weights_of
from rankspec.oracle.rankings.ordering import ranking_of
from rankspec.oracle.rankings.ranking import Ranking, is_relevant
from rankspec.oracle.sweeps.exact_values import comparable
from rankspec.oracle.values import Exact, Undefined

Predicting = Callable[[Predictor], Predictor]  # Makes what predicts with a mistake of what predicts without it
Image = Callable[[Fraction, Fraction], bool]  # Of a number and the unit roundoff of what it was computed in
Change = Callable[[ShapedProbe], ShapedProbe]  # What becomes of a question; the very same question where nothing does
_ROUNDINGS = 120  # So many roundings a program has that computes a value in an unheard-of way, beside one a document
ValueOfQuery = Callable[[str, ShapedProbe, EffectiveConvention], Exact | None]
"""`ConventionError` where it means nothing."""
Labels = Callable[[ShapedProbe, str], Mapping[str, int]]  # The judgments by which a query's list is labelled
Counted = Callable[[ShapedProbe, str], Iterable[int]]  # The grades that are counted as a query's judged ones


class Level(IntEnum):
    """Where a mistake acts. One that acts later stands on the predictions of one that acts earlier."""

    AREA = 0  # In the computation itself: it predicts alone, so others stand on it, and it on none
    INPUT = 1
    SET = 2
    VALUE = 3


@dataclass(frozen=True, eq=False)
class Mistake:
    """What a program does that no convention says."""

    name: str  # what differs
    words: str  # what it does
    predictor: Predicting  # makes its predictor of one that predicts without it
    level: Level = Level.INPUT  # where it acts
    # settings of axes that are no part of the space, since they take any number: so it is no mistake
    settings: Mapping[str, Setting] = field(default_factory=dict)
    refuting: Sequence[Probe] = ()  # asked besides random inputs before it is named: where another mistake would show
    image: Image | None = None  # whether a number can be an answer at all, where it acts on values
    # axis -> the settings with which it means something, where these are not all
    restricted: Mapping[str, tuple[Setting, ...]] = field(default_factory=dict)
    components: tuple[Mistake, ...] = ()  # the mistakes of which it consists
    fix: str = ""  # what to change in the program, where that is one edit

    @property
    def lines(self) -> tuple[str, ...]:
        """A line for each thing that differs."""
        parts = self.components or (self,)
        return tuple(f"{each.name}: {each.words.removeprefix(f'{each.name} are ')}" for each in parts)

    @property
    def clauses(self) -> str:
        """What differs, after `except that`."""
        return AND_THAT.join(each.words for each in self.components or (self,))

    @property
    def fixes(self) -> tuple[str, ...]:
        """What to change, a line for each thing that differs and is one edit."""
        return tuple(dict.fromkeys(each.fix for each in self.components or (self,) if each.fix))


def combined(first: Mistake, second: Mistake) -> Mistake | None:
    """Return two mistakes at once; None where they can't be, or are about the same thing."""
    alone = first.level is second.level is Level.AREA
    if first.name == second.name or alone or first.settings or second.settings:
        return None
    # What is computed of the inner one is shared with all that stand on it.
    outer, inner = (second, first) if first.level < second.level else (first, second)
    return Mistake(
        f"{first.name} and {second.name}",
        f"{first.words}; {second.words}",
        outer.predictor,
        outer.level,
        refuting=(*first.refuting, *second.refuting),
        image=outer.image,
        restricted={**first.restricted, **second.restricted},
        components=(outer, inner),
    )


class MistakenPredictor(Predictor):
    """Predicts by any other predictor, so that two go together: another question, convention and answer."""

    def __init__(
        self,
        base: Predictor,
        *,
        change: Change = lambda question: question,
        convention: Callable[[ShapedProbe, Convention], Convention] = lambda _, convention: convention,
        answer: Callable[[Predicted, ShapedProbe, Convention], Predicted] = lambda predicted, _, __: predicted,
        touches: Callable[[ShapedProbe], bool] = lambda _: False,
    ) -> None:
        super().__init__(base.effort)
        self._base = base
        self._answered = cache(change)
        self._convention = convention
        self._answer = answer
        self._touches = touches

    def effective_question(self, question: ShapedProbe) -> ShapedProbe:
        """Return what is answered."""
        return self._base.effective_question(self._answered(question))

    def touches(self, question: ShapedProbe) -> bool:
        """Tell whether it may change the answer to a question, under some convention."""
        return self._touches(question) or self._answered(question) is not question or self._base.touches(question)

    def predicted(self, question: ShapedProbe, convention: Convention) -> Predicted:
        """Predict with it; nothing where it means nothing."""
        try:
            plain = self._base.predicted(self._answered(question), self._convention(question, convention))
        except (ConventionError, ArithmeticError):
            return NOTHING
        if plain.says_nothing or plain.is_beyond_scale:
            return plain
        return self._answer(plain, self.effective_question(question), convention)


def of_input(change: Change) -> Predicting:
    """Answer for another input."""
    return lambda base: MistakenPredictor(base, change=change)


def of_question(measure: Callable[[Measure], Measure]) -> Predicting:
    """Answer another question: another cutoff or threshold."""

    def changed(question: ShapedProbe) -> ShapedProbe:
        other = measure(question.measure)
        if other.k is not None:  # a cutoff behind every list is as good as one just behind it
            other = replace(other, k=max(1, min(other.k, max(question.longest, question.measure.k or 1))))
        is_same = other == question.measure
        return question if is_same else replace(question, probe=replace(question.probe, measure=other))

    return of_input(changed)


def of_depth(depth: int) -> Predicting:
    """Cut every list off before anything else."""

    def cut(question: ShapedProbe, convention: Convention) -> Convention:
        return convention.with_setting("depth", depth) if question.longest > depth else convention

    return lambda base: MistakenPredictor(base, convention=cut, touches=lambda question: question.longest > depth)


def of_floor(floor: Fraction) -> Predicting:
    """Give a geometric mean another floor."""

    def floored(question: ShapedProbe, convention: Convention) -> Convention:
        if question.measure.under(convention).aggregate is not Aggregate.GEOMETRIC:
            raise ConventionError("no other mean has a floor", code="meaningless-combination")
        return convention.with_setting("geometric_floor", floor)

    return lambda base: MistakenPredictor(base, convention=floored, touches=lambda _: True)


def of_value(
    function: Callable[[Fraction], Fraction],
    *,
    is_open: Callable[[Fraction], bool] = lambda _: False,
    slack: Fraction = Fraction(0),
) -> Predicting:
    """Let the value go through a function at the end; `slack` is added, where a roundoff decides between two numbers."""

    def applied(exact: Known) -> Known:
        return exact if isinstance(exact, Undefined) else function(exact)

    def answer(plain: Predicted, _: ShapedProbe, __: Convention) -> Predicted:
        values = {query: applied(value) for query, value in plain.per_query.items()}
        some = any(isinstance(each, Fraction) and is_open(each) for each in (plain.value, *plain.per_query.values()))
        return Predicted(applied(plain.value), values, plain.terms, slack=slack if some else Fraction(0))

    return lambda base: MistakenPredictor(base, answer=answer, touches=lambda _: True)


def of_digits(digits: int, *, is_cut: bool) -> Predicting:
    """Round the value to so many digits, or cut it off after them."""
    scale = Fraction(10) ** digits
    half = 1 / (2 * scale)

    def is_open(value: Fraction) -> bool:
        # A double beside a half is rounded up or down, and one beside a short decimal is cut off to it or the one below.
        return (value * scale).denominator == (1 if is_cut else 2) and value.denominator > 1

    def printed(value: Fraction) -> Fraction:
        if is_cut:
            return value - half if is_open(value) else math.trunc(value * scale) / scale
        return value if is_open(value) else round(value, digits)

    return of_value(printed, is_open=is_open, slack=half)


def of_constant(constant: Fraction) -> Predicting:
    """Give the same value for everything."""
    return lambda base: MistakenPredictor(
        base,
        answer=lambda plain, _, __: Predicted(constant, dict.fromkeys(plain.per_query, constant), plain.terms),
        touches=lambda _: True,
    )


def of_mean(
    mean: Callable[[Mapping[str, Fraction], ShapedProbe], Fraction | None],
    counts: Callable[[Known], bool] = lambda _: True,
    *,
    changes_one: bool = False,
) -> Predicting:
    """Put the values of the queries together otherwise, of those that count; an error where the mean is None."""
    # Of a single query that counts nothing changes, unless the mean says so.

    def answer(plain: Predicted, question: ShapedProbe, convention: Convention) -> Predicted:
        if convention.aggregate is not Aggregate.MEAN:
            return NOTHING
        if plain.value is Undefined.ERROR:
            return plain
        counting = {query: value for query, value in plain.per_query.items() if counts(value)}
        numbers = {query: value for query, value in counting.items() if isinstance(value, Fraction)}
        if len(numbers) < len(counting):
            value: Known | None = Undefined.NAN
        else:
            value = mean(numbers, question) if numbers else comparable(RULES[convention.empty_mean])
        return Predicted(Undefined.ERROR if value is None else value, counting, plain.terms)

    return lambda base: MistakenPredictor(
        base, answer=answer, touches=lambda each: changes_one or len({*each.qrels, *each.run}) > 1
    )


# ---- The value of each query computed in another way


class PerQueryPredictor(Predictor):
    """Queries have other values, put together as the conventions have it."""

    def __init__(
        self,
        base: Predictor,
        *,
        queries: Callable[[ShapedProbe, EffectiveConvention], QuerySet],  # the judgments and lists of a question
        value: ValueOfQuery | None = None,  # of a query; None where it is that of its list
        is_about: Callable[[Measure], bool] = lambda _: True,  # whether it means anything for a measure
        touches: Callable[[ShapedProbe], bool] = lambda _: True,
    ) -> None:
        super().__init__(base.effort)
        self._base = base
        self._is_about, self._queries, self._value = is_about, queries, value
        self._touches = cache(touches)

    def touches(self, question: ShapedProbe) -> bool:
        """Tell whether it may change the answer to a question, under some convention."""
        return self._touches(question)

    def predicted(self, question: ShapedProbe, convention: Convention) -> Predicted:
        """Predict as without it where it changes nothing."""
        if not self.touches(question):
            return self._base.predicted(question, convention)
        return super().predicted(question, convention)

    def computed(self, question: ShapedProbe, convention: Convention) -> Predicted:
        """Evaluate query by query, as the oracle does."""
        measure = question.measure
        if convention.aggregate is Aggregate.MICRO or not self._is_about(measure):
            return NOTHING
        try:
            holding = measure.under(convention)
            queries = self._queries(question, holding)

            def value(query: str) -> Exact:
                own = None if self._value is None else self._value(query, question, holding)
                return value_of(queries.ranking(query, measure, holding), measure, holding) if own is None else own

            exact = QueryValues(measure, queries, holding).of_all(value)
            values = {query: comparable(value) for query, value in exact.items() if value is not Undefined.SKIP}
            negative = any(isinstance(value, Fraction) and value < 0 for value in values.values())
            if convention.aggregate is Aggregate.GEOMETRIC and negative:  # which have no geometric mean
                return NOTHING
            weights = weights_of(values, measure, queries, holding)
            mean = comparable(aggregate_exactly(values.values(), convention, weights))
        except UndefinedValueError:
            return Predicted(Undefined.ERROR, {}, 0)
        except ConventionError:
            return NOTHING
        if Undefined.ERROR in values.values():
            return Predicted(Undefined.ERROR, {}, 0)
        return Predicted(mean, values, _ROUNDINGS + sum(len(question.run.documents(query)) for query in question.run))


def of_two_sets(labels: Labels, counted: Counted) -> Predicting:
    """Label lists by one set of judgments, and count R in another."""

    def reads_judgments(measure: Measure) -> bool:
        return not (measure.family.cuts_by_score or measure.family.is_count or measure.family.is_of_query)

    def are_others(question: ShapedProbe) -> bool:
        own = ((query, question.qrels.grades(query)) for query in question.qrels)
        return any(
            dict(labels(question, query)) != dict(grades) or list(counted(question, query)) != list(grades.values())
            for query, grades in own
        )

    return lambda base: PerQueryPredictor(
        base,
        is_about=reads_judgments,
        queries=lambda question, _: _RelabelledSet(question, labels, counted),
        touches=are_others,
    )


def is_of_one_class(query: str, question: ShapedProbe) -> bool:
    """Tell whether the documents of a query's list are all relevant, or none is, down to the cutoff."""
    grades = question.qrels.grades(query) if query in question.qrels else {}
    top = best_first(question.run, query)[: question.measure.k] if query in question.run else ()
    return len({is_relevant(grades.get(docno), question.measure.rel) for docno in top}) <= 1


def of_one_class(value: Exact) -> Predicting:
    """Give lists of one class a value of their own."""
    return lambda base: PerQueryPredictor(
        base,
        queries=with_empty_lists,
        value=lambda query, question, _: value if is_of_one_class(query, question) else None,
        touches=lambda question: any(is_of_one_class(each, question) for each in (*question.run, *question.qrels)),
    )


def with_empty_lists(question: ShapedProbe, convention: EffectiveConvention) -> QuerySet:
    """Return the judgments and lists of a question; what scores queries 0 that the run lacks gives them empty ones."""
    run = question.run
    if convention.missing_query is MissingQuery.ZERO:
        run = Run.of({each: run.documents(each) for each in (*run, *question.qrels)})
    return QuerySet(question.qrels, run)


class _RelabelledSet(QuerySet):
    """Lists that are labelled by one set of judgments, and whose judged grades are another's."""

    def __init__(self, question: ShapedProbe, labels: Labels, counted: Counted) -> None:
        super().__init__(question.qrels, question.run)
        self._asked, self._labels, self._counted = question, labels, counted

    def ranking(self, query: str, measure: Measure, convention: EffectiveConvention) -> Ranking:
        labels, gain = self._labels(self._asked, query), label_gain_of(measure, convention)
        ranking = ranking_of(query, self.run.documents(query), labels, convention, gain)
        return ranking._replace(judged=tuple(self._counted(self._asked, query)))
