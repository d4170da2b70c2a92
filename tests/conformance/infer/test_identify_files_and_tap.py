"""`identify` end to end on the shape `files` and on TAP-k."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from golden_words import SAID

FUNCTIONS = Path(__file__).with_name("files_and_tap.py")


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("function", "measure", "axes"),
    [
        (
            "from_files",
            "AP",
            {
                "ties": ["docno-descending"],
                "missing_query": ["zero"],
                "duplicates": ["counted"],
                "denominator": ["relevant"],
            },
        ),
        (
            "tap_at_two",
            "TAP@2",
            {"tap_quantile": ["lower-median"], "tap_insufficient": ["lowest-score"], "tap_ties": ["kept"]},
        ),
    ],
)
def test_is_identified(function, measure, axes):
    command = [sys.executable, "-m", "rankspec.conformance.cli.main", "identify", f"{FUNCTIONS}:{function}"]
    done = subprocess.run([*command, "--measure", measure, "--json"], capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)
    assert (done.returncode, found["status"]) == (0, "identified"), done.stdout
    assert {axis: found["axes"][axis] for axis in axes} == axes


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("from_files_last_line", SAID["documents-repeated-document-has"]),
        ("from_files_first_line", SAID["documents-repeated-document-only"]),
    ],
)
def test_which_line_of_a_document_counts_is_named(function, words):
    command = [sys.executable, "-m", "rankspec.conformance.cli.main", "identify", f"{FUNCTIONS}:{function}"]
    done = subprocess.run([*command, "--measure", "AP", "--json"], capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)
    assert (found["deviations"], found["explained"]) == ([words], True), done.stdout
    assert found["apart_from_deviations"][0] == "AP under default[ties=docno-ascending]"
