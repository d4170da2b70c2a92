"""`rankspec identify`: exit statuses, the JSON that other programs rely on, and one screen for a person."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent.parent
BY_HAND = TESTS / "conformance" / "infer" / "by_hand.py"
WRONG = TESTS / "wrong"


VERB = "identify"


@pytest.mark.campaign
def test_json_of_an_identified_function(verb):
    status, out, _ = verb(f"{BY_HAND}:kaggle", "--measure", "AP@3", "--json")
    found = json.loads(out)
    assert status == 0
    assert found["schema"] == "rankspec/identify/1"
    assert (found["shape"], found["measure"], found["status"]) == ("actual-predicted", "AP@3", "identified")
    assert found["axes"]["denominator"] == ["min-relevant-cutoff"]
    assert "ties" in found["not_observable"]
    assert found["conventions"] == ["AP@3 under kaggle"]
    assert found["witness"] is None


@pytest.mark.campaign
def test_json_of_one_outside(verb):
    status, out, _ = verb(f"{WRONG}/ranking.py:over_relevant_plus_one", "--measure", "AP@3", "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["status"], found["explained"]) == ("outside", True)
    assert found["conventions"] == []
    assert found["witness"]["input"] == {"relevance": [1], "num_relevant": 1, "k": 3}
    assert (found["witness"]["got"], found["witness"]["exact"]) == ("0.5", "1")


@pytest.mark.campaign
def test_json_of_one_that_is_unstable(verb):
    status, out, _ = verb(f"{WRONG}/actual_predicted.py:removes_from_the_relevant", "--json")
    found = json.loads(out)
    assert status == 0  # what changes is told, and so is all the rest
    assert (found["status"], found["explained"]) == ("unstable", True)
    assert {found["witness"][side] for side in ("got", "exact")} == {"1.0", "0.0"}
