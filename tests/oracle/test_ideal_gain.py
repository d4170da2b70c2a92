"""The ideal ranking where the cutoff falls into a tie, against the naive oracle, which takes every order."""

from __future__ import annotations

import pytest
from measure_strategies import naive_says, oracle_says
from naive.values import same
from rankspec.oracle import Convention, Qrels, Run, evaluate, parse_measure
from rankspec.oracle.conventions.axes import Ideal, Ties

QRELS = {"q": {"a": 2, "b": 1, "c": 1, "d": 3}}
RUN = {"q": [("a", 2), ("b", 1), ("x", 1), ("c", 1)]}


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("ideal", Ideal, ids=str)
def test_a_cutoff_inside_a_tie(ideal, k):
    convention = Convention(ties=Ties.EXPECTED, ideal=ideal)
    value, _ = oracle_says(parse_measure(f"nDCG@{k}"), QRELS, RUN, convention)
    assert same(value, naive_says(parse_measure(f"nDCG@{k}"), QRELS, RUN, convention)[0])


def test_the_ideal_up_to_the_length_looked_at_is_cut_too():
    """One document is looked at, a or b or neither relevant: 3/2 on average, where the best one gains 3."""
    qrels, run = Qrels.of({"q": {"a": 3, "b": 0, "m": 3}}), Run.of({"q": [("a", 1), ("b", 1)]})
    convention = Convention(ties=Ties.EXPECTED, ideal=Ideal.JUDGED_TO_LENGTH)
    assert str(evaluate(parse_measure("nDCG@1"), qrels, run, convention).value) == "1/2"
