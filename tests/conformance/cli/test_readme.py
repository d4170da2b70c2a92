"""README.md and docs/start.md show what rankspec prints, and rows of differences stand in the order of interest."""

import re
from pathlib import Path

import pytest
from campaign import in_campaign
from rankspec.conformance.atlas.records import shipped_records
from rankspec.conformance.checks.records import Difference
from rankspec.conformance.reports.checks.check import by_interest
from rankspec.conformance.worker.loading import built_in

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
VERBS = (ROOT / "docs/start.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```text\n(.*?)```", README, re.DOTALL)


def plain(line):
    """Return a line without versions, and with one blank between columns."""
    return re.sub(r"\s+", " ", re.sub(r" [0-9]+(\.[0-9]+)+(?= and| differ)", "", line))


@pytest.mark.parametrize(
    ("words", "status"),
    in_campaign(
        [("why examples", 0), ("why pytrec_eval sklearn", 0), ("check", 1)],
        but=["why examples"],
        ids=lambda row: row[0],
    ),
)
def test_what_is_shown_is_what_is_printed(rankspec, monkeypatch, words, status):
    for library in {"pytrec_eval", "sklearn"} & {*words.split()}:
        pytest.importorskip(library)
    monkeypatch.chdir(ROOT)
    command, *shown = next(block for block in BLOCKS if block.startswith(f"$ rankspec {words}")).splitlines()
    ended, out, err = rankspec(*command.split()[2:])
    assert (ended, err) == (status, "")
    assert shown[-1] == "..."
    assert list(map(plain, out.splitlines()[: len(shown) - 1])) == list(map(plain, shown[:-1]))


@pytest.mark.parametrize("line", re.findall(r"^rankspec check (.*==.*?) +#", VERBS, re.MULTILINE))
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
    return Difference(axis=axis, values={}, differs=True, numbers=dict(enumerate(answers)))


def test_rows_with_the_most_different_numbers_come_first():
    rows = [
        row("cutoff", "unsupported", "1", "0.5"),
        row("no_relevant", "ValueError", "1"),
        row("negative_grades", "0.5", "0.5", "1"),
        row("ties", "0.3", "0.5", "1"),
        Difference(axis="aggregate", values={}, differs=False),
    ]
    assert [each.axis for each in by_interest(rows)] == ["ties", "negative_grades", "no_relevant", "cutoff"]
