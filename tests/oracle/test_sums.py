"""The fast sum is the plain one, and fast enough not to be noticed."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankspec.oracle import Measure, Ranking, value_of_ranking
from rankspec.oracle.reals.real import BLOCK, sum_of_fractions


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
