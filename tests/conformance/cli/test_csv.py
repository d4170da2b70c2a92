"""`--csv` of every verb with a table: one row a line of the table, headings first, and nothing else."""

from __future__ import annotations

import csv
import io

import pytest
from rankspec.conformance.cli.main import main
from rankspec.conformance.reports.implementations import environments_table
from rankspec.conformance.run.environments import Environment

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n2 0 d 1\n"
RUN = "1 Q0 a 1 0.9 x\n1 Q0 b 2 0.8 x\n2 Q0 d 1 0.5 x\n2 Q0 c 2 0.4 x\n"
OWN = "def right(relevance, num_relevant):\n    return 0.5\n"


@pytest.fixture
def rows(capfd, tmp_path, monkeypatch):
    """Run a verb, and give the rows of what it prints."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS, encoding="utf-8")
    (tmp_path / "a").write_text(RUN, encoding="utf-8")
    (tmp_path / "b").write_text(RUN.replace("a 1 0.9", "a 1 0.1"), encoding="utf-8")
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")

    def run(*arguments):
        capfd.readouterr()
        with pytest.raises(SystemExit):
            main([*arguments, "--csv"])
        return list(csv.DictReader(io.StringIO(capfd.readouterr().out)))

    return run


def test_values(rows):
    found = rows("score", "--qrels", "qrels", "--run", "a", "-m", "AP", "--per-query")
    assert [(each["measure"], each["query"], each["value"]) for each in found][-1] == ("AP", "all", "1.0000")
    assert len(found) == 3
    assert [each["run"] for each in rows("score", "--qrels", "qrels", "--run", "a", "--run", "b")] == ["a", "b"]


def test_pairs(rows):
    (pair,) = rows("compare", "--qrels", "qrels", "a", "b", "-m", "AP")
    assert (pair["measure"], pair["a"], pair["b"], pair["won/tied/lost"]) == ("AP", "a", "b", "1/1/0")


def test_explanations(rows):
    found = rows("resolve", "--value", "0.5", "--relevance", "1,0,1,1,0,0,1", "--num-relevant", "5")
    assert found
    assert all(each["agreement"] in {"rounded", "truncated"} for each in found)


def test_a_check_what_is_kept_of_it_and_what_changed(rows):
    found = rows("check", "own.py:right", "--cases", "edge.basics.g*", "--stream", "kept.ndjson", "--no-identify")
    assert found
    assert {each["implementation"] for each in found} == {"own.py:right"}
    assert rows("report", "kept.ndjson") == found
    assert rows("diff", "kept.ndjson", "kept.ndjson") == []


def test_environments(tmp_path):
    there = Environment(tmp_path / "ranx", "ranx", "0.3.20", "3.11", {"ranx": "0.3.20"}, ("0.3.20", "3.11"), None)
    text = environments_table([there]).csv()
    assert text.splitlines() == ["library,version,python,packages,folder", "ranx,0.3.20,3.11,1,ranx"]
