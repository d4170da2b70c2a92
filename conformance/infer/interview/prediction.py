"""What a convention demands of a probe, remembered for all conventions that the probe can't tell apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction

from rankspec.conformance.infer.interview.probe import ShapedProbe
from rankspec.conformance.judge import agreement
from rankspec.conformance.questions.expectation import Expectation
from rankspec.conformance.questions.roundings import Roundings
from rankspec.conformance.run import outcomes
from rankspec.conformance.worker.values import Special
from rankspec.oracle.conventions.axes import Interpolation, Ties
from rankspec.oracle.conventions.axis import Setting
from rankspec.oracle.conventions.convention import DEFAULT, Convention
from rankspec.oracle.data.run import Retrieved
from rankspec.oracle.errors import InputError
from rankspec.oracle.sweeps.exact_values import comparable
from rankspec.oracle.values import AnyValue, Undefined, to_text

_BEYOND_SCALE = "beyond the scale"  # What is shown of any answer where a grade is beyond the scale
MOST_PREDICTIONS = 3_000_000
"""The budget of one pass of conventions over all answers. Who computes AP@1000 of dicts is identified after 670,000."""
COMPUTATION = 20  # What an evaluation costs, in predictions that are known already
_SHORT = 30  # Up to so many documents an evaluation costs the same
_ALL_ORDERS = 5  # A mean over all orders of ties costs some five evaluations where steps add up
_FAR = 10.0  # Farther than any two values of a measure that lies between 0 and 1


@dataclass(frozen=True)
class Predicted(agreement.Demand):
    """The exact answer."""

    terms: Roundings | int  # they bound the error of a program in floats
    expectation: Expectation | None = None  # what it was taken from, where nothing was done to it
    says_nothing: bool = False  # it is no answer's prediction: of a deviation that means nothing under a convention
    # A grade is, so every number fits: the oracle demands an error, and programs that ignore the scale are right too.
    is_beyond_scale: bool = False
    slack: Fraction = Fraction(0)  # an answer may be off by it, where a roundoff decides how it is rounded

    def answer(self, *, one_mean: bool) -> object:
        """Return what an implementation shows of it, so that equal answers are equal values."""
        if self.says_nothing:
            return None
        if self.is_beyond_scale:
            return _BEYOND_SCALE
        if self.value is Undefined.ERROR:
            return self.value
        if not one_mean:
            return frozenset(self.per_query.items())
        return Undefined.NAN if isinstance(self.value, Undefined) else self.value


NOTHING = Predicted(Undefined.ERROR, {}, 0, says_nothing=True)
"""What is predicted where there is nothing to predict: no answer fits it, and no exception either."""


class OverBudgetError(Exception):
    """A search would take more predictions than its budget: an ordinary outcome, which whoever searches catches."""


@dataclass
class Effort:
    """What predictions cost, counted and not timed, so that a search with a budget is the same on every machine."""

    spent: int = 0
    _end: float = math.inf

    @contextmanager
    def within(self, budget: int | None = None) -> Iterator[None]:
        """Let predictions raise `OverBudgetError` once a budget is spent, or that of a search around this one."""
        around = self._end
        self._end = min(around, self.spent + (MOST_PREDICTIONS if budget is None else budget))
        try:
            yield
        finally:
            self._end = around

    def compute(self, question: ShapedProbe, convention: Convention) -> None:
        """Count an evaluation by the oracle: some 20 times as long, more with long lists, much more over all orders."""
        documents = sum(len(question.run.documents(query)) for query in question.run)
        orders = 1
        if convention.ties is Ties.EXPECTED:
            # A mean over all orders adds up term by term where steps do; elsewhere it grows as the fourth power of a
            # block: the envelope's takes 0.01 s of 17 tied documents, 0.1 s of 33, 13 s of 101.
            is_step = convention.interpolation is Interpolation.STEP
            orders = _ALL_ORDERS + (0 if is_step else question.tied_in_fourth_powers // 10**4)
        self.add(COMPUTATION * orders * (1 + documents // _SHORT))

    def add(self, cost: int) -> None:
        """Count what costs as much as so many predictions; `OverBudgetError` once the budget is spent."""
        self.spent += cost
        if self.spent > self._end:
            raise OverBudgetError


class Predictor:
    """Predicts answers under conventions."""

    def __init__(self, effort: Effort | None = None) -> None:
        """Start with nothing remembered; what it costs is counted together with what others cost."""
        self.effort = effort or Effort()
        self._known: dict[tuple[int, tuple[Setting, ...]], Predicted] = {}
        self._puts: dict[int, ShapedProbe] = {}

    def effective_question(self, question: ShapedProbe) -> ShapedProbe:
        """Return the question that is answered: the one that was put, or what a deviation makes of it."""
        return question

    def touches(self, question: ShapedProbe) -> bool:  # noqa: ARG002 - it is so for every question
        """Tell whether a deviation may change the answer to a question, under some convention."""
        return False

    def predicted(self, question: ShapedProbe, convention: Convention) -> Predicted:
        """Return what the convention demands."""
        self.effort.add(1)
        known = self._known.get(key := (id(question), question.settings_under(convention)))
        if known is None:
            self._puts[id(question)] = question  # so that no other gets its number
            self.effort.compute(question, convention)
            settings = dict(zip(question.predicting, key[1], strict=True))
            assumed = DEFAULT.with_settings(settings)
            known = self.computed(question, assumed)
            if question.measure.family.has("err_max_grade") and question.highest_grade > assumed.err_max_grade:
                known = replace(known, is_beyond_scale=True)
            self._known[key] = known
        return known

    def computed(self, question: ShapedProbe, convention: Convention) -> Predicted:
        """Ask the oracle."""
        try:
            expectation = question.demands.under(convention)
        except InputError:  # no score lies between two infinities
            return Predicted(Undefined.NAN, {}, 0)
        per_query = {query: comparable(exact) for query, exact in expectation.exact_per_query.items()}
        return Predicted(comparable(expectation.exact), per_query, expectation.roundings, expectation)


def has_repeats(documents: Sequence[Retrieved]) -> bool:
    """Tell whether a document appears twice in a list."""
    return len({each.docno for each in documents}) < len(documents)


def fits(outcome: outcomes.Outcome | None, predicted: Predicted, *, singles: bool = False) -> bool:
    """Tell whether an answer is the predicted one, within the bounds of a program in doubles (or in singles)."""
    if outcome is None or predicted.says_nothing:
        return False
    if predicted.is_beyond_scale and isinstance(outcome, outcomes.Number | outcomes.PerQuery):
        return True
    if outcomes.is_refusal(outcome):
        return predicted.value is Undefined.ERROR
    unit = agreement.UNIT_FLOAT32 if singles else agreement.UNIT_FLOAT64
    return agreement.agrees(outcome, predicted, agreement.Bound(predicted.terms, unit, slack=predicted.slack))


def distance(outcome: outcomes.Outcome | None, predicted: Predicted) -> float:
    """Return how far an answer is from the predicted one; what is not a number is far from every number."""
    if predicted.says_nothing:
        return _FAR
    match outcome:
        case outcomes.Number():
            return _apart(outcome, predicted.value)
        case outcomes.PerQuery(values, overall):
            if predicted.value is Undefined.ERROR or not agreement.has_queries(outcome, predicted):
                return _FAR
            pairs = [(number, predicted.per_query[query]) for query, number in values.items()]
            if overall is not None:
                pairs.append((overall, predicted.value))
            return max((_apart(number, exact) for number, exact in pairs), default=0.0)
        case _:
            return 0.0 if fits(outcome, predicted) else _FAR


def _apart(number: outcomes.Number, exact: agreement.Known) -> float:
    if isinstance(exact, Undefined) or isinstance(number.value, Special):
        return 0.0 if agreement.near(number, exact, agreement.Bound(0, agreement.UNIT_FLOAT64)) else _FAR
    return float(min(abs(number.value - exact), Fraction(_FAR)))  # it may lie beyond every double


def all_singles(answers: list[outcomes.Outcome]) -> bool:
    """Tell whether all numbers are ones that a single holds, and some are none that a double would be rounded to."""
    # So it is an implementation in singles, and held to their bound.
    numbers = [number for answer in answers for number in numbers_of(answer)]
    return bool(numbers) and all(map(agreement.is_single, numbers))


def numbers_of(outcome: outcomes.Outcome) -> list[Fraction]:
    """Return the numbers of an answer, NaN and the infinities left out."""
    match outcome:
        case outcomes.Number(value):
            values = [value]
        case outcomes.PerQuery(by_query):
            values = [number.value for number in by_query.values()]
        case _:
            values = []
    return [value for value in values if isinstance(value, Fraction)]


def decimal_places(numbers: Sequence[Fraction], unit: Fraction) -> int | None:
    """Return how many digits after the point numbers have that are rounded, None if they are not."""
    return next((digits for digits in range(1, 13) if all(has_digits(each, unit, digits) for each in numbers)), None)


def has_digits(value: Fraction, unit: Fraction, digits: int) -> bool:
    """Tell whether a number has no more digits; numbers too coarse to tell have more."""
    least = 4 * unit * max(abs(value), Fraction(1))
    # Numbers whose roundoff is a hundredth of the last digit show that they are rounded to it.
    return least < Fraction(1, 100 * 10**digits) and abs(value - round(value, digits)) <= least


def outcome_text(outcome: outcomes.Outcome) -> str:
    """Write an answer in a few words."""
    match outcome:
        case outcomes.Number(value):
            return _number_text(value)
        case outcomes.PerQuery(values):
            return ", ".join(f"{query}: {_number_text(each.value)}" for query, each in values.items()) or "no query"
        case outcomes.Raised(kind, message):
            return f"raises {kind}: {message}" if message else f"raises {kind}"
        case outcomes.Malformed(reason):
            return reason
        case outcomes.TimedOut(seconds):
            return f"no answer within {seconds:g} s"
        case outcomes.OutOfMemory():
            return "out of memory"
        case outcomes.Crashed(how):
            return f"crash: {how}"
        case outcomes.NotCalled(reason):
            return f"not asked: {reason}"


def failure_text(outcome: outcomes.Outcome) -> str:
    """Write what came instead of a number, without a message that may be long."""
    return f"raises {outcome.type}" if isinstance(outcome, outcomes.Raised) else outcome_text(outcome)


def _number_text(value: Fraction | Special) -> str:
    if not isinstance(value, Fraction):
        return str(value.value)
    try:
        return repr(float(value))
    except OverflowError:  # a whole number, for no double lies there
        return f"a {'negative ' if value < 0 else ''}number beyond every double, of {int(abs(value)).bit_length()} bits"


def predicted_text(predicted: Predicted, *, one_mean: bool) -> str:
    """Write what was predicted."""
    demanded = predicted.expectation
    if one_mean or predicted.value is Undefined.ERROR:
        return to_text(predicted.value) if demanded is None else demanded.text
    values: Mapping[str, AnyValue] = predicted.per_query if demanded is None else demanded.exact_per_query
    return ", ".join(f"{query}: {to_text(value)}" for query, value in values.items()) or "nothing"
