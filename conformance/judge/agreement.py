"""Whether two answers can be one: the only comparison of answers that there is.

What an implementation answers twice, what two versions answer, what two implementations answer, and what one answers
and a convention demands: all are compared here, within a bound that says how far straightforward programs may be off.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import ceil

from rankspec.conformance.questions.expectation import Expectation
from rankspec.conformance.questions.roundings import Roundings, Sizes, gains, of_logarithms, of_measure, sizes_of_list
from rankspec.conformance.run.outcomes import NotCalled, Number, Outcome, PerQuery, Raised
from rankspec.conformance.worker import arguments
from rankspec.conformance.worker.messages import Call
from rankspec.conformance.worker.values import SINGLE, Special
from rankspec.oracle.conventions.measure import Measure
from rankspec.oracle.data.run import Score, parse_score
from rankspec.oracle.errors import ConventionError
from rankspec.oracle.language.expression import parse_measure
from rankspec.oracle.values import Exact, Undefined, to_double

# ---- Bounds

UNIT_FLOAT64 = Fraction(1, 2**53)  # Unit roundoff of a double
UNIT_FLOAT32 = Fraction(1, 2**24)  # Unit roundoff of a single
_LEAST = {UNIT_FLOAT64: Fraction(1, 2**1074), UNIT_FLOAT32: Fraction(1, 2**149)}
"""The least positive number: what is below a half of it is lost."""
MOST_IMPRECISE = 1000
"""So many roundings of doubles have no cause that a value could show: no two conventions' values of a small input lie
so near to each other, and of a large one a program of bad style is as likely."""
LAST_DIGITS = MOST_IMPRECISE * UNIT_FLOAT64
"""A difference between doubles that is never given a cause, relative to the value or to 1, whichever is greater."""
Known = Fraction | Undefined
"""A value that equals every equal one; irrational ones are known to more places than any program has."""
_LOGARITHM = 17
_SLACK = Fraction(1, 10**6)  # What a mean in singles may be off
_LAST_DIGITS = float(LAST_DIGITS)
_PLACES = range(3, 10)
"""A value of fewer places is often another one by chance; one of more looks like what it would be anyway."""
_TELLING = 16  # How much wider than what is lost the spacing has to be


def forward_error(roundings: Roundings, exact: Fraction, unit: Fraction) -> Fraction:
    """Bound the error of a program that is off by so many roundings (`questions/roundings.py` counts them)."""
    # To first order; the factor makes up for the others. A rounding below the normal numbers is off by half the least.
    if unit == UNIT_FLOAT64:
        units = roundings.total
        first_order = units * max(abs(exact), Fraction(1)) * unit
    else:
        units = roundings.relative + roundings.absolute
        first_order = (roundings.relative * abs(exact) + roundings.absolute) * unit
    return first_order * (1 + units * unit) + units * _LEAST.get(unit, Fraction(0)) / 2


def roundings_off(value: Fraction, exact: Fraction) -> int:
    """Return by how many roundings a double is off, relative to the exact value or to 1, whichever is greater."""
    return ceil(abs(value - exact) / (UNIT_FLOAT64 * max(abs(exact), Fraction(1))))


def rounding_error(unit: Fraction) -> Fraction:
    """Bound the error of printing: half a unit of the last digit, however a program rounds what lies in the middle."""
    # What is rounded is a double, which itself is as far from the exact value as `forward_error` says.
    return unit / 2


def bound(expectation: Expectation, exact: Fraction, unit: Fraction) -> Fraction:
    """Bound the error of what a program answers to a question: none for a count, the forward error for a value."""
    return Fraction(0) if expectation.is_count else forward_error(expectation.roundings, exact, unit)


@dataclass(frozen=True)
class Demand:
    """What a convention demands."""

    value: Known  # that of the set
    per_query: Mapping[str, Known]  # those of the queries that count


@dataclass(frozen=True)
class Bound:
    """How far an answer to a question may be from the exact value."""

    # units of roundoff that a straightforward program may be off; a number: as many relative to the value, and to 1
    roundings: Roundings | int
    unit: Fraction | None = None  # the unit roundoff of the program's numbers; None where these themselves tell it
    is_count: bool = False  # the answer is a number of things, which is right or wrong
    slack: Fraction = Fraction(0)  # how far it may be off besides, whatever the program's numbers are

    def of(self, number: Number, magnitude: Fraction, unit: Fraction) -> Fraction:
        """Bound the error of one number: that of computing it, and that of printing it."""
        # Doubles that differ in the last digits alone are no two answers.
        unit = self.unit or unit
        if self.is_count:
            return rounding_error(number.unit)
        computing = forward_error(self.counted, magnitude, unit)
        if unit == UNIT_FLOAT64:
            computing = max(computing, LAST_DIGITS * max(magnitude, Fraction(1)))
        return computing + rounding_error(number.unit) + self.slack

    @property
    def counted(self) -> Roundings:
        """The roundings, of both kinds."""
        given = self.roundings
        return given if isinstance(given, Roundings) else Roundings(given, given)


def bound_of(call: Call) -> Bound:
    """Return the bound of the answers to a call, whatever convention they follow."""
    # Where a program takes a mean of logarithms, they are at most as long as that of the floor of 1/100,000: 17. Of a
    # measure that is not known, or whose parameters are not, it is the bound of average precision by any estimator.
    measure = _measure_of(call.expression)
    sizes = _sizes_of(call.arguments, measure)
    roundings = of_measure(measure, sizes)
    if not isinstance(call.arguments, arguments.RankedLabels | arguments.LabelsScores | arguments.ActualPredicted):
        roundings += of_logarithms(sizes.queries, _LOGARITHM)
    return Bound(roundings, is_count=measure.family.is_count)


@cache
def _measure_of(expression: str) -> Measure:
    try:
        return parse_measure(expression)
    except ConventionError:
        return Measure("AP")


def _sizes_of(handed: arguments.Arguments, measure: Measure) -> Sizes:
    """Return the sizes of a call, as if all queries were in one ranking, which is no smaller than any of them."""
    pairs = list(_scored(handed, measure))
    match handed:
        case arguments.RankedLabels(_, num_relevant):
            judged = max(num_relevant, len(pairs))
        case arguments.LabelsScores() | arguments.Matrices():
            judged = len(pairs)
        case arguments.ActualPredicted(actual, _):
            judged = len(actual)
        case arguments.QueryLists(_, actual, _):
            judged = sum(map(len, actual))
        case arguments.QrelsRun(qrels, _) | arguments.Files(qrels, _) | arguments.Frames(qrels, _):
            judged = sum(gains(measure, arguments.highest(grade)) for _, documents in qrels for _, grade in documents)
    return replace(sizes_of_list(pairs, judged), queries=handed.query_count)


def _scored(handed: arguments.Arguments, measure: Measure) -> Iterator[tuple[Score, bool]]:
    """Yield each listed document's score, or minus its place where there are no scores, and whether it gains."""
    match handed:
        case arguments.RankedLabels(labels, _):
            yield from ((-place, gains(measure, label)) for place, label in enumerate(labels))
        case arguments.LabelsScores(labels, scores):
            yield from ((score, gains(measure, label)) for label, score in zip(labels, scores, strict=True))
        case arguments.Matrices():
            for each in handed.singles.values():
                yield from _scored(each, measure)
        case arguments.ActualPredicted(actual, predicted):
            yield from ((-place, document in actual) for place, document in enumerate(predicted))
        case arguments.QueryLists(_, actual, predicted):
            listed = [each in known for known, ids in zip(actual, predicted, strict=True) for each in ids]
            yield from ((-place, gained) for place, gained in enumerate(listed))
        case arguments.QrelsRun(qrels, run) | arguments.Files(qrels, run) | arguments.Frames(qrels, run):
            graded = ((query, docno, arguments.highest(grade)) for query, judged in qrels for docno, grade in judged)
            gaining = {(query, docno) for query, docno, grade in graded if gains(measure, grade)}
            for query, documents in run:
                yield from ((parse_score(score), (query, document) in gaining) for document, score in documents)


def agrees(first: Outcome, second: Outcome | Demand, bound: Bound) -> bool:
    """Tell whether two answers to one question can be one, or an answer and what a convention demands."""
    # Numbers agree if one exact value lies within the bound of both: they may be as far apart as both are off together.
    # So a program that adds up in the order of a set, which depends on the hash seed, agrees with itself; and no two
    # values of a small input that any formula makes lie so near to each other. What was printed may be off by half a
    # unit of its last digit besides. The bound is derived above, in the precision of each number's type; where both are
    # numbers that a single holds, in that of singles. NaN and infinities agree with themselves alone.
    # Values a query agree if there are as many and each does, and the value of the set where it is told. Exceptions
    # agree if they are of one type: their words may name an address. What was not asked contradicts nothing.
    others: Mapping[str, Number | Known]
    whole: Number | Known | None
    if not isinstance(second, Demand) and NotCalled in {type(first), type(second)}:
        return True  # one that is declined is an answer
    match first, second:
        case Raised(kind), Raised(other):
            return kind == other
        case Raised(), Demand(demanded):
            return demanded is Undefined.ERROR
        case Number(), Number():
            return near(first, second, bound)
        case Number(), Demand(demanded):
            return near(first, demanded, bound)
        case PerQuery(values, overall), PerQuery(others, whole):
            is_comparable = values.keys() == others.keys() and (overall is None) is (whole is None)
        case PerQuery(values, overall), Demand(whole, others):
            is_comparable = whole is not Undefined.ERROR and has_queries(first, second)
        case _:
            return type(first) is type(second)
    is_whole = overall is None or whole is None or near(overall, whole, bound)
    return is_comparable and is_whole and all(near(number, others[query], bound) for query, number in values.items())


def differ_in_last_digits(first: Outcome, second: Outcome, bound: Bound) -> bool:
    """Tell whether two answers agree, and yet are not the same numbers: worth an observation, and no fault."""
    numbers = _numbers(first), _numbers(second)
    return None not in numbers and numbers[0] != numbers[1] and agrees(first, second, bound)


def _numbers(outcome: Outcome) -> object:
    match outcome:
        case Number(value):
            return value
        case PerQuery(values, overall):
            return {query: number.value for query, number in values.items()}, overall and overall.value
        case _:
            return None


def has_queries(answer: PerQuery, demand: Demand) -> bool:
    """Tell whether the queries that count have values; whoever tells the value of the set may leave out some."""
    if answer.overall is None:
        return answer.values.keys() == demand.per_query.keys()
    return answer.values.keys() <= demand.per_query.keys()


def near(first: Number, second: Number | Known, bound: Bound) -> bool:
    """Compare two numbers, or a number and the exact value that is demanded."""
    if isinstance(second, Undefined):
        return first.value is Special.NAN and second is not Undefined.ERROR
    other = second.value if isinstance(second, Number) else second
    if isinstance(first.value, Special) or isinstance(other, Special):
        return first.value == other
    if not isinstance(second, Number) and (decided := _by_doubles(first.value, other, bound, first.unit)) is not None:
        return decided
    apart = abs(first.value - other)
    if apart == 0:
        return True
    if not isinstance(second, Number):
        return apart <= bound.of(first, abs(other), unit_of(first))
    magnitude = max(abs(first.value), abs(other))
    units = (UNIT_FLOAT32,) * 2 if is_single(first.value) and is_single(other) else (unit_of(first), unit_of(second))
    return apart <= bound.of(first, magnitude, units[0]) + bound.of(second, magnitude, units[1])


def lies_between(answer: Outcome, low: Demand, high: Demand) -> bool:
    """Tell whether each number of an answer lies between two values that are demanded of it."""
    match answer:
        case Number():
            found = [(answer, low.value, high.value)]
        case PerQuery(values, overall):
            found = [
                (number, low.per_query.get(query, Undefined.NAN), high.per_query.get(query, Undefined.NAN))
                for query, number in values.items()
            ]
            found += [] if overall is None else [(overall, low.value, high.value)]
        case _:
            return False
    return all(
        isinstance(number.value, Fraction)
        and isinstance(low, Fraction)
        and isinstance(high, Fraction)
        and low - _SLACK <= number.value <= high + _SLACK
        for number, low, high in found
    )


def _by_doubles(number: Fraction, exact: Fraction, bound: Bound, last_digit: Fraction) -> bool | None:
    """Compare a number and the exact value in doubles, where that decides: nearly always, in a tenth of the time."""
    # Twice the greatest bound, and half of the least one, leave room for all roundings that are made here.
    if bound.unit is None or bound.is_count or bound.slack:
        return None
    try:
        first, second, roundings = float(number), float(exact), float(bound.counted.total)
    except OverflowError:
        return None
    apart, magnitude = abs(first - second), max(1.0, abs(second))
    if bound.unit == UNIT_FLOAT64 and apart <= _LAST_DIGITS / 2 * magnitude:
        return True
    relative = roundings * float(bound.unit)
    off = (relative * (1 + relative) + _LAST_DIGITS) * magnitude + float(last_digit)
    return False if apart > 2 * off else None


def unit_of(number: Number) -> Fraction:
    """Return the unit roundoff of a number's type: of singles for a single of whatever library, else of doubles."""
    # Sums in still shorter floats are bounded by nothing that would tell two values apart, so none is allowed for.
    return UNIT_FLOAT32 if number.type_name.rpartition(".")[2] == SINGLE else UNIT_FLOAT64


def as_single(value: Fraction) -> float:
    """Round to the nearest double and then to the nearest single; `OverflowError` beyond them."""
    single: float = struct.unpack("<f", struct.pack("<f", float(value)))[0]
    return single


def is_single(value: Fraction) -> bool:
    """Tell whether a number is one that a single holds: the result of a program in singles."""
    try:
        return Fraction(as_single(value)) == value
    except OverflowError:  # beyond the doubles, or the singles
        return False


def is_mean_of_singles(value: Fraction, exact_per_query: Iterable[Exact]) -> bool:
    """Tell whether a double can be the mean, in doubles, of queries that were computed in singles."""
    # Times the queries it is a sum of singles: a multiple of the spacing that singles have next to the least of them,
    # but for the roundings of the sum. A double that did not come from singles is such a multiple by chance alone;
    # where the spacing is no wider than these roundings it tells nothing, and such a value is none.
    doubles = [0.0 if isinstance(exact, Undefined) else to_double(exact) for exact in exact_per_query]
    least = min((abs(double) for double in doubles if double), default=0.0)
    if len(doubles) < 2 or not least:  # noqa: PLR2004 - one query has no mean
        return False
    spacing = Fraction(2) ** (Fraction(least).numerator.bit_length() - Fraction(least).denominator.bit_length() - 1)
    spacing *= 2 * UNIT_FLOAT32
    total = value * len(doubles)
    lost = len(doubles) * UNIT_FLOAT64 * abs(total) * 2
    return _TELLING * lost <= spacing and abs(total - round(total / spacing) * spacing) <= lost


def places_of_rounding(number: Number, exact: Fraction) -> int:
    """Return the decimal places to which a number is the exact value rounded, 0 if it is no such number."""
    # It may have been rounded to a decimal, and that to a double or a single.
    to_type = as_single if unit_of(number) == UNIT_FLOAT32 else float
    try:
        return next((n for n in _PLACES if number.value == Fraction(to_type(round(exact, n)))), 0)
    except OverflowError:
        return 0
