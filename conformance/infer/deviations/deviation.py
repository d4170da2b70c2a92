"""A deviation: what a program does that no convention says, and how it predicts with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from fractions import Fraction

from rankspec.conformance.infer.interview.prediction import NOTHING, Predicted, Predictor
from rankspec.conformance.infer.interview.probe import Probe, ShapedProbe
from rankspec.conformance.judge.agreement import Known
from rankspec.oracle.conventions.axes import Aggregate
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import Convention
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.measures.rules import RULES
from rankspec.oracle.sweeps.exact_values import comparable
from rankspec.oracle.values import Undefined

Made = Callable[[Predictor], Predictor]
Image = Callable[[Fraction, Fraction], bool]
"""Of a number and the unit roundoff of what it was computed in."""
Change = Callable[[ShapedProbe], ShapedProbe]
"""What becomes of a question; the very same question where nothing does."""
Weight = Callable[[ShapedProbe, str], Fraction | int]
"""Of a query in a question."""


class Level(IntEnum):
    """Where a deviation acts. One that acts later stands on the predictions of one that acts earlier."""

    AREA = 0
    """In the computation itself: it predicts alone, so others stand on it, and it on none."""
    INPUT = 1
    SET = 2
    VALUE = 3


@dataclass(frozen=True, eq=False)
class Deviation:
    """A deviation.

    Attributes:
        name: what differs.
        words: what it does.
        made: makes its predictor of one that predicts without it.
        level: where it acts.
        settings: settings of axes that are no part of the space, since they take any number: so it is no deviation.
        refuting: what is asked besides random inputs before it is named: where it would show that it is another one.
        image: whether a number can be an answer at all, where it acts on values.
        restricted: axis -> the settings with which it means something, where these are not all.
        parts: the deviations of which it consists.
        fix: what to change in the program, where that is one edit.
    """

    name: str
    words: str
    made: Made
    level: Level = Level.INPUT
    settings: Mapping[str, Setting] = field(default_factory=dict)
    refuting: Sequence[Probe] = ()
    image: Image | None = None
    restricted: Mapping[str, tuple[Setting, ...]] = field(default_factory=dict)
    parts: tuple[Deviation, ...] = ()
    fix: str = ""

    @property
    def said(self) -> tuple[str, ...]:
        """A line for each thing that differs."""
        return tuple(f"{each.name}: {each.words.removeprefix(f'{each.name} are ')}" for each in self.parts or (self,))

    @property
    def clauses(self) -> str:
        """What differs, after `except that`."""
        return "; and that ".join(each.words for each in self.parts or (self,))

    @property
    def fixes(self) -> tuple[str, ...]:
        """What to change, a line for each thing that differs and is one edit."""
        return tuple(dict.fromkeys(each.fix for each in self.parts or (self,) if each.fix))

    def means_something(self, convention: Convention) -> bool:
        """Tell whether it does under a convention."""
        return all(getattr(convention, axis) in settings for axis, settings in self.restricted.items())


def together(first: Deviation, second: Deviation) -> Deviation | None:
    """Return two deviations at once; None where they can't be, or are about the same thing."""
    alone = first.level is second.level is Level.AREA
    if first.name == second.name or alone or first.settings or second.settings:
        return None
    # What is computed of the inner one is shared with all that stand on it.
    outer, inner = (second, first) if first.level < second.level else (first, second)
    return Deviation(
        f"{first.name} and {second.name}",
        f"{first.words}; {second.words}",
        outer.made,
        outer.level,
        refuting=(*first.refuting, *second.refuting),
        image=outer.image,
        restricted={**first.restricted, **second.restricted},
        parts=(outer, inner),
    )


class Deviated(Predictor):
    """Predicts by another predictor: for another question, under another convention, and with another answer.

    It stands on any other one, so that two deviations go together, and computes nothing that the other one knows.
    """

    def __init__(
        self,
        base: Predictor,
        *,
        question: Change = lambda asked: asked,
        convention: Callable[[ShapedProbe, Convention], Convention] = lambda _, convention: convention,
        answer: Callable[[Predicted, ShapedProbe, Convention], Predicted] = lambda predicted, _, __: predicted,
        touches: Callable[[ShapedProbe], bool] = lambda _: False,
    ) -> None:
        """Take what predicts without the deviation, and what the deviation changes.

        Args:
            base: predicts the answers without it.
            question: what is answered instead of a question.
            convention: under which convention a question is answered. Raises ``ConventionError`` where there is none.
            answer: what becomes of what is predicted for a question under a convention.
            touches: whether it may change the answer to a question that it leaves as it is.
        """
        super().__init__(base.effort)
        self._base = base
        self._question = question
        self._convention = convention
        self._answer = answer
        self._touches = touches
        self._instead: dict[ShapedProbe, ShapedProbe] = {}

    def _answered(self, asked: ShapedProbe) -> ShapedProbe:
        if asked not in self._instead:
            self._instead[asked] = self._question(asked)
        return self._instead[asked]

    def seen(self, asked: ShapedProbe) -> ShapedProbe:
        """Return what is answered."""
        return self._base.seen(self._answered(asked))

    def touches(self, asked: ShapedProbe) -> bool:
        """Tell whether it may change the answer to a question, under some convention."""
        return self._touches(asked) or self._answered(asked) is not asked or self._base.touches(asked)

    def predicted(self, asked: ShapedProbe, convention: Convention) -> Predicted:
        """Predict with it; nothing where it means nothing."""
        try:
            plain = self._base.predicted(self._answered(asked), self._convention(asked, convention))
        except (ConventionError, ArithmeticError):
            return NOTHING
        if plain.says_nothing or plain.is_beyond_scale:
            return plain
        return self._answer(plain, self.seen(asked), convention)


def of_input(change: Change) -> Made:
    """Answer for another input."""
    return lambda base: Deviated(base, question=change)


def of_question(measure: Callable[[Measure], Measure]) -> Made:
    """Answer another question: another cutoff or threshold."""

    def changed(asked: ShapedProbe) -> ShapedProbe:
        other = measure(asked.measure)
        if other.k is not None:  # a cutoff behind every list is as good as one just behind it
            other = replace(other, k=max(1, min(other.k, max(asked.longest, asked.measure.k or 1))))
        return asked if other == asked.measure else replace(asked, probe=replace(asked.probe, measure=other))

    return of_input(changed)


def of_depth(depth: int) -> Made:
    """Cut every list off before anything else."""

    def is_longer(asked: ShapedProbe) -> bool:
        return asked.longest > depth

    def cut(asked: ShapedProbe, convention: Convention) -> Convention:
        return convention.with_setting("depth", depth) if is_longer(asked) else convention

    return lambda base: Deviated(base, convention=cut, touches=is_longer)


def of_floor(floor: Fraction) -> Made:
    """Give a geometric mean another floor."""

    def floored(asked: ShapedProbe, convention: Convention) -> Convention:
        if asked.measure.under(convention).aggregate is not Aggregate.GEOMETRIC:
            raise ConventionError("no other mean has a floor", code="meaningless-combination")
        return convention.with_setting("geometric_floor", floor)

    return lambda base: Deviated(base, convention=floored, touches=lambda _: True)


def of_value(function: Callable[[Fraction], Fraction]) -> Made:
    """Let the value go through a function at the end."""

    def answer(plain: Predicted, _: ShapedProbe, __: Convention) -> Predicted:
        values = {query: _applied(function, value) for query, value in plain.per_query.items()}
        return Predicted(_applied(function, plain.value), values, plain.terms)

    return lambda base: Deviated(base, answer=answer, touches=lambda _: True)


def of_rounding(digits: int) -> Made:
    """Round the value to so many digits."""
    scale = Fraction(10) ** digits

    def is_halfway(value: Fraction) -> bool:
        return (value * scale).denominator == 2  # noqa: PLR2004 - a half

    return _of_digits(digits, lambda value: value if is_halfway(value) else round(value, digits), is_halfway)


def of_cutting_off(digits: int) -> Made:
    """Cut the value off after so many digits."""
    scale = Fraction(10) ** digits

    def is_shown(value: Fraction) -> bool:
        return (value * scale).denominator == 1 < value.denominator

    def cut(value: Fraction) -> Fraction:
        return value - 1 / (2 * scale) if is_shown(value) else math.trunc(value * scale) / scale

    return _of_digits(digits, cut, is_shown)


def _of_digits(digits: int, function: Callable[[Fraction], Fraction], is_open: Callable[[Fraction], bool]) -> Made:
    """Let the value go through a function that gives the middle of two numbers where a roundoff decides for either."""
    half = Fraction(1, 2) / Fraction(10) ** digits

    def answer(plain: Predicted, _: ShapedProbe, __: Convention) -> Predicted:
        values = {query: _applied(function, value) for query, value in plain.per_query.items()}
        some = any(isinstance(each, Fraction) and is_open(each) for each in (plain.value, *plain.per_query.values()))
        value = _applied(function, plain.value)
        return Predicted(value, values, plain.terms, beside=half if some else Fraction(0))

    return lambda base: Deviated(base, answer=answer, touches=lambda _: True)


def _applied(function: Callable[[Fraction], Fraction], exact: Known) -> Known:
    return exact if isinstance(exact, Undefined) else function(exact)


def of_constant(constant: Fraction) -> Made:
    """Give the same value for everything."""

    def answer(plain: Predicted, _: ShapedProbe, __: Convention) -> Predicted:
        return Predicted(constant, dict.fromkeys(plain.per_query, constant), plain.terms)

    return lambda base: Deviated(base, answer=answer, touches=lambda _: True)


def of_set(
    mean: Callable[[Sequence[Fraction]], Fraction],
    counts: Callable[[Known], bool] | None = None,
    *,
    changes_one: bool = False,
) -> Made:
    """Put the values of the queries together otherwise, of those that count; a single one stays, or changes as well."""

    def answer(values: Mapping[str, Known], _: ShapedProbe) -> tuple[Mapping[str, Known], Known | None]:
        counting = {query: value for query, value in values.items() if counts is None or counts(value)}
        numbers = [value for value in counting.values() if isinstance(value, Fraction)]
        if len(numbers) < len(counting):
            return counting, Undefined.NAN
        return counting, mean(numbers) if numbers else None

    return _of_mean(answer, touches=lambda asked: changes_one or counts is not None or _has_several_queries(asked))


def of_mean(
    mean: Callable[[Sequence[Fraction], tuple[list[str], list[str]]], Fraction | None], *, changes_one: bool
) -> Made:
    """Put the values together otherwise, knowing the queries of qrels and run; an error where there is no number."""

    def answer(values: Mapping[str, Known], seen: ShapedProbe) -> tuple[Mapping[str, Known], Known | None]:
        numbers = [value for value in values.values() if isinstance(value, Fraction)]
        if len(numbers) < len(values):
            return values, Undefined.NAN
        if not numbers:
            return values, None
        value = mean(numbers, (list(seen.qrels), list(seen.run)))
        return values, Undefined.ERROR if value is None else value

    return _of_mean(answer, touches=lambda asked: changes_one or _has_several_queries(asked))


def of_nan(is_nan: Callable[[ShapedProbe, str], bool]) -> Made:
    """Let the value of some queries be no number, and so the mean with them."""

    def touches(asked: ShapedProbe) -> bool:
        return any(is_nan(asked, query) for query in asked.qrels)

    def answer(plain: Predicted, seen: ShapedProbe, _: Convention) -> Predicted:
        if plain.value is Undefined.ERROR:
            return plain
        values = {query: Undefined.NAN if is_nan(seen, query) else value for query, value in plain.per_query.items()}
        return Predicted(Undefined.NAN if touches(seen) else plain.value, values, plain.terms)

    return lambda base: Deviated(base, answer=answer, touches=touches)


def of_weights(weight: Weight, *, chooses: bool = False) -> Made:
    """Take a weighted mean over queries; it may leave out those of no weight. 0 where no query weighs anything."""

    def answer(values: Mapping[str, Known], seen: ShapedProbe) -> tuple[Mapping[str, Known], Known | None]:
        weighed = [(value, weight(seen, query)) for query, value in values.items()]
        if chooses:
            weighed = [(value, weight) for value, weight in weighed if weight]
        numbers = [(value, weight) for value, weight in weighed if isinstance(value, Fraction)]
        if len(numbers) < len(weighed):
            return values, Undefined.NAN
        total = sum((weight for _, weight in numbers), Fraction(0))
        added = sum((value * weight for value, weight in numbers), Fraction(0))
        return values, (added / total if total else Fraction(0)) if weighed else None

    return _of_mean(answer, touches=_has_several_queries)


def _of_mean(
    mean: Callable[[Mapping[str, Known], ShapedProbe], tuple[Mapping[str, Known], Known | None]],
    touches: Callable[[ShapedProbe], bool],
) -> Made:
    """Put values together otherwise: which of them are answered, and their mean, None where there is nothing."""

    def answer(plain: Predicted, seen: ShapedProbe, convention: Convention) -> Predicted:
        if convention.aggregate is not Aggregate.MEAN:
            return NOTHING
        if plain.value is Undefined.ERROR:
            return plain
        values, value = mean(plain.per_query, seen)
        return Predicted(comparable(RULES[convention.empty_mean]) if value is None else value, values, plain.terms)

    return lambda base: Deviated(base, answer=answer, touches=touches)


def _has_several_queries(asked: ShapedProbe) -> bool:
    return len({*asked.qrels, *asked.run}) > 1
