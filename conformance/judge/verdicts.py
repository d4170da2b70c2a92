"""Verdicts: the answer to a question against the exact value.

A number is `exact`, or within the error bound of a `float64` or a `float32` program, or it is not the convention's.
What it is instead (`other-convention`, `wrong`) is found by `with_near_conventions`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from typing import Self, TypeAlias

from rankspec.conformance.judge import agreement
from rankspec.conformance.questions.expectation import Conventions, Expectation, store
from rankspec.conformance.questions.question import Rendering
from rankspec.conformance.run import outcomes
from rankspec.conformance.worker.values import Special
from rankspec.oracle.conventions.axes import Gain, Interpolation, Ties
from rankspec.oracle.conventions.convention import AXES, Convention, setting_text
from rankspec.oracle.conventions.measure import Measure, meaningless
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.data.run import Run
from rankspec.oracle.measures.gain import beyond_exponential_gain
from rankspec.oracle.reals.deciding import enclosing_fraction, nearest_double
from rankspec.oracle.values import Exact, Undefined

_LEAST_OF_SINGLES = agreement.UNIT_FLOAT32 / 64
"""An error that is less, relative to the value, was hardly made by singles: one of their results in 64 is so near."""
_MOST_NAMED = 2
_MOST_IN_A_TIE = 20
"""Equal scores up to which means of envelopes are tried: one takes a second at 17 in a tie, half a minute at 33."""

_ENVELOPES = {
    Interpolation.ENVELOPE,
    Interpolation.ELEVEN_POINT,
    Interpolation.HUNDRED_ONE_POINT,
    Interpolation.LINEAR_101,
}


class Verdict(Enum):
    """What an answer is."""

    meaning: str

    def __new__(cls, text: str, meaning: str = "") -> Self:
        """Keep the text as the enum's value and the meaning beside it."""
        member = object.__new__(cls)
        member._value_ = text
        member.meaning = meaning
        return member

    EXACT = ("exact", "The correctly rounded double (or the exact number itself; or the expected error or NaN).")
    FLOAT64 = "float64", "Within the forward error bound of any sensible program in doubles."
    FLOAT32 = "float32", "A single, or the mean of singles over queries, within the bound of a program in singles."
    PRINTED = (
        "printed",
        "The digits that were printed are those of the exact value, or of a double within its bound, rounded.",
    )
    IMPRECISE = (
        "imprecise",
        "Only the last digits differ from the exact value: by more than the bound, by at most a thousand roundings.",
    )
    OTHER_CONVENTION = "other-convention", "The value expected under another known convention."
    WRONG = "wrong", "A value that matches no known convention near the declared one."
    UNDEFINED = "undefined", "NaN or an infinity against a value, or a value where the convention has none."
    UNSTABLE = "unstable", "Another value when the same call is repeated."
    ERROR = "error", "An exception, or something that is not a number."
    CRASH = "crash", "The process ended, or used too much memory."
    TIMEOUT = "timeout", "No answer in time."
    UNSUPPORTED = "unsupported", "The implementation does not offer the measure, the cutoff or the threshold."
    NOT_EXPRESSIBLE = "not-expressible", "The implementation's shape can't express what the case is about."

    @property
    def conforms(self) -> bool:
        """Whether the answer is the convention's."""
        return self in {Verdict.EXACT, Verdict.FLOAT64, Verdict.FLOAT32, Verdict.PRINTED, Verdict.IMPRECISE}

    @property
    def is_applicable(self) -> bool:
        """Whether the question was put at all."""
        return self not in {Verdict.UNSUPPORTED, Verdict.NOT_EXPRESSIBLE}


@dataclass(frozen=True)
class NearConvention:
    """A convention near the declared one, and what it is called: `ties=grouped`, `kaggle`."""

    name: str
    convention: Convention


@dataclass(frozen=True)
class Judgement:
    """A verdict and, if there is more to say, what."""

    verdict: Verdict
    detail: str = ""
    near: tuple[NearConvention, ...] = ()  # conventions that demand what was answered, where the declared one does not

    @property
    def conventions(self) -> tuple[str, ...]:
        """What these are called."""
        return tuple(each.name for each in self.near)


def judge(outcome: outcomes.Outcome, expectation: Expectation) -> Judgement:  # noqa: C901 - a case an outcome
    """Judge what came of a call against the exact answer."""
    match outcome:
        case outcomes.Number():
            return _judge_number(outcome, expectation.exact, expectation)
        case outcomes.PerQuery():
            return _judge_queries(outcome, expectation)
        case outcomes.Raised(kind, message):
            if expectation.exact is Undefined.ERROR:
                return Judgement(Verdict.EXACT, f"raises {kind}, as expected")
            return Judgement(Verdict.ERROR, f"{kind}: {message}" if message else kind)
        case outcomes.Malformed(reason):
            if expectation.exact is Undefined.ERROR and outcomes.is_refusal(outcome):
                return Judgement(Verdict.EXACT, "returns None, which refuses as an exception does")
            return Judgement(Verdict.ERROR, reason)
        case outcomes.Crashed(how, _):
            return Judgement(Verdict.CRASH, how)
        case outcomes.OutOfMemory(used):
            return Judgement(Verdict.CRASH, f"{used / 2**30:.1f} GiB of memory")
        case outcomes.TimedOut(seconds, remark):
            return Judgement(Verdict.TIMEOUT, f"no answer within {seconds:g} s" + (f" ({remark})" if remark else ""))
        case outcomes.Declined(reason):
            return Judgement(Verdict.UNSUPPORTED, reason)
        case outcomes.NotCalled(reason):
            return Judgement(Verdict.TIMEOUT, f"not asked: {reason}")


def _judge_queries(outcome: outcomes.PerQuery, expectation: Expectation) -> Judgement:
    """Judge a value a query, and that of the set if it was told too; the worst of them counts."""
    # Who tells the value of the set need not tell that of each query: trec_eval prints no row of a query that the run
    # lacks, and counts it. The value of the set shows whether it did.
    if expectation.exact is Undefined.ERROR:
        return Judgement(Verdict.UNDEFINED, "values where an error is expected")
    values, overall = outcome.values, outcome.overall
    of_the_set = [] if overall is None else [_judge_number(overall, expectation.exact, expectation)]
    if expectation.pooled:
        return (*of_the_set, Judgement(Verdict.WRONG, "values a query where the convention pools queries"))[0]
    missing = [query for query in expectation.exact_per_query if query not in values]
    if missing and overall is None:
        return Judgement(Verdict.WRONG, f"no value for query {missing[0]}")
    if extra := [query for query in values if query not in expectation.exact_per_query]:
        return Judgement(Verdict.WRONG, f"a value for query {extra[0]}, which does not count")
    judged = [
        _judge_number(values[query], value, expectation)
        for query, value in expectation.exact_per_query.items()
        if query in values
    ]
    if of_the_set and all(each.verdict.conforms for each in judged) and not of_the_set[0].verdict.conforms:
        detail = of_the_set[0].detail or "the values a query are right, that of all is not"
        return Judgement(of_the_set[0].verdict, detail)
    every = (*judged, *of_the_set)
    return max(every, key=lambda each: _ORDER.index(each.verdict), default=Judgement(Verdict.EXACT))


_ORDER = (
    *(Verdict.EXACT, Verdict.FLOAT64, Verdict.FLOAT32, Verdict.PRINTED, Verdict.IMPRECISE),
    *(Verdict.UNDEFINED, Verdict.WRONG),
)


def _judge_number(number: outcomes.Number, value: Exact, expectation: Expectation) -> Judgement:
    """Judge one number against one exact value."""
    if isinstance(value, Undefined):
        if number.value is Special.NAN and value is not Undefined.ERROR:
            return Judgement(Verdict.EXACT)
        return Judgement(Verdict.UNDEFINED, f"a value where the convention has {value.value}")
    if isinstance(number.value, Special):
        return Judgement(Verdict.UNDEFINED, f"{number.value.value} where the convention has a value")
    exact = enclosing_fraction(value)
    if number.unit:
        allowed = agreement.rounding_error(number.unit) + agreement.bound(expectation, exact, agreement.UNIT_FLOAT64)
        return Judgement(Verdict.PRINTED if abs(number.value - exact) <= allowed else Verdict.WRONG)
    if number.value in (exact, nearest_double(value)):  # equal to the double itself: it may be infinite
        return Judgement(Verdict.EXACT)
    error = abs(number.value - exact)
    if error <= agreement.bound(expectation, exact, agreement.UNIT_FLOAT64):
        return Judgement(Verdict.FLOAT64)
    within_singles = error <= agreement.bound(expectation, exact, agreement.UNIT_FLOAT32)
    values = expectation.exact_per_query.values()
    if within_singles and (agreement.is_single(number.value) or agreement.is_mean_of_singles(number.value, values)):
        return Judgement(Verdict.FLOAT32)
    off = agreement.roundings_off(number.value, exact)
    if off <= agreement.MOST_IMPRECISE and not expectation.is_count:
        return Judgement(Verdict.IMPRECISE, f"off by {off} roundings of a double")
    if within_singles and error >= _LEAST_OF_SINGLES * abs(exact):
        return Judgement(Verdict.WRONG, "a double with the accuracy of a single: float32 arithmetic inside")
    places = agreement.places_of_rounding(number, exact)
    return Judgement(Verdict.WRONG, f"the value rounded to {places} places" if places else "")


def with_near_conventions(
    measure: Measure, rendering: Rendering, outcome: outcomes.Outcome, declared: Convention, judgement: Judgement
) -> Judgement:
    """Name the conventions that demand what was answered, if any; a value alone may fit several."""
    # An exception says too little to name a convention by: whoever fails on an input would seem to demand an error.
    is_number = isinstance(outcome, outcomes.Number | outcomes.PerQuery)
    if judgement.verdict not in {Verdict.WRONG, Verdict.UNDEFINED} or not is_number:
        return judgement
    left_out = _dear(measure, rendering)
    known, conventions = _neighbours(measure, declared, left_out)
    demanded = store().expected(measure, rendering.qrels, rendering.run, conventions)
    distinct = {id(each): each for each in demanded}
    conforms = {key: judge(outcome, each).verdict.conforms for key, each in distinct.items()}
    near = tuple(each for each, expectation in zip(known, demanded, strict=True) if conforms[id(expectation)])
    if not near and len(known) < len(_neighbours(measure, declared)[0]):
        untried = " and ".join(f"{dear} were not tried" for dear in _DEAR if dear in left_out)
        return replace(judgement, detail="; ".join(filter(None, (judgement.detail, untried))))
    if not near:
        return judgement
    more = f", and {len(near) - _MOST_NAMED} more" if len(near) > _MOST_NAMED else ""
    return Judgement(Verdict.OTHER_CONVENTION, " or ".join(each.name for each in near[:_MOST_NAMED]) + more, near)


def turns_on(axes: frozenset[str], measure: Measure, rendering: Rendering, convention: Convention) -> bool:
    """Tell whether the value is another, or none, under a convention that differs on one of these axes."""
    near, _ = _neighbours(measure, convention, _dear(measure, rendering))
    others = [each.convention for each in near if axes.issuperset(each.convention.differences(convention))]
    own, *demanded = store().expected(measure, rendering.qrels, rendering.run, Conventions((convention, *others)))
    return not all(each.equals(own) for each in demanded)


def is_of_some_order(measure: Measure, rendering: Rendering, outcome: outcomes.Outcome, convention: Convention) -> bool:
    """Tell whether an answer lies between those of the worst order of the ties and of the best, which are two."""
    ends = [convention.with_setting("ties", rule) for rule in (Ties.PESSIMISTIC, Ties.OPTIMISTIC)]
    if any(meaningless(measure, end) is not None for end in ends):
        return False
    expected = store().expected(measure, rendering.qrels, rendering.run, Conventions(tuple(ends)))

    def known(exact: Exact) -> agreement.Known:
        return exact if isinstance(exact, Undefined) else enclosing_fraction(exact)

    low, high = (
        agreement.Demand(known(each.exact), {query: known(value) for query, value in each.exact_per_query.items()})
        for each in expected
    )
    return low != high and agreement.lies_between(outcome, low, high)


def _most_in_a_tie(run: Run) -> int:
    """Return the size of the largest group of documents of one query with one score."""
    counted = (Counter(document.score for document in run.documents(query)) for query in run)
    return max((max(scores.values(), default=0) for scores in counted), default=0)


def likeliest(explanations: Iterable[Sequence[str]]) -> tuple[Sequence[str], int]:
    """Return the conventions that explain most answers (names for each), and how many; none if none explains any."""
    counted = Counter(name for names in explanations for name in names)
    most = max(counted.values(), default=0)
    return [name for name, count in counted.items() if count == most], most


_Neighbours: TypeAlias = tuple[tuple[NearConvention, ...], Conventions]


@cache
def _neighbours(measure: Measure, declared: Convention, left_out: frozenset[str] = frozenset()) -> _Neighbours:
    """Return the declared convention with one axis changed, then the named ones; but for those that take long."""
    settings = ((axis, each) for axis in measure.axes(declared) for each in AXES[axis].values or AXES[axis].in_use)
    changed = ((f"{axis}={setting_text(each)}", declared.with_setting(axis, each)) for axis, each in settings)
    named = ((profile.name, profile.convention) for profile in PROFILES.values() if profile.knows(measure))
    others = ((name, each) for name, each in (*changed, *named) if each != declared)
    near = tuple(
        NearConvention(name, each)
        for name, each in others
        if meaningless(measure, each) is None and not any(_DEAR[dear][1](measure, each) for dear in left_out)
    )
    return near, Conventions(tuple(each.convention for each in near))


def _is_mean_of_envelopes(measure: Measure, convention: Convention) -> bool:
    effective = measure.under(convention)
    is_area = "interpolation" in {*measure.axes(convention), *measure.overrides()}
    return is_area and effective.ties is Ties.EXPECTED and effective.interpolation in _ENVELOPES


_DEAR: Mapping[str, tuple[Callable[[Measure, Rendering], bool], Callable[[Measure, Convention], bool]]] = {
    "means of envelopes over ties of this size": (
        lambda _, rendering: _most_in_a_tie(rendering.run) > _MOST_IN_A_TIE,
        _is_mean_of_envelopes,
    ),
    "gains of 2 to the power of a grade of this size": (
        lambda measure, rendering: bool(beyond_exponential_gain(measure, rendering.qrels)),
        lambda measure, own: measure.family.has("gain") and measure.under(own).gain is Gain.EXPONENTIAL,
    ),
}
"""What takes a convention long on some inputs, in words of a verdict's detail: on which, and which conventions."""


def _dear(measure: Measure, rendering: Rendering) -> frozenset[str]:
    return frozenset(dear for dear, (is_there, _) in _DEAR.items() if is_there(measure, rendering))
