"""What a function's name says that it computes."""

import pytest
import rankspec
from campaign import of_every
from rankspec.conformance.implementations.naming import measure_told
from rankspec.oracle.conventions.families import ALIASES, FAMILIES
from rankspec.oracle.language.expression import parse_measure
from refusals import assert_names


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("metrics.py:ndcg_at_k", "nDCG@10"),
        ("nDCGAtK", "nDCG@10"),
        ("normalized_discounted_cumulative_gain", "nDCG@10"),
        ("MeanReciprocalRank", "RR"),
        ("expected_reciprocal_rank", "ERR"),
        ("r_precision", "Rprec"),
        ("rank_biased_precision", "RBP"),
        ("precision_at_k", "P@10"),
        ("hit_rate", "Success"),
        ("hits_at_k", "Success"),
    ],
)
def test_a_name_tells_the_measure(name, measure):
    assert str(measure_told(name)) == measure


@pytest.mark.parametrize(
    "name", ["map", "mAP", "mapk", "avg_precision", "mean_average_precision", "top_k_accuracy", "f"]
)
def test_a_name_tells_average_precision_or_nothing(name):
    assert measure_told(name) is None


@of_every([*FAMILIES, *ALIASES])
def test_every_family_named_is_one_that_can_be_computed(name):
    told = measure_told(f"measures.py:{name.lower()}")
    assert told is None or parse_measure(str(told)) == told


def hit_rate(recommended, relevant, k=10):
    return float(any(item in relevant for item in recommended[:k]))


def test_check_goes_by_the_name_too_and_a_stated_measure_overrides_it():
    found = rankspec.check(hit_rate, cases="edge.success.*", identify=False)
    assert {str(answer.question.measure.name) for answer in found.asked} == {"Success"}
    assert len({answer.question.measure.k for answer in found.asked}) > 1  # each case's own cutoff
    (said,) = (each for each in found.remarks if "--measure" in each)
    assert_names(said, "Success")
    assert said not in rankspec.check(hit_rate, "Success@5", cases="edge.success.*", identify=False).remarks
