"""README.md shows what rankspec prints: its transcripts are those of other pages, and its words those of the axes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rankspec.conformance.atlas.records import shipped_records
from rankspec.conformance.cases.catalogue import shipped_cases
from rankspec.conformance.cli.main import VERBS
from rankspec.conformance.reports.checks.differences import axis_meaning, by_interest, value_meaning
from rankspec.conformance.worker.loading import built_in

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
(RED,) = [block for block in BLOCKS if block.startswith("$ pytest")]
(TABLE,) = [block for block in BLOCKS if block.startswith("Where their conventions differ")]


def test_the_quick_start_is_two_commands_of_a_line():
    section = README[README.index("## Quick start") :].split("\n## ")[0]
    blocks = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    assert [block.count("\n") for block in blocks] == [1, 1]
    assert "rankspec check" in blocks[0]
    assert "pytest" in blocks[1]


def test_what_stands_first_is_for_a_reader_of_one_minute():
    first = README[: README.index("## Quick start")]
    assert len(first.splitlines()) < 50
    assert "It is for " in first


def test_the_red_test_is_the_one_of_its_page():
    lines = iter((ROOT / "docs/gate.md").read_text(encoding="utf-8").splitlines())
    shown = [line for line in RED.splitlines()[1:] if line != "..."]
    assert len(shown) > 15
    assert all(line in lines for line in shown), "not on the page, or in another order"


def test_the_differences_are_in_the_words_of_the_axes():
    joined = re.sub(r"\n {40,}", " ", TABLE)
    axes = re.findall(r"^  (\w+): (.*)$", joined, re.MULTILINE)
    assert [axis for axis, _ in axes] == ["ties", "negative_grades", "score_precision"]
    assert all(axis_meaning(axis) == meaning for axis, meaning in axes)
    axis, told = "", 0
    for line in joined.splitlines():
        if found := re.match(r"  (\w+): ", line):
            axis = found[1]
        cells = re.split(r" {2,}", line.strip())
        if line.startswith("    ") and len(cells) == 4 and cells[2] not in {"value", "-"}:
            assert value_meaning(axis, cells[2].removesuffix("*")) == cells[3]
            told += 1
    assert told == 7
    cases = {case.id for case in shipped_cases()}
    assert set(re.findall(r"shown by (\S+)", TABLE)) <= cases


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


def test_every_verb_of_the_readme_exists():
    named = set(re.findall(r"\brankspec ([a-z][a-z-]*)", README)) - {"says"}
    assert named <= {*VERBS}
