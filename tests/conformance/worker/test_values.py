"""A number travels as text and comes back as it was, with the digits that were printed; others are refused."""

import decimal
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from rankspec.conformance.checks.check import CheckPlan, check
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.questions.question import Question
from rankspec.conformance.run.connection import Workers
from rankspec.conformance.worker.values import (
    NotANumberError,
    Special,
    number_text,
    one_line,
    parse_number,
    parse_typed,
    type_name,
)
from rankspec.oracle import Qrels, Run, parse_measure


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.fractions())
def test_rationals_come_back(value):
    assert parse_number(number_text(value)) == Fraction(value)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**50), max_value=10**50))
def test_decimals_come_back(value):
    assert parse_number(number_text(value)) == Fraction(value)


@pytest.mark.parametrize(
    "value", [1 << 100_000, -(1 << 100_000) + 1, Fraction(1, 3**10_000)], ids=["long", "negative", "ratio"]
)
def test_numbers_too_long_for_decimal_digits_come_back(value):
    assert parse_number(number_text(value)) == value


@pytest.mark.parametrize(
    ("value", "text", "name"),
    [
        (0.5, "0x1.0000000000000p-1", "float"),
        (-0.0, "-0x0.0p+0", "float"),
        (7, "7", "int"),
        (Fraction(6, 8), "3/4", "fractions.Fraction"),
        (Decimal("0.750"), "3/4", "decimal.Decimal"),
        (np.float64(0.5), "0x1.0000000000000p-1", "numpy.float64"),
        (np.float32(0.5), "0x1.0000000000000p-1", "numpy.float32"),
        (np.float16(0.5), "0x1.0000000000000p-1", "numpy.float16"),
        (np.int64(7), "7", "numpy.int64"),
        (sympy.Rational(6, 8), "3/4", "sympy.core.numbers.Rational"),
        (sympy.Integer(7), "7", "sympy.core.numbers.Integer"),
    ],
)
def test_types_have_names(value, text, name):
    assert (number_text(value), type_name(value)) == (text, name)


@pytest.mark.parametrize(
    ("value", "special"),
    [
        (math.nan, Special.NAN),
        (math.inf, Special.INFINITY),
        (np.float32("nan"), Special.NAN),
        (np.float32("-inf"), Special.NEGATIVE_INFINITY),
        (Decimal("sNaN"), Special.NAN),
        (Decimal("-Infinity"), Special.NEGATIVE_INFINITY),
    ],
)
def test_nan_and_infinities_are_numbers(value, special):
    assert parse_number(number_text(value)) is special


def test_a_long_double_loses_nothing():
    value = np.longdouble(1) / np.longdouble(3)
    assert parse_number(number_text(value)) == Fraction(*value.as_integer_ratio())


@pytest.mark.parametrize(
    "value",
    [None, True, np.bool_(True), "0.5", b"1", [0.5], (0.5,), 1j, np.array(0.5), object, sympy.sqrt(2)],  # noqa: FBT003
    ids=repr,
)
def test_what_is_no_number_is_refused(value):
    with pytest.raises(NotANumberError):
        number_text(value)


def test_a_number_that_would_fill_the_memory_is_refused():
    with pytest.raises(NotANumberError, match="exponent"):
        number_text(decimal.Decimal("1E-999999999"))
    with pytest.raises(NotANumberError, match="bits"):
        number_text(1 << 2_000_000)


@pytest.mark.parametrize(
    "text", ["", "x", "1/0", "1/0x0", "1_0", "٣", "0x1p99999", "1/2/3", "p", ".", "1e", "1,5", "0.5.", "nano", "+-inf"]
)
def test_other_texts_are_no_numbers(text):
    with pytest.raises(ValueError, match=r"."):
        parse_number(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(0.1)),
        ("-.5", Fraction(-1, 2)),
        ("5e-05", Fraction(5e-05)),
        ("1E3", Fraction(1000)),
        ("1e-400", Fraction(0)),
        ("-1e400", Special.NEGATIVE_INFINITY),
        ("+Infinity", Special.INFINITY),
        ("INF", Special.INFINITY),
        ("-nan", Special.NAN),
        ("0X1.8P-1", Fraction(3, 4)),
    ],
)
def test_other_languages_write_decimals(text, value):
    assert parse_number(text) == value


@pytest.mark.parametrize(
    ("text", "kind", "value", "unit"),
    [
        ("0.1", "decimal", Fraction(1, 10), 0),
        ("0.1", "double", Fraction(0.1), 0),
        ("0.1", "float32", Fraction(13421773, 134217728), 0),
        ("1e39", "float32", Special.INFINITY, 0),
        ("0.1250", "printed", Fraction(1, 8), Fraction(1, 10_000)),
        ("1.25e-01", "printed", Fraction(1, 8), Fraction(1, 1000)),
        ("3", "printed", Fraction(3), 0),
        ("3.", "printed", Fraction(3), 1),
        ("nan", "printed", Special.NAN, 0),
        ("7/12", "printed", Fraction(7, 12), 0),
    ],
)
def test_the_type_says_how_a_decimal_is_read(text, kind, value, unit):
    assert parse_typed(text, kind) == (value, unit)


def test_a_decimal_that_would_fill_the_memory_is_refused():
    for text in ("1e999999999", "1e-999999999", "0." + "1" * 6000):
        with pytest.raises(ValueError, match="digits"):
            parse_typed(text, "decimal")


def test_a_text_becomes_one_short_line():
    assert one_line("a\nb\t c\ud800", 20) == "a b c\\ud800"
    assert one_line("x" * 100, 10) == "xxxxxxx..."


ADAPTER = """
from rankspec.conformance.worker.adapter import Adapter, Printed

def precision(qrels, run, k):
    return {"q1": Printed("0.333"), "q2": Printed("0.334"), "q3": 0.333}

ADAPTER = Adapter("rounds", "numpy", "qrels-run", "default", {"P": precision})
"""


def test_digits_that_are_printed_are_enough(written):
    qrels = Qrels.of({f"q{number}": {"d": 1} for number in (1, 2, 3)})
    question = Question("thirds", parse_measure("P@3"), qrels, Run.of({query: [("d", 1)] for query in qrels}))
    (answer,) = check(Workers(parse(written(ADAPTER, "rounds.py", "ADAPTER"))), CheckPlan([question])).answers
    outcome = answer.outcome
    assert [outcome.values[query].unit for query in qrels] == [Fraction(1, 1000), Fraction(1, 1000), 0]
