"""Exact reals: enclosures hold, the nearest double is right, what is rational is seen; the fast sum."""

import math
from fractions import Fraction

import mpmath
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from rankspec.oracle import Measure, Ranking, value_of_ranking
from rankspec.oracle.reals.deciding import compare, enclosing_fraction, greater, nearest_double
from rankspec.oracle.reals.real import (
    BLOCK,
    LogSum,
    NaturalLogarithm,
    Quotient,
    Root,
    SquaresFrom,
    WeightedSum,
    _squares_from,
    _twice_artanh,
    geometric_mean,
    log_sum,
    primitive_root,
    quotient,
    reciprocal_log2,
    scaled,
    sum_of_fractions,
    weighted_sum,
)

F = Fraction
COEFFICIENTS = st.fractions(min_value=F(1, 20), max_value=20, max_denominator=20)
TERMS = st.lists(st.tuples(COEFFICIENTS, st.integers(2, 40)), min_size=1, max_size=5)


def by_mpmath(terms):
    with mpmath.workdps(90):
        return sum(mpmath.mpf(c.numerator) / c.denominator * mpmath.log(2) / mpmath.log(i) for c, i in terms)


def assert_is(number, value):
    """The number is the value, known to 90 digits, relatively to 50 of them; and as the nearest double."""
    with mpmath.workdps(90):
        known = Fraction(mpmath.nstr(value, 80))
    assert abs(enclosing_fraction(number, 50) - known) <= F(1, 10**49) * max(1, known)
    assert nearest_double(number) == float(known)
    if not isinstance(number, Fraction):
        assert abs(Fraction(str(sympy.N(number.expression(), 40))) - known) <= F(1, 10**30) * max(1, known)


def test_a_primitive_root_is_no_power():
    for number in range(2, 200):
        base, exponent = primitive_root(number)
        assert base**exponent == number
        assert not any(b**e == base for b in range(2, base) for e in range(2, 9))


@given(st.integers(2, 5000) | st.integers(2, 2**40), st.integers(8, 400))
def test_a_reciprocal_logarithm_is_enclosed_closely(number, bits):
    low, high = reciprocal_log2(number, bits)
    with mpmath.workdps(200):
        value = Fraction(mpmath.nstr(mpmath.log(2) / mpmath.log(number), 190))
    assert Fraction(low, 2**bits) <= value + F(1, 10**180)
    assert Fraction(high, 2**bits) >= value - F(1, 10**180)
    assert high - low <= 2


@given(st.fractions(min_value=0, max_value=F(1, 3)), st.integers(1, 300))
def test_an_area_tangent_is_enclosed(number, bits):
    low, high = _twice_artanh(number.numerator, number.denominator, bits)
    with mpmath.workdps(200):
        value = Fraction(mpmath.nstr(2 * mpmath.atanh(mpmath.mpf(number.numerator) / number.denominator), 190))
    assert low <= value * 2**bits <= high


LOGS = LogSum(((2, F(-5, 97)), (3, F(7, 89)), (10, F(-2, 83))))
POSITIVE = LogSum(((3, F(2, 97)), (5, F(1, 89))))
ENCLOSED = {
    "partly negative": LOGS,
    "positive": POSITIVE,
    "a quotient": Quotient(POSITIVE, LogSum(((2, F(1, 7)), (3, F(3, 97))))),
    "a weighted sum": WeightedSum(F(-1, 97), ((F(-3, 89), POSITIVE), (F(5, 83), LOGS))),
    "squares": SquaresFrom(F(7, 3)),
    "squares from far off": SquaresFrom(F(1001, 2)),
    "a logarithm": NaturalLogarithm(F(97, 89)),
    "a logarithm below 0": NaturalLogarithm(F(1, 97)),
    "a multiple": WeightedSum(F(1, 97), ((F(-47, 3), NaturalLogarithm(F(83, 7))),)),
    "a root": Root((F(2, 97), POSITIVE, F(3)), F(1, 89)),
    "a root of one": Root((F(2, 97), F(5, 89)), F(2, 83)),
}


@pytest.mark.parametrize("number", ENCLOSED.values(), ids=ENCLOSED)
def test_an_enclosure_holds_at_every_precision_and_is_narrow(number):
    """The truth is sympy's, of the number as it is written down."""
    truth = Fraction(str(sympy.N(number.expression(), 120)))
    for bits in range(1, 160):
        low, high = number.enclose(bits)
        assert low <= truth * 2**bits <= high, bits
        assert high - low <= 32 * max(1, abs(truth))


@pytest.mark.parametrize("start", [F(1), F(7, 3), F(1, 2), F(40)])
@pytest.mark.parametrize("bits", [8, 64, 200])
def test_the_sum_of_squares_is_enclosed_before_its_guard_bits_are_dropped(start, bits):
    low, high = _squares_from(start, bits)
    with mpmath.workdps(120):
        truth = Fraction(mpmath.nstr(mpmath.zeta(2, mpmath.mpf(start.numerator) / start.denominator), 110)) * 2**bits
    assert low <= truth <= high
    assert high - low < bits + 40


def test_numbers_in_proportion_have_a_rational_ratio_and_others_none():
    squares = SquaresFrom(F(1))
    one, two = WeightedSum(F(1), ((F(2), squares),)), WeightedSum(F(2), ((F(4), squares),))
    assert quotient(one, two) == F(1, 2)
    apart = quotient(one, WeightedSum(F(3), ((F(4), squares),)))
    assert nearest_double(apart) == pytest.approx((1 + math.pi**2 / 3) / (3 + 2 * math.pi**2 / 3), rel=1e-15)
    halves = quotient(LogSum(((3, F(1)), (5, F(1)))), LogSum(((3, F(2)), (5, F(2)))))
    assert halves == F(1, 2)
    assert isinstance(quotient(LogSum(((3, F(1)), (5, F(1)))), LogSum(((3, F(2)), (5, F(3))))), Quotient)


def test_close_numbers_are_told_apart_below_and_above_0():
    near = Root((F(2), F(1)), F(math.isqrt(2 * 10**120), 10**60))
    assert (compare(near, F(0)), compare(F(0), near)) == (1, -1)
    below = Root((F(2), F(1)), F(math.isqrt(2 * 10**120) + 1, 10**60))
    assert (compare(below, F(0)), compare(F(0), below), compare(below, near)) == (-1, 1, -1)


def test_a_hair_above_the_middle_of_two_doubles_is_the_upper_one():
    middle = 1 + F(1, 2**53)
    assert nearest_double(Root((middle, middle + F(1, 2**118)))) == 1 + 2**-52
    assert nearest_double(Root((middle, middle - F(1, 2**118)))) == 1


@given(TERMS)
def test_a_sum_is_the_sum(terms):
    assert_is(log_sum(terms), by_mpmath(terms))


@given(TERMS, TERMS)
def test_a_quotient_is_the_quotient(above, below):
    with mpmath.workdps(90):
        value = by_mpmath(above) / by_mpmath(below)
    assert_is(quotient(log_sum(above), log_sum(below)), value)


@given(st.lists(st.tuples(COEFFICIENTS, TERMS, TERMS), min_size=1, max_size=3), COEFFICIENTS)
def test_a_weighted_sum_is_the_sum(parts, rational):
    numbers = [(weight, quotient(log_sum(above), log_sum(below))) for weight, above, below in parts]
    total = weighted_sum([*numbers, (rational, F(1))])
    with mpmath.workdps(90):
        quotients = [by_mpmath(above) / by_mpmath(below) * w.numerator / w.denominator for w, above, below in parts]
        value = mpmath.mpf(rational.numerator) / rational.denominator + sum(quotients)
    assert_is(total, value)
    assert_is(weighted_sum([(F(1, 2), total), (F(1, 2), total)]), value)


def test_powers_of_two_and_proportional_sums_are_rational():
    assert log_sum([(1, 4), (1, 2)]) == F(3, 2)
    assert log_sum([(1, 9), (F(-1, 2), 3)]) == 0
    thirds = log_sum([(1, 3), (2, 5)])
    assert quotient(scaled(thirds, F(2)), thirds) == 2
    assert quotient(F(0), thirds) == 0
    assert quotient(F(1), F(3)) == F(1, 3)
    assert isinstance(quotient(F(1), thirds), Quotient)


def test_sums_that_cancel_are_rational_again():
    root = log_sum([(1, 3), (1, 2)])
    other = quotient(root, log_sum([(1, 5)]))
    assert weighted_sum([(F(1), root), (F(-1), root), (F(1), F(5))]) == 5
    assert weighted_sum([(F(1), other), (F(-1), other), (F(1), root), (F(-1), log_sum([(1, 3)]))]) == 1
    assert isinstance(weighted_sum([(F(1), other), (F(1), root)]), WeightedSum)
    assert isinstance(weighted_sum([(F(1), other), (F(1), root), (F(-1), log_sum([(1, 3)]))]), WeightedSum)


def test_a_quotient_of_a_mean():
    mean = weighted_sum([(F(1), quotient(log_sum([(1, 3)]), log_sum([(1, 5)])))])
    value = quotient(log_sum([(1, 3)]), weighted_sum([(F(1), mean), (F(1), F(1))]))
    assert nearest_double(value) == float(value.expression().evalf(40))


def test_a_denominator_that_looks_like_zero_is_looked_at_more_closely():
    tiny = LogSum(((2, F(1, 2**200)), (3, F(1, 2**210))))
    with mpmath.workdps(90):
        value = by_mpmath([(F(1), 3)]) / by_mpmath([(F(1, 2**200), 2), (F(1, 2**210), 3)])
    assert_is(Quotient(log_sum([(1, 3)]), tiny), value)


@given(st.lists(st.fractions(min_value=F(1, 1000), max_value=1, max_denominator=1000), min_size=1, max_size=6))
def test_a_geometric_mean_is_the_root_of_the_product(factors):
    with mpmath.workdps(90):
        product = math.prod(factors)
        value = mpmath.root(mpmath.mpf(product.numerator) / product.denominator, len(factors))
    assert_is(geometric_mean(factors), value)


def test_roots_that_are_whole_numbers_are_found():
    assert geometric_mean([F(7, 3)]) == F(7, 3)
    assert geometric_mean([F(2, 3), F(2, 3), F(2, 3)]) == F(2, 3)
    assert geometric_mean([F(1), F(1, 8), F(1)]) == F(1, 2)
    long = F(2**61 - 1, 3**50)
    for degree in (2, 3, 10, 500):
        assert geometric_mean([long**degree, *[F(1)] * (degree - 1)]) == long
        assert isinstance(geometric_mean([2 * long**degree, *[F(1)] * (degree - 1)]), Root)
    assert geometric_mean([F(2), F(4), F(2)]).factors == (F(2), F(4), F(2))


def test_geometric_means_of_irrational_numbers_and_with_something_taken_off():
    part = quotient(log_sum([(1, 3)]), log_sum([(1, 2), (1, 3)]))
    with mpmath.workdps(90):
        third = by_mpmath([(F(1), 3)])
        value = mpmath.sqrt(third / (1 + third) / 2) - mpmath.mpf(1) / 100
    assert_is(geometric_mean([F(1, 2), part], F(1, 100)), value)
    assert geometric_mean([F(1, 4), F(1, 9)], F(1, 100)) == F(1, 6) - F(1, 100)
    tiny = LogSum(((3, F(1, 2**300)),))
    assert nearest_double(Root((tiny, tiny))) == nearest_double(tiny)


@given(TERMS, TERMS)
def test_numbers_are_compared(first, second):
    one, other = log_sum(first), log_sum(second)
    sign = mpmath.sign(by_mpmath(first) - by_mpmath(second)) if one != other else 0
    assert compare(one, other) == sign
    assert greater(one, other) in (one, other)
    assert compare(greater(one, other), one) >= 0


def test_equal_numbers_that_look_different_are_taken_to_be_equal():
    # sqrt(2) * sqrt(2) = 2, which no sum of reciprocal logarithms says.
    root = geometric_mean([F(2), F(1)])
    assert compare(geometric_mean([root, root, F(4), F(1)]), geometric_mean([F(8), F(1), F(1), F(1)])) == 0
    assert compare(root, root) == 0
    assert compare(F(1), F(2)) == -1


def test_a_number_at_the_middle_of_two_doubles_is_rounded():
    # The square root of the square of a number midway between two doubles: irrational in form alone.
    middle = F(2**53 + 1, 2**53)
    twice = Root((middle, middle))
    assert nearest_double(twice) in (1.0, 1.0 + 2**-52)
    assert nearest_double(F(10**400)) == math.inf
    assert nearest_double(F(-(10**400))) == -math.inf


@given(root=st.integers(2, 2**41), degree=st.integers(2, 40), off=st.sampled_from([0, 0, 1, -1]))
def test_roots_are_whole_where_they_are(root, degree, off):
    mean = geometric_mean([F(root**degree + off)] + [F(1)] * (degree - 1))
    assert (mean == root) if off == 0 else isinstance(mean, Root)


@given(st.lists(st.fractions(), max_size=3 * BLOCK))
def test_is_the_plain_sum(terms):
    assert sum_of_fractions(terms) == sum(terms, Fraction(0))


@pytest.mark.campaign
def test_a_hundred_thousand_relevant_documents():
    """Every second document of 200,000 is relevant: the sum of i/(2i-1) over R."""
    size = 100_000
    value = value_of_ranking(Measure("AP"), Ranking.from_labels([1, 0] * size))
    plain = sum(i / (2 * i - 1) for i in range(1, size + 1)) / size
    assert abs(float(value) - plain) < 1e-12
    assert value.q > 2**100_000
