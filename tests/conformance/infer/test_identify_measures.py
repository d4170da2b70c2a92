"""Identify knows every measure: what functions by hand follow is found, and wrong ones are outside."""

from __future__ import annotations

import re

import pytest
from campaign import in_campaign
from identified_in_process import identified
from measures_by_hand import IDENTIFIED, WRONG, ndcg_of_scores, recall_in_percent
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify
from rankspec.oracle import parse_measure
from rankspec.oracle.conventions.convention import DEFAULT, setting_text
from rankspec.oracle.language.expression import parse_expression

# A denominator of labels, and identifiers that are there twice.
EACH_TIME = ("precision_relative", "hit_rate_of_ids")


@pytest.mark.parametrize("function", in_campaign(IDENTIFIED, but=EACH_TIME, ids=lambda function: function.__name__))
def test_identified(function):
    text, differences = IDENTIFIED[function]
    found = identified(function, text)
    assert found.status is Status.IDENTIFIED, (found.witness, found.observations)
    assert not set(differences) - set(found.axes)
    for axis, values in found.axes.items():
        assert differences.get(axis, setting_text(getattr(DEFAULT, axis))) in values, axis
    assert len(found.classes) == 1
    for expression in found.texts:
        assert parse_expression(expression)[0] == parse_measure(text)


@pytest.mark.campaign
def test_all_but_what_fits_is_ruled_out():
    found = identified(ndcg_of_scores, "nDCG@10")
    assert found.axes["gain"] == ("exponential",)
    assert found.axes["discount"] == ("log2-rank-plus-one",)
    assert found.axes["ties"] == ("input-order",)
    assert set(found.axes["ideal"]) == {"judged", "judged-to-length", "retrieved"}
    assert {"unjudged", "aggregate"} <= {*found.not_observable}


@pytest.mark.parametrize("function", in_campaign(WRONG, ids=lambda function: function.__name__))
def test_outside(function):
    found = identified(function, WRONG[function])
    assert found.status is Status.OUTSIDE
    said = " ".join(found.observations)
    if found.nearest is None:
        assert "no convention explains half of the answers" in said
    elif not found.deviations:
        (explained, asked) = re.search(r"the nearest convention explains ([0-9]+) of ([0-9]+) answers", said).groups()
        assert 2 * int(explained) > int(asked)
    assert found.witness is not None
    assert found.witness.got != found.witness.exact
    assert len(found.witness.given["relevance"]) <= 4


@pytest.mark.campaign
def test_a_deviation_is_named():
    assert any("percent" in each for each in identified(recall_in_percent, "R@3").observations)


LIBRARIES = [
    ("pytrec_eval", "nDCG@5", "trec_eval-9.0.8"),
    ("pytrec_eval", "Bpref", "trec_eval-9.0.8"),
    ("pytrec_eval", "SetF(beta=2)", "trec_eval-9.0.8"),
    ("sklearn_ndcg", "nDCG@3", None),
]


@pytest.mark.parametrize(("name", "measure", "profile"), in_campaign(LIBRARIES, ids=lambda row: f"{row[0]} {row[1]}"))
def test_libraries(name, measure, profile):
    pytest.importorskip(name.partition("_ndcg")[0])
    found = identify(name, measure=measure)
    assert found.status is Status.IDENTIFIED
    if profile is not None:
        assert found.texts[0] == f"{measure} under {profile}"
    else:
        assert found.axes["ties"] == ("expected",)
