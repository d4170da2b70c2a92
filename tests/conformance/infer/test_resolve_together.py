"""Two numbers at once, numbers by chance, known errata, and data whose fractions are long."""

import json
from fractions import Fraction
from functools import cache

import pytest
import sympy
from rankspec.conformance.data.arguments import data_of
from rankspec.conformance.infer.resolve.joint import resolve_together
from rankspec.conformance.infer.resolve.resolve import resolve
from rankspec.oracle import parse_measure
from rankspec.oracle.reals.roots import geometric_mean
from rankspec.oracle.values import to_text, to_value, whole_text

RELEVANCE = [1, 0, 1, 1, 0, 0, 1, 0, 0, 0]


@cache
def together(*values):
    data = data_of({"relevance": RELEVANCE, "num_relevant": 5})
    return resolve_together(values, parse_measure("AP"), data)


@pytest.mark.campaign
def test_two_numbers_that_differ_by_a_cutoff_alone():
    # (1 + 2/3 + 3/4 + 4/7) / 5 = 251/420 = 0.5976; at 3: (1 + 2/3) / 5 = 1/3
    found = together("0.5976", "0.3333")
    ((one, other), pair) = found.paired[0]
    assert (one.printed, other.printed) == ("0.5976", "0.3333")
    assert (pair.first.text, pair.second.text) == ("AP under default", "AP@3 under default")
    assert pair.axes == ("cutoff",)
    assert pair.parting.text.startswith("rank 4 of query q")


def test_how_many_fits_are_to_be_expected():
    found = resolve("0.52", relevance=RELEVANCE, num_relevant=5)
    # a window of a unit and a half of two digits, for each convention
    assert found.expected_accidental == Fraction(3, 200) * found.searched
    assert resolve("251/420", relevance=RELEVANCE, num_relevant=5).expected_accidental == 0
    both = resolve_together(
        ["251/420", "0.52"], parse_measure("AP"), data_of({"relevance": RELEVANCE, "num_relevant": 5})
    )
    assert both.expected_accidental == sum(each.expected_accidental for each in both.values) > 0


def test_a_known_erratum_is_told():
    # the third document prints 0.6533 for this list; (1 + 2/3 + 3/4 + 4/7) / 5 is 251/420
    (erratum,) = resolve("0.6533", relevance=RELEVANCE, num_relevant=5).errata
    assert (erratum.case, erratum.exact) == ("doc003.code.output-q1", "251/420")
    assert resolve("0.6533", relevance=RELEVANCE[:9], num_relevant=5).errata == ()
    assert resolve("0.598", relevance=RELEVANCE, num_relevant=5).errata == ()


def test_fractions_of_any_length_are_written():
    number = Fraction(10**5000 + 7, 3)
    assert to_text(to_value(number)) == "1" + "0" * 4999 + "7/3"
    assert whole_text(-(10**9000)) == "-1" + "0" * 9000
    assert to_text(to_value(Fraction(1, 3))) == "1/3"


def test_a_geometric_mean_of_long_fractions_is_not_factored():
    # numerators and denominators of thousands of bits, as 50 queries of 1,000 documents have; factoring them never ends
    factors = [Fraction(2 ** (4000 + place) - 1, 3**3000 + 2 * place) for place in range(4)]
    mean = geometric_mean(factors)
    text = to_text(to_value(mean))
    assert len(text) > 4300
    assert to_value(geometric_mean([Fraction(2), Fraction(3)])) == sympy.sqrt(6)


@pytest.mark.parametrize("wide", [False, True])
def test_a_cutoff_that_nobody_asked_for_is_listed_and_explains_nothing(wide, rankspec):
    given = ["--value", "0.6667", "--relevance", "1,0,1,0,0", "--measure", "P@5", *["--any-cutoff"] * wide]
    status, out, _ = rankspec("resolve", *given, "--json")
    answer = json.loads(out)
    assert (status, answer["status"]) == ((0, "explained") if wide else (1, "unexplained"))
    assert [each["measure"] for each in answer["explanations"]] == ["P@3"]


def test_one_that_is_unexplained():
    found = together("0.5976", "0.0123")
    assert (found.status, found.paired) == ("unexplained", ())
