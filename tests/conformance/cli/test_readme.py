"""README.md shows what rankspec prints, and rows of differences stand in the order of interest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rankspec.conformance.atlas.records import shipped_records
from rankspec.conformance.reports.checks.differences import by_interest
from rankspec.conformance.worker.loading import built_in

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
(RED,) = [block for block in BLOCKS if block.startswith("$ pytest")]


def test_the_red_test_is_the_one_of_its_page():
    lines = iter((ROOT / "docs/gate.md").read_text(encoding="utf-8").splitlines())
    shown = [line for line in RED.splitlines()[1:] if line != "..."]
    assert shown
    assert all(line in lines for line in shown), "not on the page, or in another order"


@pytest.mark.parametrize("line", re.findall(r"^rankspec check (.*==.*?) +#", README, re.MULTILINE))
def test_versions_that_are_compared_were_found_to_differ(line):
    (before, since) = (word.partition("==") for word in line.split())
    library = built_in(before[0]).distribution
    changes = [
        (change.before, change.since)
        for record in shipped_records()
        if record.library == library
        for measured in record.measured
        if measured.versions is not None
        for change in measured.versions.changes
    ]
    assert (before[2], since[2]) in changes


def row(axis, *answers):
    numbers = dict(enumerate(answers))
    return {"axis": axis, "differs": True, "numbers": numbers}


def test_rows_with_the_most_different_numbers_come_first():
    rows = [
        row("cutoff", "unsupported", "1", "0.5"),
        row("no_relevant", "ValueError", "1"),
        row("negative_grades", "0.5", "0.5", "1"),
        row("ties", "0.3", "0.5", "1"),
        {"axis": "aggregate", "differs": False},
    ]
    assert [each["axis"] for each in by_interest(rows)] == ["ties", "negative_grades", "no_relevant", "cutoff"]
