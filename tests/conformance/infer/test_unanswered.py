"""What did not answer in time is not an answer: it is asked again, and what rests on it is not claimed."""

from textwrap import dedent

import pytest
from golden_words import SAID
from rankspec.conformance.infer.identify.identification import Status
from rankspec.conformance.infer.identify.identify import identify
from rankspec.conformance.reports.identify import identification_data
from rankspec.conformance.run.limits import Limits

pytestmark = pytest.mark.campaign

LIMITS = Limits(case_seconds=3, timeouts_in_a_row=1)
AVERAGE_PRECISION = """
import os, time
from pathlib import Path
calls = []
def average_precision(relevance, num_relevant):
    calls.append(1)
    hits = [rank for rank, label in enumerate(relevance, 1) if label]
    return sum(number / rank for number, rank in enumerate(hits, 1)) / num_relevant if num_relevant else 0.0
"""


def found_of(folder, source, limits=LIMITS):
    path = folder / "slow.py"
    path.write_text(AVERAGE_PRECISION + dedent(source), encoding="utf-8")
    return identify(f"{path}:f", limits=limits, measure="AP")


def shortage(found):
    """Return how many questions were answered, of how many."""
    told = identification_data(found)["answered"]
    return told["questions"] - sum(told["instead"].values()), told["questions"]


@pytest.mark.parametrize("factor", [1, 100])
def test_without_all_answers_nothing_is_identified_and_no_witness_is_a_timeout(tmp_path, factor):
    """What lists of more than 4,000 documents are worth, nobody knows; what the others are worth stands."""
    found = found_of(
        tmp_path,
        f"""
        def f(relevance, num_relevant):
            if len(relevance) > 4000:
                time.sleep(1000)
            return {factor} * average_precision(relevance, num_relevant)
        """,
        Limits(case_seconds=2),
    )
    answered, asked = shortage(found)
    assert 0 < asked - answered < 5
    told = identification_data(found)["answered"]
    assert (told["questions"], told["instead"], told["options"]) == (
        asked,
        {SAID["no-answer-within-2"]: asked - answered},
        ["--case-seconds"],
    )
    assert {"denominator", "interpolation"} < {*told["sure"]}
    if factor == 1:
        assert (found.status, found.texts[0], found.witness) == (Status.AMBIGUOUS, "AP under default", None)
    else:
        assert (found.status, found.explained) == (Status.OUTSIDE, False)
        assert found.witness is not None
        assert float(found.witness.got) <= 100
