"""Whether two answers can be one: within the bound, to the type of the number, and nothing beyond."""

from fractions import Fraction
from math import nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankspec.conformance.infer.interview.prediction import NOTHING, Predicted, distance, fits
from rankspec.conformance.infer.witness.sides import differ
from rankspec.conformance.judge.agreement import (
    UNIT_FLOAT32,
    UNIT_FLOAT64,
    Bound,
    agrees,
    bound_of,
    differ_in_last_digits,
    forward_error,
)
from rankspec.conformance.questions.roundings import Roundings
from rankspec.conformance.run.outcomes import Crashed, Declined, NotCalled, Number, PerQuery, Raised
from rankspec.conformance.worker.arguments import ActualPredicted, LabelsScores, QrelsRun, RankedLabels
from rankspec.conformance.worker.messages import Call
from rankspec.conformance.worker.values import Special
from rankspec.oracle.values import Undefined

BOUND = Bound(110)


def number(value, kind="float", unit=Fraction(0)):
    return Number(value if isinstance(value, Special) else Fraction(value), kind, unit)


LAST_BIT = number(nextafter(0.3, 1))


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (number(0.3), LAST_BIT, True),
        (number(0.3), number(0.3 + 1e-11), False),
        (number(-0.3), number(0.3), False),
        (number(0.3), number(0.3 + 1e-11, "numpy.float32"), True),
        (number(1), number(1 + 1e-5, "numpy.int32"), False),
        (number(1), number(1 + 1e-5, "decimal32"), False),
        (number(0.5), number(0.5 + 2**-20), True),  # both are singles, though a double was returned
        (number(0.5), number(0.5 + 2**-20 + 2**-40), False),
        (number(0.25, unit=Fraction(1, 100)), number(0.2525), True),
        (number(0.25, unit=Fraction(1, 100)), number(0.257), False),
        (number(Special.NAN), number(Special.NAN), True),
        (number(Special.NAN), number(0), False),
        (number(Special.INFINITY), number(Special.NEGATIVE_INFINITY), False),
        (PerQuery({"a": number(0.3)}), PerQuery({"a": LAST_BIT}), True),
        (PerQuery({"a": number(0.3)}), PerQuery({"a": number(0.4)}), False),
        (PerQuery({"a": number(0.3)}), PerQuery({"b": number(0.3)}), False),
        (PerQuery({}, number(0.3)), PerQuery({}, number(0.4)), False),
        (PerQuery({}, number(0.3)), PerQuery({}), False),
        (Raised("ValueError", "at 0x1"), Raised("ValueError", "at 0x2"), True),
        (Raised("ValueError", ""), Raised("KeyError", ""), False),
        (Crashed("SIGSEGV"), number(0.3), False),
        (NotCalled("no time"), number(0.3), True),
        (Declined("no k"), number(0.3), False),
    ],
)
def test_which_answers_can_be_one(first, second, *, same):
    assert agrees(first, second, BOUND) is same
    assert agrees(second, first, BOUND) is same


@pytest.mark.parametrize(
    ("first", "second", "differ_a_little"),
    [
        (number(0.3), LAST_BIT, True),
        (number(0.3), number(0.3, "numpy.float64"), False),
        (number(0.3), number(0.4), False),
        (PerQuery({"a": number(0.3)}), PerQuery({"a": LAST_BIT}), True),
        (PerQuery({}, number(0.3)), PerQuery({}, LAST_BIT), True),
        (NotCalled("no time"), number(0.3), False),
        (Raised("ValueError", "at 0x1"), Raised("ValueError", "at 0x2"), False),
    ],
)
def test_last_digits(first, second, *, differ_a_little):
    assert differ_in_last_digits(first, second, BOUND) is differ_a_little


@pytest.mark.parametrize(("queries", "overall", "same"), [("ab", None, False), ("a", None, True), ("ab", 0.5, False)])
def test_a_value_a_query_too_many_is_no_answer(queries, overall, *, same):
    demand = Predicted(Fraction(1, 2), {"a": Fraction(1, 2)}, Roundings(1))
    answer = PerQuery(dict.fromkeys(queries, number(0.5)), overall and number(overall))
    assert agrees(answer, demand, BOUND) is same
    assert (distance(answer, demand) == 0) is same


def test_two_answers_may_be_as_far_apart_as_both_are_off():
    exact = Fraction(1, 3)
    wide = Bound(Roundings(700, 700))
    allowed = 2 * forward_error(Roundings(700, 700), exact, UNIT_FLOAT64)
    assert agrees(Number(exact, "float"), Number(exact + allowed, "float"), wide)
    assert not agrees(Number(exact, "float"), Number(exact + allowed * 1001 / 1000, "float"), wide)


def test_the_bound_grows_with_what_is_added_up():
    judged, listed = (("a", 1), ("b", 0)), (("a", 2.0), ("b", 1.0))
    one = Call("P", QrelsRun((("q", judged),), (("q", listed),)), 10)
    two = Call("P", QrelsRun((("q", judged), ("p", judged)), (("q", listed),)), 10)
    # One more query is one more addition, and one more logarithm of 1/100,000, which is 17 long, in a mean of them.
    assert bound_of(two).counted.relative - bound_of(one).counted.relative == 1 + 17


@pytest.mark.parametrize(
    ("shorter", "longer"),
    [
        (RankedLabels((1, 0), 2), RankedLabels((1, 0, 1), 3)),
        (RankedLabels((1, 0, 1), 1), RankedLabels((1, 0, 1, 0), 1)),
        (LabelsScores((1, 0), (3.0, 2.0)), LabelsScores((1, 0, 1), (3.0, 2.0, 1.0))),
        (ActualPredicted(("a", "b", "c"), ("x", "a")), ActualPredicted(("a", "b", "c", "d"), ("x", "a"))),
    ],
)
def test_the_bound_of_a_list_grows_with_its_sizes(shorter, longer):
    assert bound_of(Call("RR", shorter)).counted.relative == bound_of(Call("RR", longer)).counted.relative
    assert bound_of(Call("nDCG", shorter)).counted.relative < bound_of(Call("nDCG", longer)).counted.relative
    # It is of what the cutoff leaves, and for what is no measure that of average precision.
    cut = bound_of(Call("nDCG", longer, 1, expression="nDCG@1")).counted.relative
    assert cut < bound_of(Call("nDCG", longer, expression="nDCG")).counted.relative
    assert bound_of(Call("mine", longer)) == bound_of(Call("AP", longer))


@pytest.mark.parametrize(
    ("measure", "less", "more"),
    [
        # Tied documents share what they gain: with a hit, and with each other.
        ("RR", LabelsScores((1, 0), (2.0, 1.0)), LabelsScores((1, 0), (1.0, 1.0))),
        ("RR", LabelsScores((1, 0), (2.0, 1.0)), LabelsScores((1, 0), (1.00000001, 1.0))),
        ("nDCG", LabelsScores((1, 0, 0), (3.0, 2.0, 1.0)), LabelsScores((1, 0, 0), (2.0, 2.0, 2.0))),
        # The ideal list is added up too.
        ("nDCG", RankedLabels((1, 0), 1), RankedLabels((1, 0), 5)),
    ],
)
def test_the_bound_counts_what_is_added_up(measure, less, more):
    assert bound_of(Call(measure, less)).counted.relative < bound_of(Call(measure, more)).counted.relative


@pytest.mark.parametrize(
    ("answer", "undefined", "same"),
    [
        (number(Special.NAN), Undefined.NAN, True),
        (number(Special.NAN), Undefined.SKIP, True),
        (number(Special.NAN), Undefined.ERROR, False),
        (number(0), Undefined.NAN, False),
        (Raised("ZeroDivisionError", ""), Undefined.ERROR, True),
        (Raised("ZeroDivisionError", ""), Undefined.NAN, False),
    ],
)
def test_what_is_undefined_is_nan_unless_an_error_is_demanded(answer, undefined, *, same):
    assert agrees(answer, Predicted(undefined, {}, Roundings(1)), BOUND) is same


def test_what_says_nothing_is_fitted_by_no_answer():
    assert not any(fits(each, NOTHING) for each in (Raised("ValueError", ""), number(-1), number(Special.NAN), None))


def test_a_count_is_right_or_wrong():
    bound = bound_of(Call("NumRet", RankedLabels((1, 0), 1)))
    assert bound.is_count
    assert not agrees(number(2), number(nextafter(2, 3)), bound)


def test_answers_of_two_programs_are_told_apart_by_the_types_of_their_numbers():
    assert differ(number(1, "numpy.int32"), number(1 + 1e-5), BOUND)
    assert not differ(number(1, "numpy.float32"), number(1 + 1e-5), BOUND)
    assert not differ(Raised("ValueError", ""), Raised("KeyError", ""), BOUND)
    assert differ(Raised("ValueError", ""), number(1), BOUND)


COUNTS = st.sampled_from((0, 1, 7, 110, 10**5))
SHARES = st.sampled_from([Fraction(each) for each in ("0", "1/3", "1/2", "999/1000", "1", "1001/1000", "2", "1e9")])


@given(
    exact=st.fractions(-2, 2, max_denominator=997),
    power=st.sampled_from((0, 0, 20, -30, 300, 400)),
    roundings=st.builds(Roundings, COUNTS, COUNTS, COUNTS),
    unit=st.sampled_from((UNIT_FLOAT32, UNIT_FLOAT64)),
    share=SHARES,
)
def test_what_doubles_decide_is_what_the_bound_says(exact, power, roundings, unit, share):
    exact *= Fraction(10) ** power
    bound = Bound(roundings, unit)
    apart = share * bound.of(number(0.0), abs(exact), unit)
    predicted = Predicted(exact, {}, 0)
    assert agrees(Number(exact + apart, "float"), predicted, bound) is (share <= 1 or not apart)
