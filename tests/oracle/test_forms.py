"""The three forms of average precision that document 004 proves equal are equal, and the estimator `step` is them."""

import itertools
from fractions import Fraction

import pytest
from rankspec.oracle import Measure, Ranking, value_of_ranking
from rankspec.oracle.measures.functions.forms import interpolated_precision, precision_at, recall_at

LISTS = [labels for size in range(9) for labels in itertools.product((0, 1), repeat=size)]


def by_recall_increments(labels, relevant):
    """Sum Precision@k * (Recall@k - Recall@(k-1)) over the ranks."""
    return sum(
        (
            precision_at(labels, k) * (recall_at(labels, relevant, k) - recall_at(labels, relevant, k - 1))
            for k in range(1, len(labels) + 1)
        ),
        Fraction(0),
    )


def by_relevance_indicator(labels, relevant):
    """Sum Precision@k * IsRelevant(k) over the ranks, and divide by R."""
    return sum((precision_at(labels, k) * labels[k - 1] for k in range(1, len(labels) + 1)), Fraction(0)) / relevant


def mean_over_relevant(labels, relevant):
    """Average the precision at the rank of each relevant document, 0 for one not retrieved."""
    ranks = [k for k, label in enumerate(labels, start=1) if label]
    missed = [Fraction(0)] * (relevant - len(ranks))
    return sum([precision_at(labels, k) for k in ranks] + missed, Fraction(0)) / relevant


@pytest.mark.parametrize("missed", range(3))
def test_the_three_forms_are_equal_on_every_list(missed):
    for labels in LISTS:
        relevant = sum(labels) + missed
        if relevant:
            values = {
                form(labels, relevant) for form in (by_recall_increments, by_relevance_indicator, mean_over_relevant)
            }
            assert len(values) == 1, labels
            exact = value_of_ranking(Measure("AP"), Ranking.from_labels(labels, relevant))
            assert Fraction(int(exact.p), int(exact.q)) in values


def test_parts_by_hand():
    labels = (1, 0, 1, 1, 0)
    assert precision_at(labels, 3) == Fraction(2, 3)
    assert recall_at(labels, 4, 3) == Fraction(1, 2)
    # At a recall of 1/2 the precisions from rank 3 on are 2/3, 3/4 and 3/5.
    assert interpolated_precision(labels, 4, Fraction(1, 2)) == Fraction(3, 4)
    assert interpolated_precision(labels, 4, Fraction(1)) == 0
