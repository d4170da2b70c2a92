"""Exact values as cases write them, read without running anything, and printed numbers by their digits."""

from fractions import Fraction

import pytest
import sympy
from rankspec.conformance.cases.exact import as_fraction, decimal_text, parse_exact, parse_printed, same_value
from rankspec.oracle.values import Undefined
from refusals import refused

ONE = [
    ("1/2", "2/4"),
    ("sqrt(2)/2", "sqrt(1/2)"),
    ("log(2)/log(3)", "1/(log(3)/log(2))"),
    ("log(2)/log(9)", "log(2)/(2*log(3))"),
    ("(1/6)**(1/3)", "6**(2/3)/6"),
    ("(2*log(2)/log(3))/(3 + 2*log(2)/log(3))", "2*log(2)/(3*log(3) + 2*log(2))"),
    ("nan", "nan"),
]
ANOTHER = [
    ("1/2", "1/2 + 1/10**80"),
    ("log(2)/log(3)", "log(2)/log(3) + 1/10**50"),
    ("sqrt(2)", "1414213562373095048801688724209698078569671875376948/10**51"),
    ("nan", "skip"),
    ("nan", "0"),
    ("0", "1/10**99"),
]


@pytest.mark.parametrize(("first", "second"), ONE)
def test_one_value_in_two_forms(first, second):
    assert same_value(parse_exact(first), parse_exact(second))


@pytest.mark.parametrize(("first", "second"), ANOTHER)
def test_two_values(first, second):
    assert not same_value(parse_exact(first), parse_exact(second))


@pytest.mark.parametrize(
    ("printed", "exact", "agreement"),
    [
        ("0.771", "37/48", "rounded"),
        ("0.770", "37/48", "truncated"),
        ("0.772", "37/48", None),
        ("0.5", "9/20", "rounded"),
        ("0.4", "9/20", "rounded"),
        ("1", "1", "rounded"),
        ("1.0", "1", "rounded"),
        ("4/6", "2/3", "rounded"),
        ("2/3", "667/1000", None),
        ("-0.1", "-19/100", "truncated"),
        ("-0.2", "-19/100", "rounded"),
        ("0.354", "sqrt(2)/4", "rounded"),
        ("0.353", "sqrt(2)/4", "truncated"),
        ("7.7e-1", "37/48", "rounded"),
        ("nan", "nan", "rounded"),
        ("nan", "0", None),
        ("0", "skip", None),
    ],
)
def test_how_a_printed_number_comes_of_an_exact_one(printed, exact, agreement):
    found = parse_printed(printed).agreement(parse_exact(exact))
    assert (None if found is None else str(found)) == agreement


@pytest.mark.parametrize("text", ["", "x", "1_0", "0.5.1", "٣", "1/0", "inf", "0,5"])
def test_what_is_no_printed_number(text):
    with refused("number-not-printed"):
        parse_printed(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1e400", ("number-not-printed",)),
        ("-1e309", ("number-not-printed",)),
        ("1" * 10_000, ("number-not-printed", "10000")),
    ],
)
def test_what_no_program_prints(text, words):
    with refused(*words):
        parse_printed(text)


@pytest.mark.parametrize(
    "text", ["x", "1/0", "f(1)", "sqrt", "sqrt(-1)", "log(0)", "().__class__", "2**99999", "1.5", "True"]
)
def test_what_is_no_exact_value(text):
    with refused("value-not-exact"):
        parse_exact(text)


def test_exact_values_are_read():
    assert parse_exact("37/48") == sympy.Rational(37, 48)
    assert parse_exact("skip") is Undefined.SKIP
    assert parse_exact("(1 + log(2)/log(3))/2") == (1 + sympy.log(2) / sympy.log(3)) / 2
    assert as_fraction(parse_exact("-3/4")) == Fraction(-3, 4)


@pytest.mark.parametrize(
    ("exact", "decimal"),
    [("37/48", "0.7708333333"), ("1", "1"), ("-1/4", "-0.25"), ("sqrt(2)", "1.4142135624"), ("nan", "nan"), ("0", "0")],
)
def test_decimals(exact, decimal):
    assert decimal_text(parse_exact(exact)) == decimal


@pytest.mark.parametrize(
    ("printed", "exact", "agreement"),
    [
        ("0.65", Fraction(655, 1000), "rounded"),
        ("0.65", Fraction(656, 1000), "truncated"),
        ("0.65", Fraction(66, 100), None),
        ("-0.65", Fraction(-659, 1000), "truncated"),
        ("-0.65", Fraction(-66, 100), None),
        ("0.65", Fraction(644, 1000), None),
        ("12e2", Fraction(1250), "rounded"),
        ("12e2", Fraction(1299), "truncated"),
        ("12e2", Fraction(1300), None),
        ("2/3", Fraction(2, 3), "rounded"),
    ],
)
def test_a_unit_of_the_last_digit_by_hand(printed, exact, agreement):
    found = parse_printed(printed).agreement_of(exact)
    assert (None if found is None else str(found)) == agreement
