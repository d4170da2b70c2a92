"""Identify finds what functions follow: by hand ones, wrong ones, real libraries; and says what it can't tell."""

from pathlib import Path

import pytest
from campaign import in_campaign
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify

HERE = Path(__file__).parent
WRONG = HERE.parent.parent / "wrong"

UNSTABLE = (
    *("ranking.py:cached_by_length", "ranking.py:good_for_fifty_calls", "ranking.py:jitters"),
    *("labels_scores.py:sorts_its_scores", "actual_predicted.py:order_of_a_set", "qrels_run.py:ties_by_hash"),
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
