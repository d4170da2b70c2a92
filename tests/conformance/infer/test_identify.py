"""Identify finds what functions follow: by hand ones, wrong ones, real libraries; and says what it can't tell."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from campaign import in_campaign
from golden_words import SAID
from identified_in_process import identified
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify
from rankspec.oracle.conventions.profiles import PROFILES
from rankspec.oracle.language.expression import parse_expression

HERE = Path(__file__).parent
BY_HAND = HERE / "by_hand.py"
WRONG = HERE.parent.parent / "wrong"


def function_of(folder, place):
    file, _, name = place.partition(":")
    return runpy.run_path(str(folder / file))[name]


@pytest.mark.campaign
def test_a_difference_is_told_from_its_alternatives():
    kaggle = identify(f"{BY_HAND}:kaggle", measure="AP@3")
    assert kaggle.axes["denominator"] == ("min-relevant-cutoff",)
    assert kaggle.axes["duplicates"] == ("first",)
    assert kaggle.axes["no_relevant"] == ("zero",)
    assert kaggle.texts == ("AP@3 under kaggle",)
    assert kaggle.not_observable[:2] == ("unjudged", "negative_grades")
    assert parse_expression(kaggle.texts[0])[1] == PROFILES["kaggle"].convention


@pytest.mark.campaign
def test_copies_above_the_only_hit_show_at_a_late_cutoff():
    def reciprocal_rank(actual, predicted, k):
        kept = list(dict.fromkeys(predicted))[:k]
        return next((1 / rank for rank, docno in enumerate(kept, 1) if docno in actual), 0.0)

    assert identified(reciprocal_rank, "RR@10").axes["duplicates"] == ("removed",)


@pytest.mark.campaign
def test_what_it_does_without_a_cutoff_is_said_if_it_is_something_else():
    def recall(relevance, num_relevant, k=None):
        return sum(relevance[:k]) / num_relevant if k and num_relevant else 0.0

    found = identified(recall, "R@3")
    assert found.status is Status.IDENTIFIED
    assert not [each for each in found.observations if "without" in each]  # R has a cutoff always

    def precision_to_recall(relevance, num_relevant, k=None):
        hits = [rank for rank, label in enumerate(relevance[:k], 1) if label]
        return sum(place / rank for place, rank in enumerate(hits, 1)) / num_relevant if k and num_relevant else 0.0

    found = identified(precision_to_recall, "AP@3")
    assert found.status is Status.IDENTIFIED
    (said,) = [each for each in found.observations if "without" in each]
    assert said.startswith(SAID["without-cutoff-not-ap"])

    def from_2(relevance, num_relevant, k=None):
        hits = [rank for rank, label in enumerate(relevance[:k], 2) if label]
        return sum(place / rank for place, rank in enumerate(hits, 1)) / num_relevant if num_relevant else 0.0

    found = identified(from_2, "AP@3")
    assert found.deviations
    assert not [each for each in found.observations if "without" in each]  # it is the same with a cutoff and without


OUTSIDE = (
    "ranking.py:singles_inside",
    "labels_scores.py:scores_without_sign",
    "actual_predicted.py:relevant_cut_too",
    "qrels_run.py:middle_of_them",
    "qrels_run.py:threshold_ignored",
    "qrels_run.py:ties_without_case",
    "qrels_run.py:last_query_lost",
)


@pytest.mark.parametrize("place", in_campaign(OUTSIDE, ids=str))
def test_outside(place):
    found = identified(function_of(WRONG, place))
    assert found.status is Status.OUTSIDE
    assert found.nearest is not None or any(SAID["no-known-convention-matches"] in each for each in found.observations)
    assert found.witness is not None
    assert found.witness.got != found.witness.exact


UNSTABLE = (
    "ranking.py:cached_by_length",
    "ranking.py:good_for_fifty_calls",
    "ranking.py:jitters",
    "labels_scores.py:sorts_its_scores",
    "actual_predicted.py:order_of_a_set",
    "qrels_run.py:ties_by_hash",
)


# What changes its arguments is the commonest.
@pytest.mark.parametrize("place", in_campaign(UNSTABLE, but=["labels_scores.py:sorts_its_scores"], ids=str))
def test_unstable(place):
    found = identify(f"{WRONG}/{place}")
    assert found.status is Status.UNSTABLE
    assert found.witness is not None


def test_failed(tmp_path):
    path = tmp_path / "nothing.py"
    path.write_text("def f(actual, predicted):\n    return None\n", encoding="utf-8")
    assert identify(f"{path}:f").status is Status.FAILED


@pytest.mark.campaign
def test_whole_numbers_beyond_every_double_are_answers_like_others(tmp_path):
    path = tmp_path / "huge.py"
    path.write_text("def f(relevance, num_relevant):\n    return -10**400 if sum(relevance) > 1 else 10**300\n")
    found = identify(f"{path}:f", measure="AP")
    assert found.status is Status.OUTSIDE
    assert "huge" in found.implementation


@pytest.mark.campaign
def test_kaggles_mean_of_lists_of_lists_is_named():
    def apk(actual, predicted, k):
        hits = [each in actual and each not in predicted[:place] for place, each in enumerate(predicted[:k])]
        total = sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit)
        return total / min(len(actual), k) if actual else 0.0

    def mapk(actual, predicted, k=10):
        values = [apk(ids, listed, k) for ids, listed in zip(actual, predicted, strict=True)]
        return sum(values) / len(values) if values else float("nan")

    found = identified(mapk, "AP@3")
    assert (found.shape, found.status.value, found.texts[0]) == ("lists-of-lists", "identified", "AP@3 under kaggle")
    assert found.axes["aggregate"] == ("mean",)
