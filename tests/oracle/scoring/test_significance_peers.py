"""Peers' randomization tests against the exact p-value: scipy's full enumeration, scipy's and ranx's estimates."""

import math
import random
import warnings
from fractions import Fraction

import numpy as np
import pytest
from campaign import OF_RANX
from rankspec.oracle.scoring.significance.randomization import randomization_test

DEVIATIONS = 7
"""An estimate that is off by more standard deviations than this is none (once in some 10**11 runs)."""


def differences_of(queries, seed=1):
    generator = random.Random(seed)
    return [Fraction(generator.randrange(-900, 1100), generator.randrange(1000, 2000)) for _ in range(queries)]


def within(estimate, exact, permutations):
    return abs(estimate - exact) <= DEVIATIONS * math.sqrt(exact * (1 - exact) / permutations) + 1 / permutations


def by_scipy(differences, permutations):
    stats = pytest.importorskip("scipy.stats")
    floats = [float(difference) for difference in differences]
    return stats.permutation_test(
        (floats, [0.0] * len(floats)),
        lambda one, other, axis: one.sum(axis=axis) - other.sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=permutations,
        rng=3,
    ).pvalue


def by_ranx(differences, permutations):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("ranx.statistical_tests.fisher_randomization_test")
        ours = np.array([float(difference) for difference in differences])
        p_value, _ = module.fisher_randomization_test(ours, np.zeros(len(ours)), n_permutations=permutations)
    return p_value


@pytest.mark.parametrize("queries", [3, 8, 12])
def test_scipy_enumerates_the_same_sign_vectors(queries):
    differences = differences_of(queries)
    assert by_scipy(differences, math.inf) == pytest.approx(float(randomization_test(differences).exact), rel=1e-12)


@pytest.mark.parametrize("estimated", [by_scipy, pytest.param(by_ranx, marks=OF_RANX)])
def test_estimates_of_peers_lie_where_they_must(estimated):
    differences = differences_of(20)
    exact = float(randomization_test(differences).exact)
    assert 0.01 < exact < 0.99
    assert within(estimated(differences, 2000), exact, 2000)


@pytest.mark.campaign
@pytest.mark.xdist_group("ranx")
def test_ranx_says_0_where_no_p_value_can_be():
    """Its estimate is b/m, which is 0 if no draw is extreme; the two sign vectors that always are make p 2**-39."""
    differences = [Fraction(1, 2)] * 40
    assert randomization_test(differences).exact == Fraction(1, 2**39)
    assert by_ranx(differences, 200) == 0
    assert randomization_test(differences, permutations=200).number == Fraction(1, 201)
