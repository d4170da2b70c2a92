"""Exact values as cases write them: one number has more than one form, and two numbers that are near are not one."""

import pytest
from rankspec.conformance.cases.exact import parse_exact, same_value

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
