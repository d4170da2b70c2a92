"""Every verdict, from an outcome and what was expected; whether two answers can be one, to the type of the number."""

from fractions import Fraction
from math import nextafter

import numpy as np
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
from rankspec.conformance.judge.verdicts import Judgement, Verdict, _neighbours, judge, with_near_conventions
from rankspec.conformance.questions.expectation import Expectation
from rankspec.conformance.questions.question import Question, render
from rankspec.conformance.questions.roundings import Roundings
from rankspec.conformance.run.outcomes import (
    Crashed,
    Declined,
    Malformed,
    NotCalled,
    Number,
    OutOfMemory,
    PerQuery,
    Raised,
    TimedOut,
)
from rankspec.conformance.worker.arguments import ActualPredicted, LabelsScores, QrelsRun, RankedLabels
from rankspec.conformance.worker.messages import Call
from rankspec.conformance.worker.shapes import Need, Shape, Signature
from rankspec.conformance.worker.values import PRINTED, Special, parse_typed
from rankspec.oracle import DEFAULT, PROFILES, Measure, Qrels, Run, Undefined, evaluate, expression_text, parse_measure
from rankspec.oracle.conventions.axes import Ties
from rankspec.oracle.reals.real import geometric_mean
from refusals import assert_names

BOUNDED = Roundings(240)
THIRD = Expectation(Fraction(1, 3), roundings=BOUNDED)
ZERO = Expectation(Fraction(0), roundings=BOUNDED)
ONE = Expectation(Fraction(1), roundings=BOUNDED)
NAN = Expectation(Undefined.NAN, roundings=BOUNDED)
ERROR = Expectation(Undefined.ERROR, roundings=BOUNDED)
ROOT = Expectation(geometric_mean([Fraction(1, 2), Fraction(1)]), roundings=BOUNDED)


def number(value):
    if isinstance(value, Special):
        return Number(value, "float")
    return Number(Fraction(value) if isinstance(value, Fraction) else Fraction(float(value)), type(value).__name__)


@pytest.mark.parametrize(
    ("value", "expectation", "verdict"),
    [
        (1 / 3, THIRD, Verdict.EXACT),
        (Fraction(1, 3), THIRD, Verdict.EXACT),
        (nextafter(1 / 3, 1), THIRD, Verdict.FLOAT64),
        (nextafter(1 / 3, 0), THIRD, Verdict.FLOAT64),
        (1 / 3 + 5e-15, THIRD, Verdict.FLOAT64),
        (1 / 3 + 5e-14, THIRD, Verdict.IMPRECISE),
        (1 / 3 + 2e-13, THIRD, Verdict.WRONG),
        (np.float32(1 / 3), THIRD, Verdict.FLOAT32),
        (np.nextafter(np.float32(1 / 3), np.float32(1)), THIRD, Verdict.FLOAT32),
        (np.float32(0.3334), THIRD, Verdict.WRONG),
        (0.3333, THIRD, Verdict.WRONG),
        (0.333333, THIRD, Verdict.WRONG),
        (0.3, THIRD, Verdict.WRONG),
        (-1 / 3, THIRD, Verdict.WRONG),
        (100 / 3, THIRD, Verdict.WRONG),
        (Fraction(10**400), THIRD, Verdict.WRONG),
        (0, ZERO, Verdict.EXACT),
        (-0.0, ZERO, Verdict.EXACT),
        (1e-300, ZERO, Verdict.FLOAT64),
        (5e-17, ZERO, Verdict.FLOAT64),  # what 1 less a share leaves
        (1e-323, ZERO, Verdict.FLOAT64),
        (1e-6, ZERO, Verdict.WRONG),
        (1, ONE, Verdict.EXACT),
        (1 - 1e-9, ONE, Verdict.WRONG),
        (1 - 2**-53, ONE, Verdict.FLOAT64),
        (0.7071067811865476, ROOT, Verdict.EXACT),
        (nextafter(0.7071067811865476, 0), ROOT, Verdict.FLOAT64),
        (0.7071, ROOT, Verdict.WRONG),
        (Special.NAN, THIRD, Verdict.UNDEFINED),
        (Special.INFINITY, THIRD, Verdict.UNDEFINED),
        (Special.NEGATIVE_INFINITY, ZERO, Verdict.UNDEFINED),
        (Special.NAN, NAN, Verdict.EXACT),
        (Special.INFINITY, NAN, Verdict.UNDEFINED),
        (0.0, NAN, Verdict.UNDEFINED),
        (Special.NAN, ERROR, Verdict.UNDEFINED),
        (0.0, ERROR, Verdict.UNDEFINED),
    ],
)
def test_a_number(value, expectation, verdict):
    assert judge(number(value), expectation).verdict is verdict


@pytest.mark.parametrize(
    ("outcome", "verdict", "detail"),
    [
        (Raised("ValueError", "no luck"), Verdict.ERROR, "ValueError: no luck"),
        (Raised("ValueError", ""), Verdict.ERROR, "ValueError"),
        (Malformed("a list"), Verdict.ERROR, "a list"),
        (Crashed("SIGSEGV"), Verdict.CRASH, "SIGSEGV"),
        (OutOfMemory(3 * 2**30), Verdict.CRASH, "3.0 GiB"),
        (TimedOut(0.8), Verdict.TIMEOUT, "0.8 s"),
        (NotCalled("three before"), Verdict.TIMEOUT, "three before"),
        (TimedOut(2, "flush"), Verdict.TIMEOUT, "flush"),
        (Declined("no cutoffs"), Verdict.UNSUPPORTED, "no cutoffs"),
        # A double with the accuracy of a single is wrong.
        (number(float(np.float32(1 / 3) * np.float32(3)) / 3 + 2e-8), Verdict.WRONG, "float32"),
    ],
)
def test_what_is_no_number_and_what_is_said(outcome, verdict, detail):
    judgement = judge(outcome, THIRD)
    assert judgement.verdict is verdict
    assert detail in judgement.detail
    # Where there is no value, an exception is no NaN.
    assert judge(Raised("ValueError", "twice"), NAN) == Judgement(Verdict.ERROR, "ValueError: twice")


# Values by query.

TWO = Expectation(Fraction(5, 12), {"q1": Fraction(1, 2), "q2": Fraction(1, 3)}, pooled=False, roundings=BOUNDED)


def queries(**values):
    return PerQuery({query: number(value) for query, value in values.items()})


@pytest.mark.parametrize(
    ("outcome", "verdict", "detail"),
    [
        (queries(q1=0.5, q2=1 / 3), Verdict.EXACT, ""),
        (queries(q2=1 / 3, q1=0.5), Verdict.EXACT, ""),
        (queries(q1=0.5, q2=nextafter(1 / 3, 1)), Verdict.FLOAT64, ""),
        (queries(q1=np.float32(0.5), q2=np.float32(1 / 3)), Verdict.FLOAT32, ""),
        (queries(q1=0.5, q2=0.5), Verdict.WRONG, ""),
        (queries(q1=1 / 3, q2=0.5), Verdict.WRONG, ""),
        (queries(q1=0.5, q2=Special.NAN), Verdict.UNDEFINED, "nan"),
        (queries(q1=0.25, q2=Special.NAN), Verdict.WRONG, ""),
        (queries(q1=0.5), Verdict.WRONG, "q2"),
        (queries(), Verdict.WRONG, "q1"),
        (queries(q1=0.5, q2=1 / 3, q9=0), Verdict.WRONG, "q9"),
    ],
)
def test_a_value_a_query(outcome, verdict, detail):
    judgement = judge(outcome, TWO)
    assert judgement.verdict is verdict
    assert detail in judgement.detail
    assert bool(detail) is bool(judgement.detail)


# Numbers that were printed.


def printed(text):
    value, unit = parse_typed(text, PRINTED)
    return Number(value, PRINTED, unit)


@pytest.mark.parametrize(
    ("text", "exact", "verdict"),
    [
        ("0.3333", "1/3", Verdict.PRINTED),
        ("0.333333333333333314829616256247", "1/3", Verdict.PRINTED),  # the double nearest to 1/3
        ("3.3333e-01", "1/3", Verdict.PRINTED),
        (".3", "1/3", Verdict.PRINTED),
        ("0.3334", "1/3", Verdict.WRONG),
        ("0.3332", "1/3", Verdict.WRONG),
        ("0.3333333333335", "1/3", Verdict.WRONG),  # beyond the bound of a double, which is below 5e-15 here
        ("0.5000", "1/2", Verdict.PRINTED),
        ("0.12", "1/8", Verdict.PRINTED),  # half a unit off: to even
        ("0.13", "1/8", Verdict.PRINTED),  # half a unit off: away from zero
        ("0.12", "1251/10000", Verdict.WRONG),
        ("0.12", "125000000000000001/1000000000000000000", Verdict.PRINTED),  # a double takes it for the middle
        ("0.12", "12500001/100000000", Verdict.WRONG),
        ("1", "1", Verdict.EXACT),
        ("1", "3/5", Verdict.WRONG),  # a number without a point is whole
        ("0", "1/3", Verdict.WRONG),
        ("1.", "3/5", Verdict.PRINTED),
        ("nan", "1/3", Verdict.UNDEFINED),
        ("-inf", "1/3", Verdict.UNDEFINED),
    ],
)
def test_a_printed_number_is_held_to_its_digits(text, exact, verdict):
    assert judge(printed(text), Expectation(Fraction(exact), roundings=BOUNDED)).verdict is verdict


@pytest.mark.parametrize(
    ("values", "overall", "verdict", "detail"),
    [
        ({"q1": "0.50", "q2": "0.33"}, "0.42", Verdict.PRINTED, ""),
        ({"q1": "0.50"}, "0.42", Verdict.PRINTED, ""),
        ({}, "0.42", Verdict.PRINTED, ""),
        ({"q1": "0.50", "q2": "0.34"}, "0.42", Verdict.WRONG, ""),
        ({"q1": "0.50", "q2": "0.33"}, "0.50", Verdict.WRONG, "right"),
        ({"q1": "0.50", "q2": "0.33"}, "nan", Verdict.UNDEFINED, "nan"),
        ({"q1": "0.50", "q9": "0.33"}, "0.42", Verdict.WRONG, "q9"),
    ],
)
def test_the_value_of_the_set_is_judged_beside_those_of_the_queries(values, overall, verdict, detail):
    told = PerQuery({query: printed(text) for query, text in values.items()}, printed(overall))
    judgement = judge(told, TWO)
    assert judgement.verdict is verdict
    assert detail in judgement.detail
    assert bool(detail) is bool(judgement.detail)


def test_which_verdicts_conform_and_which_say_that_nothing_was_asked():
    conforming = {Verdict.EXACT, Verdict.FLOAT64, Verdict.FLOAT32, Verdict.PRINTED, Verdict.IMPRECISE}
    assert {verdict for verdict in Verdict if verdict.conforms} == conforming
    assert {verdict for verdict in Verdict if not verdict.is_applicable} == {
        Verdict.UNSUPPORTED,
        Verdict.NOT_EXPRESSIBLE,
    }


POOLED = Expectation(Fraction(1, 2), pooled=True, roundings=BOUNDED)
SEVEN = Expectation(Fraction(7), {"q1": Fraction(7)}, roundings=BOUNDED, is_count=True)
LOGARITHM = Expectation(
    evaluate(Measure("DCG"), Qrels.of({"q": {"a": 1}}), Run.of({"q": [("b", 2), ("a", 1)]})).exact, roundings=BOUNDED
)
"""1 / log2(3)."""


@pytest.mark.parametrize(
    ("outcome", "expectation", "verdict"),
    [
        (Raised("ValueError", "twice"), ERROR, Verdict.EXACT),
        *((each, ERROR, None) for each in (Malformed("None"), Crashed("SIGSEGV"), TimedOut(1), OutOfMemory(1))),
        (queries(), Expectation(Undefined.NAN), Verdict.EXACT),  # no query counts
        (queries(q1=0.5), POOLED, Verdict.WRONG),
        (queries(q1=0.5), ERROR, Verdict.UNDEFINED),
        # Where queries are pooled, the value of the set is what counts.
        (PerQuery({"q1": printed("0.1")}, printed("0.5")), POOLED, Verdict.PRINTED),
        (PerQuery({"q1": printed("0.5")}, printed("0.1")), POOLED, Verdict.WRONG),
        (printed("0.6309"), LOGARITHM, Verdict.PRINTED),
        (printed("0.6310"), LOGARITHM, Verdict.WRONG),
        # A count is right or wrong.
        (number(7.0), SEVEN, Verdict.EXACT),
        (number(nextafter(7.0, 8)), SEVEN, Verdict.WRONG),
        (number(nextafter(7.0, 8)), Expectation(Fraction(7), roundings=BOUNDED), Verdict.FLOAT64),
    ],
)
def test_what_is_demanded_decides(outcome, expectation, verdict):
    found = judge(outcome, expectation).verdict
    assert found is verdict if verdict else not found.conforms


AP = parse_measure("AP@3")
# A hit at rank 1 of three, R = 5: AP@3 is 1/5. Whatever is divided by k = 3 or by n = 3, or by less than R, is 1/3.
QRELS = Qrels.of({"q": {"a": 1, **dict.fromkeys("vwxy", 1)}})
RUN = Run.of({"q": [("a", 3), ("b", 2), ("c", 1)]})
OF_THREE = ["min-relevant-cutoff", "min-relevant-cutoff-length", "min-relevant-length", "min-cutoff-length"]
SIGNATURE = Signature(Shape.QRELS_RUN, Shape.QRELS_RUN.natives, Need.OPTIONAL, Need.OPTIONAL)


def found_for(outcome):
    asked = render(Question("by hand", AP, QRELS, RUN), DEFAULT, SIGNATURE)
    return with_near_conventions(AP, asked, outcome, DEFAULT, judge(outcome, asked.expectation))


def double(value):
    return Number(Fraction(value), "float")


def test_all_that_demand_the_answer_are_told_and_two_are_named():
    found = found_for(double(1 / 3))
    assert found.verdict is Verdict.OTHER_CONVENTION
    named = [f"denominator={each}" for each in OF_THREE]
    names = found.conventions
    changed = [name for name in names if "=" in name]
    assert changed == [*named, "denominator=cutoff", "denominator=length"]
    # Kaggle divides by min(R, k); named conventions stand behind those with one axis changed.
    assert "kaggle" in names[len(changed) :]
    assert found.detail == f"{' or '.join(named[:2])}, and {len(names) - 2} more"


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [(double(1 / 5), Verdict.EXACT), (double(0.123), Verdict.WRONG), (Raised("ValueError", ""), Verdict.ERROR)],
)
def test_what_is_right_what_nothing_demands_and_what_is_no_number_stays_what_it_is(outcome, verdict):
    assert found_for(outcome) == Judgement(verdict, "ValueError" if verdict is Verdict.ERROR else "")


@pytest.mark.parametrize(
    ("measure", "others"),
    [
        ("P@10", {"kaggle", "voc2007-classes"}),
        ("nDCG@10", {"kaggle", "voc2007-classes", "sklearn", "ir_measures_accuracy"}),
        ("AP", {"ir_measures_accuracy", "ir_measures_judged", "sklearn_ndcg"}),
    ],
)
def test_a_profile_is_named_only_for_measures_that_its_program_has(measure, others):
    asked = parse_measure(measure)
    named = {each.name for each in _neighbours(asked, DEFAULT)[0]}
    assert not named & others
    assert all(PROFILES[name].knows(asked) for name in named & set(PROFILES))
    assert expression_text(asked, PROFILES["trec_eval-9.0.8"].convention) == f"{measure} under trec_eval-9.0.8"


def test_what_no_profile_knows_is_written_out():
    text = expression_text(parse_measure("P@10"), PROFILES["kaggle"].convention)
    assert text == "P@10 under default[denominator=min-relevant-cutoff, duplicates=first]"
    assert expression_text(parse_measure("AP@10"), PROFILES["kaggle"].convention) == "AP@10 under kaggle"


@pytest.mark.parametrize(
    ("measure", "ties", "digits", "details"),
    [
        ("AP", Ties.EXPECTED, None, ["envelopes"]),
        ("AP11", Ties.INPUT_ORDER, None, ["envelopes"]),
        # Nothing is left out: no neighbour of these takes one.
        ("AP", Ties.INPUT_ORDER, None, []),
        ("P@10", Ties.EXPECTED, None, []),
        # What was not tried is said beside what was seen.
        ("AP", Ties.EXPECTED, 3, ["3 places", "envelopes"]),
    ],
)
def test_means_of_envelopes_over_large_ties_are_not_tried_and_that_is_said(measure, ties, digits, details):
    # Above 20 documents in one tie they are left out; of 129 one mean takes minutes.
    qrels = Qrels.of({"q": {f"d{i}": i % 2 for i in range(21)}})
    run = Run.of({"q": [(f"d{i}", 0) for i in range(21)]})
    question = Question("by hand", parse_measure(measure), qrels, run)
    declared = DEFAULT.with_setting("ties", ties)
    asked = render(question, declared, SIGNATURE)
    answer = double(round(float(asked.expectation.exact), digits) if digits else 0.123)
    judgement = with_near_conventions(question.measure, asked, answer, declared, judge(answer, asked.expectation))
    assert judgement.verdict is Verdict.WRONG
    assert_names(judgement.detail, *details)
    assert bool(details) is bool(judgement.detail)


BOUND = Bound(110)


def number_of(value, kind="float", unit=Fraction(0)):
    return Number(value if isinstance(value, Special) else Fraction(value), kind, unit)


LAST_BIT = number_of(nextafter(0.3, 1))


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (number_of(0.3), LAST_BIT, True),
        (number_of(0.3), number_of(0.3 + 1e-11), False),
        (number_of(-0.3), number_of(0.3), False),
        (number_of(0.3), number_of(0.3 + 1e-11, "numpy.float32"), True),
        (number_of(1), number_of(1 + 1e-5, "numpy.int32"), False),
        (number_of(1), number_of(1 + 1e-5, "decimal32"), False),
        (number_of(0.5), number_of(0.5 + 2**-20), True),  # both are singles, though a double was returned
        (number_of(0.5), number_of(0.5 + 2**-20 + 2**-40), False),
        (number_of(0.25, unit=Fraction(1, 100)), number_of(0.2525), True),
        (number_of(0.25, unit=Fraction(1, 100)), number_of(0.257), False),
        (number_of(Special.NAN), number_of(Special.NAN), True),
        (number_of(Special.NAN), number_of(0), False),
        (number_of(Special.INFINITY), number_of(Special.NEGATIVE_INFINITY), False),
        (PerQuery({"a": number_of(0.3)}), PerQuery({"a": LAST_BIT}), True),
        (PerQuery({"a": number_of(0.3)}), PerQuery({"a": number_of(0.4)}), False),
        (PerQuery({"a": number_of(0.3)}), PerQuery({"b": number_of(0.3)}), False),
        (PerQuery({}, number_of(0.3)), PerQuery({}, number_of(0.4)), False),
        (PerQuery({}, number_of(0.3)), PerQuery({}), False),
        (Raised("ValueError", "at 0x1"), Raised("ValueError", "at 0x2"), True),
        (Raised("ValueError", ""), Raised("KeyError", ""), False),
        (Crashed("SIGSEGV"), number_of(0.3), False),
        (NotCalled("no time"), number_of(0.3), True),
        (Declined("no k"), number_of(0.3), False),
    ],
)
def test_which_answers_can_be_one(first, second, *, same):
    assert agrees(first, second, BOUND) is same
    assert agrees(second, first, BOUND) is same


@pytest.mark.parametrize(
    ("first", "second", "differ_a_little"),
    [
        (number_of(0.3), LAST_BIT, True),
        (number_of(0.3), number_of(0.3, "numpy.float64"), False),
        (number_of(0.3), number_of(0.4), False),
        (PerQuery({"a": number_of(0.3)}), PerQuery({"a": LAST_BIT}), True),
        (PerQuery({}, number_of(0.3)), PerQuery({}, LAST_BIT), True),
        (NotCalled("no time"), number_of(0.3), False),
        (Raised("ValueError", "at 0x1"), Raised("ValueError", "at 0x2"), False),
    ],
)
def test_last_digits(first, second, *, differ_a_little):
    assert differ_in_last_digits(first, second, BOUND) is differ_a_little


@pytest.mark.parametrize(("queries", "overall", "same"), [("ab", None, False), ("a", None, True), ("ab", 0.5, False)])
def test_a_value_a_query_too_many_is_no_answer(queries, overall, *, same):
    demand = Predicted(Fraction(1, 2), {"a": Fraction(1, 2)}, Roundings(1))
    answer = PerQuery(dict.fromkeys(queries, number_of(0.5)), overall and number_of(overall))
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
        (number_of(Special.NAN), Undefined.NAN, True),
        (number_of(Special.NAN), Undefined.SKIP, True),
        (number_of(Special.NAN), Undefined.ERROR, False),
        (number_of(0), Undefined.NAN, False),
        (Raised("ZeroDivisionError", ""), Undefined.ERROR, True),
        (Raised("ZeroDivisionError", ""), Undefined.NAN, False),
    ],
)
def test_what_is_undefined_is_nan_unless_an_error_is_demanded(answer, undefined, *, same):
    assert agrees(answer, Predicted(undefined, {}, Roundings(1)), BOUND) is same


def test_what_says_nothing_is_fitted_by_no_answer():
    assert not any(
        fits(each, NOTHING) for each in (Raised("ValueError", ""), number_of(-1), number_of(Special.NAN), None)
    )


def test_a_count_is_right_or_wrong():
    bound = bound_of(Call("NumRet", RankedLabels((1, 0), 1)))
    assert bound.is_count
    assert not agrees(number_of(2), number_of(nextafter(2, 3)), bound)


def test_answers_of_two_programs_are_told_apart_by_the_types_of_their_numbers():
    assert differ(number_of(1, "numpy.int32"), number_of(1 + 1e-5), BOUND)
    assert not differ(number_of(1, "numpy.float32"), number_of(1 + 1e-5), BOUND)
    assert not differ(Raised("ValueError", ""), Raised("KeyError", ""), BOUND)
    assert differ(Raised("ValueError", ""), number_of(1), BOUND)


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
    apart = share * bound.of(number_of(0.0), abs(exact), unit)
    predicted = Predicted(exact, {}, 0)
    assert agrees(Number(exact + apart, "float"), predicted, bound) is (share <= 1 or not apart)
