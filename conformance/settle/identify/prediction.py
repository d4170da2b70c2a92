"""What a convention demands of a probe, remembered for all conventions that the probe can't tell apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from rankspec.conformance.judge.bounds import UNIT_FLOAT32, UNIT_FLOAT64, forward_error, rounding_error
from rankspec.conformance.questions.expectation import Expectation, expected
from rankspec.conformance.run.outcomes import Number, Outcome, PerQuery, Raised
from rankspec.conformance.settle.identify.probe import Put
from rankspec.conformance.worker.values import Special
from rankspec.oracle.conventions.axes import Aggregate, ScorePrecision
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.errors import InputError
from rankspec.oracle.sweeps.exact_values import comparable
from rankspec.oracle.values import Undefined, to_text

Known = Fraction | Undefined
"""A value that equals every equal one; irrational ones are known to more places than any program has."""


@dataclass(frozen=True)
class Predicted:
    """The exact answer: of the set, and of each query that counts; `terms` bound the error of a program in floats.

    `expectation` is what it was taken from, where nothing was done to it.
    """

    value: Known
    per_query: Mapping[str, Known]
    terms: int
    expectation: Expectation | None = None

    def answer(self, *, one_mean: bool) -> object:
        """Return what an implementation shows of it, so that equal answers are equal values."""
        if self.value is Undefined.ERROR:
            return self.value
        if not one_mean:
            return frozenset(self.per_query.items())
        return Undefined.NAN if isinstance(self.value, Undefined) else self.value


class Predictor:
    """Predicts answers under conventions."""

    def __init__(self) -> None:
        """Start with nothing remembered."""
        self._known: dict[tuple[int, tuple[Setting, ...]], Predicted] = {}
        self._puts: dict[int, Put] = {}

    def predicted(self, asked: Put, convention: Convention) -> Predicted:
        """Return what the convention demands."""
        key = (id(asked), tuple(_setting(asked, axis, convention) for axis in _axes(asked)))
        if key not in self._known:
            self._puts[id(asked)] = asked  # so that no other gets its number
            settings = dict(zip(_axes(asked), key[1], strict=True))
            self._known[key] = self.computed(asked, replace(DEFAULT, **settings))  # type: ignore[arg-type]
        return self._known[key]

    def computed(self, asked: Put, convention: Convention) -> Predicted:
        """Ask the oracle."""
        try:
            expectation = expected(asked.measure, asked.qrels, asked.run, convention)
        except InputError:  # no score lies between two infinities
            return Predicted(Undefined.NAN, {}, 0)
        per_query = {query: comparable(exact) for query, exact in expectation.exact_per_query.items()}
        return Predicted(comparable(expectation.exact), per_query, expectation.terms, expectation)


def _axes(asked: Put) -> tuple[str, ...]:
    """Return the axes that can matter. A geometric mean has a floor even for one query."""
    return tuple(dict.fromkeys([*asked.settings, "depth", "geometric_floor", "geometric_zero", "aggregate"]))


_OF_GEOMETRIC_MEANS = frozenset({"geometric_floor", "geometric_zero"})


def _setting(asked: Put, axis: str, convention: Convention) -> Setting:
    setting: Setting = getattr(convention, axis)
    if axis == "score_precision":
        listed = asked.settings[axis]
        if setting is ScorePrecision.FLOAT32 and setting not in listed:
            setting = ScorePrecision.FLOAT64
        if setting is ScorePrecision.FLOAT64 and setting not in listed:
            setting = ScorePrecision.EXACT
    elif axis == "aggregate" and setting is Aggregate.MICRO and _is_one_ranked_query(asked):
        setting = Aggregate.MEAN
    elif axis in _OF_GEOMETRIC_MEANS and asked.measure.under(convention).aggregate is not Aggregate.GEOMETRIC:
        setting = getattr(DEFAULT, axis)
    return setting


def _is_one_ranked_query(asked: Put) -> bool:
    """Tell whether pooling has nothing to pool. Where nothing is pooled at all, R is 0, and a mean is over no query."""
    return (
        len({*asked.qrels, *asked.run}) == 1 and all(query in asked.run for query in asked.qrels) and any(asked.qrels)
    )


def fits(outcome: Outcome | None, predicted: Predicted, *, singles: bool = False) -> bool:
    """Tell whether an answer is the predicted one, within the bounds of a program in doubles (or in singles)."""
    match outcome:
        case Number():
            return _close(outcome, predicted.value, predicted.terms, singles=singles)
        case PerQuery(values, overall):
            return (
                predicted.value is not Undefined.ERROR
                and _has_queries(outcome, predicted)
                and all(
                    _close(number, predicted.per_query[query], predicted.terms, singles=singles)
                    for query, number in values.items()
                )
                and (overall is None or _close(overall, predicted.value, predicted.terms, singles=singles))
            )
        case Raised():
            return predicted.value is Undefined.ERROR
        case _:
            return False


def _has_queries(answer: PerQuery, predicted: Predicted) -> bool:
    """Tell whether the queries that count have values; whoever tells the value of the set may leave out some."""
    if answer.overall is None:
        return answer.values.keys() == predicted.per_query.keys()
    return answer.values.keys() <= predicted.per_query.keys()


def _close(number: Number, exact: Known, terms: int, *, singles: bool) -> bool:
    if isinstance(exact, Undefined):
        return number.value is Special.NAN and exact is not Undefined.ERROR
    if isinstance(number.value, Special):
        return False
    unit = UNIT_FLOAT32 if singles else UNIT_FLOAT64
    error = abs(number.value - exact)
    return error == 0 or error <= forward_error(terms, abs(exact), unit) + rounding_error(number.unit)


def distance(outcome: Outcome | None, predicted: Predicted) -> float:
    """Return how far an answer is from the predicted one; what is no number is far from every number."""
    match outcome:
        case Number():
            return _apart(outcome, predicted.value)
        case PerQuery(values, overall):
            if predicted.value is Undefined.ERROR or not _has_queries(outcome, predicted):
                return _FAR
            pairs = [(number, predicted.per_query[query]) for query, number in values.items()]
            if overall is not None:
                pairs.append((overall, predicted.value))
            return max((_apart(number, exact) for number, exact in pairs), default=0.0)
        case _:
            return 0.0 if fits(outcome, predicted) else _FAR


_FAR = 10.0


def _apart(number: Number, exact: Known) -> float:
    if isinstance(exact, Undefined) or isinstance(number.value, Special):
        return 0.0 if _close(number, exact, 0, singles=False) else _FAR
    return min(float(abs(number.value - exact)), _FAR)


def all_singles(outcomes: list[Outcome]) -> bool:
    """Tell whether all numbers are ones that a single holds, and some are none that a double would be rounded to.

    So it is an implementation in singles, and held to their bound.
    """
    numbers = [number for outcome in outcomes for number in _numbers(outcome)]
    return bool(numbers) and all(Fraction(float(np.float32(float(number)))) == number for number in numbers)


def _numbers(outcome: Outcome) -> list[Fraction]:
    match outcome:
        case Number(value):
            return [value] if isinstance(value, Fraction) and abs(value) < math.inf else []
        case PerQuery(values):
            return [number.value for number in values.values() if isinstance(number.value, Fraction)]
        case _:
            return []


def predicted_text(predicted: Predicted, *, one_mean: bool) -> str:
    """Write what was predicted."""
    demanded = predicted.expectation
    if one_mean or predicted.value is Undefined.ERROR:
        return _text(predicted.value) if demanded is None else demanded.text
    values: Mapping[str, str] = (
        {query: _text(value) for query, value in predicted.per_query.items()}
        if demanded is None
        else {query: to_text(value) for query, value in demanded.per_query.items()}
    )
    return ", ".join(f"{query}: {text}" for query, text in values.items()) or "nothing"


def _text(value: Known) -> str:
    return str(value.value if isinstance(value, Undefined) else value)
