"""What is said of a function that follows no convention: nothing false, and from which size on ties are otherwise."""

from __future__ import annotations

import pytest
from identified_in_process import identified
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.randomness import UNORDERED


def _average_precision(labels):
    hits = [rank for rank, label in enumerate(labels, 1) if label]
    return sum(number / rank for number, rank in enumerate(hits, 1)) / len(hits) if hits else 0.0


def minus_one(relevance):
    return -1.0 if any(relevance) else 0.0


def refuses_what_has_a_hit(relevance):
    if any(relevance):
        raise ValueError
    return 0.0


@pytest.mark.campaign
@pytest.mark.parametrize("function", [minus_one, refuses_what_has_a_hit])
def test_what_a_deviation_says_nothing_of_is_not_explained_by_it(function):
    found = identified(function, "AP")
    assert found.status is Status.OUTSIDE
    assert not any(" D + " in each or "101-point" in each for each in found.observations)


@pytest.mark.campaign
@pytest.mark.parametrize("longest", [5, 9, 40])
def test_ties_whose_order_changes_with_the_size_are_in_no_fixed_order(longest):
    def function(y_true, y_score):
        order = sorted(range(len(y_true)), key=lambda place: -y_score[place])
        if len(y_true) > longest and len(set(y_score)) == 1:
            order = order[::-1]
        return _average_precision([y_true[place] for place in order])

    found = identified(function, "AP")
    assert found.status is Status.IDENTIFIED
    assert UNORDERED in found.observations
