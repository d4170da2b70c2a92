"""Significance: exact p-values against every sign vector, against derivations by hand, and against scipy."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
import sympy
from campaign import one_in
from hypothesis import assume, given
from hypothesis import strategies as st
from naive import significance as naive
from rankspec.oracle import DEFAULT, Qrels, Run, evaluate, parse_convention, parse_measure
from rankspec.oracle.reals.real import log_sum, quotient, scaled
from rankspec.oracle.scoring.significance.comparing import (
    Plan,
    _square_bounds,
    compare_runs,
    p_of_square,
    paired,
    t_test,
)
from rankspec.oracle.scoring.significance.randomization import (
    Integers,
    _count_at_most,
    as_integers,
    exact_p,
    interval,
    randomization_test,
)
from rankspec.oracle.scoring.significance.results import Correction, Side, corrected
from refusals import refused

F = Fraction

SMALL = st.builds(F, st.integers(-4, 4), st.integers(1, 6))
LONG = st.builds(F, st.integers(-(10**45), 10**45), st.integers(1, 10**45))
NEAR = st.builds(lambda number, more: F(number, 10) + F(more, 10**40), st.integers(-3, 3), st.integers(-1, 1))
LISTS = st.lists(st.one_of(SMALL, LONG), max_size=9) | st.lists(NEAR, max_size=9)
SIDES = pytest.mark.parametrize("side", list(Side))


def p_of(differences, side=Side.BOTH):
    return randomization_test(differences, side=side).exact


# ---- The randomization test


@SIDES
@given(differences=LISTS)
def test_exact_p_is_the_share_of_sign_vectors(differences, side):
    assert p_of(differences, side) == naive.randomization(differences, str(side))


def test_least_p_of_many_queries():
    """Where one run always wins, only two sign vectors are as extreme, however long the numbers are."""
    generator = random.Random(1)
    differences = [F(generator.randrange(1, 10**60), 10**60) for _ in range(400)]
    assert p_of(differences) == F(2, 2**400)
    assert p_of([-difference for difference in differences], Side.LESS) == F(1, 2**400)


def test_p_of_hundreds_of_queries_with_few_values():
    """With all sizes equal it is a sign test, whose p-value is a sum of binomial coefficients."""
    differences = [F(1, 10)] * 180 + [F(-1, 10)] * 120
    tail = sum(math.comb(300, k) for k in range(121))
    assert p_of(differences) == F(2 * tail, 2**300)


@given(
    weights=st.lists(st.one_of(st.integers(1, 9), st.integers(1, 10**50), st.just(10**30)), max_size=11),
    share=st.fractions(0, 1),
)
def test_subsets_are_counted(weights, share):
    limit = int(sum(weights) * share)
    assert _count_at_most(weights, limit) == naive.subsets_at_most(weights, limit)


def test_sums_that_doubles_can_not_tell_apart():
    """Each long weight is near a multiple of one unit, so that doubles see ties nearly everywhere."""
    unit = 10**40
    near = [unit + 1, unit - 1, 2 * unit + 5, 2 * unit - 3, 3 * unit, 3 * unit + 1, unit, 4 * unit - 7, 2 * unit]
    powers = [2**place * unit + 3**place for place in range(9)]  # no two sums are near each other
    limits = (unit, 2 * unit, 9 * unit, 9 * unit + 2, 9 * unit - 2, 10 * unit + 1)
    # 44 is 4 + 8 + 32, whose second parts are 9 + 27 + 243.
    for weights, limit in [*((near, limit) for limit in limits), (powers, 44 * unit + 278), (powers, 44 * unit + 279)]:
        assert _count_at_most(weights, limit) == naive.subsets_at_most(weights, limit)


def test_more_queries_than_fit_an_int64():
    """Counts above 2**63 are exact too."""
    weights = [10**30] * 70 + [10**30 + 1] * 10
    limit = 35 * 10**30
    truth = sum(
        math.comb(70, plain) * math.comb(10, odd)
        for plain in range(36)
        for odd in range(11)
        if plain * 10**30 + odd * (10**30 + 1) <= limit
    )
    assert _count_at_most(weights, limit) == truth


def ap_differences(queries):
    generator = random.Random(queries)

    def ap():
        ranks = sorted(generator.sample(range(1, 1000), generator.randrange(5, 40)))
        return sum((F(hits, rank) for hits, rank in enumerate(ranks, 1)), F(0)) / (len(ranks) + 5)

    return [ap() - ap() for _ in range(queries)]


# ---- Irrational differences


def gain(*pairs):
    return log_sum(pairs)


def test_irrational_differences():
    """Multiples of one irrational number have the p-value of their factors, ties included."""
    root = gain((1, 3))
    factors = [F(3), F(-1), F(2), F(2), F(-5), F(1, 3), F(0)]
    assert p_of([scaled(root, factor) for factor in factors]) == naive.randomization(factors)
    assert as_integers([scaled(root, factor) for factor in factors]).signs == (1, -1, 1, 1, -1, 1, 0)


def test_irrational_differences_that_are_equal_for_a_reason():
    """1/log2(9) is half of 1/log2(3), however it is written: 2 a - b = 0 in every sign vector."""
    denominator = gain((1, 2), (1, 5))
    a, b = quotient(gain((1, 9)), denominator), quotient(gain((1, 3)), denominator)
    assert p_of([a, a, scaled(b, F(-1))]) == naive.randomization([F(1), F(1), F(-2)]) == 1
    assert p_of([a, b]) == naive.randomization([F(1), F(2)])


def test_irrational_and_rational_differences_together():
    """Of 1/log2(3) = 0.63..., 5/8 and 2/3 in any mix doubles are enough to see the p-value here."""
    third = gain((1, 3))
    floats = [1 / math.log2(3), -5 / 8, 2 / 3, 1 / 7]
    observed = abs(sum(floats))
    extreme = sum(
        abs(sum(value if bits >> place & 1 else -value for place, value in enumerate(floats))) >= observed - 1e-12
        for bits in range(16)
    )
    assert p_of([third, F(-5, 8), F(2, 3), F(1, 7)]) == F(extreme, 16)


# ---- Sign vectors drawn at random


def test_estimates_are_reproducible_to_the_last_bit():
    """These numbers are PCG64's; they are the same on every platform and numpy."""
    differences = ap_differences(12)
    once = randomization_test(differences, permutations=999, seed=1)
    assert once == randomization_test(differences, permutations=999, seed=1)
    assert once.number == F(once.sampling.extreme + 1, 1000)
    assert once.exact is None
    assert (once.method, once.sampling.permutations, once.sampling.seed) == ("monte-carlo", 999, 1)
    assert randomization_test(differences, permutations=999, seed=2).sampling.extreme != once.sampling.extreme
    assert once.number == drawn_by_the_book(differences, 999, 1)
    # All six signs as they are: no bit of the six is set. The words of a seed are numpy's.
    words = np.random.PCG64(1).random_raw(999).tolist()
    upward = randomization_test([F(1)] * 6, side=Side.GREATER, permutations=999, seed=1)
    assert upward.sampling.extreme == sum(word % 2**6 == 0 for word in words)


def drawn_by_the_book(differences, permutations, seed):
    return naive.drawn(differences, np.random.PCG64(seed).random_raw(permutations).tolist())


@SIDES
def test_estimates_of_every_side(side):
    differences = ap_differences(14)
    exact = p_of(differences, side)
    low, high = randomization_test(differences, side=side, permutations=30_000, seed=3).sampling.interval
    assert low <= exact <= high


def test_ties_are_decided_exactly_in_draws_too():
    """With differences 1, 1, -2 of any unit every sum is observed 0 or more: all draws count."""
    for unit in (F(1), F(1, 3), F(10**40 + 1, 10**41)):
        result = randomization_test([unit, unit, -2 * unit], permutations=500, seed=0)
        assert result.number == 1
    assert randomization_test([gain((1, 3)), scaled(gain((1, 9)), F(-2))], permutations=100).number == 1
    # With 2, 2, -1 the sums are +-5, +-3, +-3 and +-1, +-1 twice: about half of the draws.
    unit = F(10**40 + 1, 10**41)
    estimate = randomization_test([2 * unit, 2 * unit, -unit], permutations=4000, seed=0).number
    assert estimate == drawn_by_the_book([F(2), F(2), F(-1)], 4000, 0)
    # 1/10 + 2/10 is more than the third size, by less than leading bits tell.
    nearly = [F(1, 10), F(2, 10), F(-3, 10) + F(1, 10**40), F(1, 2)]
    assert randomization_test(nearly, permutations=4000, seed=0).number == drawn_by_the_book(nearly, 4000, 0)


def test_more_queries_than_bits_of_a_word():
    differences = ap_differences(130)
    estimate = randomization_test(differences)
    assert estimate.method == "monte-carlo"
    assert estimate.sampling.permutations == 100_000
    # Signs of the first 64 and of the others come from different words.
    alone = randomization_test([difference if place >= 64 else F(0) for place, difference in enumerate(differences)])
    assert alone.number != estimate.number


def test_all_or_none_extreme():
    assert randomization_test([F(0)] * 3, permutations=10).number == 1
    nearly_never = randomization_test([F(1)] * 60, permutations=10)
    assert (nearly_never.sampling.extreme, nearly_never.number) == (0, F(1, 11))
    assert nearly_never.sampling.interval[0] == 0


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (1, 10), (3, 10), (9, 10), (10, 10), (0, 1), (7, 60)])
def test_interval_is_clopper_and_pearson_s(successes, trials):
    low, high = interval(successes, trials)
    half, wider, narrower = F(1, 200), F(1001, 1000), F(999, 1000)
    assert 0 <= low < high <= 1
    if successes:
        # So many or more have probability 1/200 at the lower end.
        at = lambda p: 1 - naive.binomial_at_most(successes - 1, trials, p)  # noqa: E731
        assert at(F(low) * narrower) < half < at(F(low) * wider)
    else:
        assert low == 0
    if successes < trials:
        at = lambda p: naive.binomial_at_most(successes, trials, p)  # noqa: E731
        assert at(F(high)) <= half < at(F(high) * narrower)
    else:
        assert high == 1


# ---- The t test


@given(differences=st.lists(SMALL, min_size=1, max_size=12))
def test_t_squared(differences):
    student = t_test(differences).student
    assert student.square == naive.t_squared(differences)
    if student.square is not None:
        total = sum(differences)
        assert student.t == sympy.sign(total) * sympy.sqrt(sympy.Rational(*student.square.as_integer_ratio()))
        assert float(student.nearest) == pytest.approx(float(student.t))


def assert_within(number, truth):
    assert abs(number - truth) <= truth / 2**200


@one_in(3)
@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 10, 31, 100, 249])
@pytest.mark.parametrize("square", [F(1, 10**6), F(1, 3), F(7, 2), F(30), F(10**9, 7)])
def test_p_of_t_against_powers_of_the_cosine(square, freedom):
    """Abramowitz and Stegun 26.7.3 and 26.7.4: the tangent of an angle is t over the root of the degrees."""
    from mpmath import atan, cos, mp, mpf, pi, sin, sqrt  # noqa: PLC0415

    with mp.workdps(1500):
        angle = atan(sqrt(mpf(square.numerator) / (square.denominator * freedom)))
        term, series = mpf(1), mpf(0)
        for k in range(1, freedom // 2 + 1):
            series += term
            above, below = (2 * k - 1, 2 * k) if freedom % 2 == 0 else (2 * k, 2 * k + 1)
            term *= cos(angle) ** 2 * above / below
        inside = sin(angle) * series if freedom % 2 == 0 else 2 / pi * (angle + sin(angle) * cos(angle) * series)
        truth = F(int((1 - inside) * mpf(2) ** 4600), 2**4600)
    assert_within(p_of_square(square, freedom), truth)


def test_tiny_p_of_t_keeps_its_precision():
    differences = [F(1, 2) + F(place, 10**6) for place in range(60)]
    number = t_test(differences).number
    assert 0 < number < F(1, 10**150)


@pytest.mark.parametrize("differences", [[F(1, 2)], [F(0), F(0)], [F(1, 3)] * 5, [gain((1, 3))] * 4])
def test_no_t(differences):
    result = t_test(differences)
    assert result.number is None
    assert result.undefined
    assert result.student.t is None
    assert result.student.nearest is None


def test_t_of_irrational_differences():
    """A common factor cancels from t."""
    root = gain((1, 3))
    factors = [F(3), F(-1), F(2), F(5), F(1, 3)]
    irrational, rational = t_test([scaled(root, factor) for factor in factors]), t_test(factors)
    assert abs(irrational.student.square - rational.student.square) < F(1, 2**400)
    assert abs(irrational.number - rational.number) < F(1, 2**199)
    assert sympy.simplify(irrational.student.t - rational.student.t) == 0
    assert not irrational.student.is_rational


@given(data=st.data(), values=st.lists(st.integers(-30, 30), min_size=2, max_size=8), error=st.integers(0, 3))
def test_t_squared_of_anything_within_the_error_lies_between_the_bounds(data, values, error):
    assume(max(values) - min(values) > 2 * error)
    low, high = _square_bounds(Integers(tuple(values), F(1), error))
    within = st.fractions(-error, error, max_denominator=5)
    assert low <= naive.t_squared([value + data.draw(within) for value in values]) <= high
    assert error or low == high


# ---- Families


P_VALUES = st.lists(st.fractions(0, 1, max_denominator=64), max_size=6)


@given(p_values=P_VALUES)
def test_corrections(p_values):
    assert corrected(p_values, Correction.HOLM) == naive.holm(p_values)
    assert corrected(p_values, Correction.BONFERRONI) == naive.bonferroni(p_values)
    assert corrected(p_values, Correction.NONE) == p_values


def test_an_undefined_p_value_is_one_of_the_family():
    assert corrected([F(1, 100), None], Correction.BONFERRONI) == [F(2, 100), None]
    assert corrected([None, F(1, 100)], Correction.HOLM) == [None, F(2, 100)]


# ---- Pairing and comparing


QRELS = Qrels.of({"q1": {"a": 1, "b": 1}, "q2": {"a": 1}, "q3": {"a": 0}, "q4": {"a": 1, "b": 0}})
FIRST = Run.of({"q1": [("a", 2), ("b", 1)], "q2": [("x", 2), ("a", 1)], "q4": [("a", 2)], "q9": [("a", 1)]})
SECOND = Run.of({"q1": [("x", 3), ("a", 2), ("b", 1)], "q3": [("a", 1)], "q4": [("a", 2)]})
AP = parse_measure("AP")


def pair(convention):
    under = parse_convention(convention)
    return paired(evaluate(AP, QRELS, FIRST, under), evaluate(AP, QRELS, SECOND, under), ("one", "two"))


def test_pairing_by_the_convention():
    found = pair("default")
    assert found.differences == {"q1": 1 - F(7, 12), "q2": F(1, 2), "q3": 0, "q4": 0}
    assert found.signs == {"q1": 1, "q2": 1, "q3": 0, "q4": 0}
    assert found.mean == (F(5, 12) + F(1, 2)) / 4
    assert set(found.left_out) == {"q9"}


def test_what_is_left_out_and_why():
    found = pair("default[missing_query=skip, no_relevant=skip]")
    assert list(found.differences) == ["q1", "q4"]
    assert set(found.left_out) == {"q2", "q3", "q9"}
    assert "(two)" in found.left_out["q2"]


def test_a_value_that_is_no_number_is_compared_with_nothing():
    found = pair("default[no_relevant=nan]")
    assert "q3" not in found.differences
    assert found.left_out["q3"]


def test_nothing_in_common():
    one, other = Run.of({"q1": [("a", 1)]}), Run.of({"q2": [("a", 1)]})
    with refused("no-query-in-common", "one", "other"):
        compare_runs([AP], QRELS, {"one": one, "other": other}, DEFAULT, Plan())
    under = parse_convention("default[missing_query=skip]")
    with refused("no-query-in-common"):
        paired(evaluate(AP, QRELS, one, under), evaluate(AP, QRELS, other, under))


def test_significant_is_at_most_alpha():
    """Four queries that all go one way have p = 1/8."""
    qrels = Qrels.of({f"q{place}": {"a": 1} for place in range(4)})
    good = Run.of({f"q{place}": [("a", 1)] for place in range(4)})
    bad = Run.of({f"q{place}": [("x", 1)] for place in range(4)})
    for alpha, expected in ((F(1, 8), True), (F(124, 1000), False)):
        plan = Plan(alpha=alpha)
        (only,) = compare_runs([AP], qrels, {"good": good, "bad": bad}, DEFAULT, plan)[AP].pairs
        assert (only.p.exact, only.significant) == (F(1, 8), expected)


def test_exact_p_declines_what_would_take_minutes():
    assert exact_p(as_integers(ap_differences(130)), Side.BOTH) is None


@pytest.mark.parametrize(("queries", "is_exact"), [(20, True), (21, False)])
def test_exact_p_of_any_twenty_queries(queries, is_exact):
    """Every subset sum of powers of two is another one, and half of them are below the highest power: p is 1."""
    differences = [F(-(2**place)) for place in range(queries - 1)] + [F(2 ** (queries - 1))]
    assert exact_p(as_integers(differences), Side.BOTH) == (F(1) if is_exact else None)


def test_exact_p_of_many_queries_that_one_run_nearly_always_wins():
    """Of subsets of the powers of two, eleven add up to at most 10."""
    differences = [F(-(2**place) if place in {1, 3} else 2**place) for place in range(50)]
    assert exact_p(as_integers(differences), Side.BOTH) == F(2 * 11, 2**50)
