"""docs/gate.md, "A metric in CI": what it shows is what a user sees, run anew."""

import re

import pytest
from doc_pages import section_of
from rankspec.conformance.cli.main import main

PAGE = section_of("gate.md", "A metric in CI")
RIGHT = """
def average_precision_at_k(actual, predicted, k=10):
    hits, total = 0, 0.0
    for rank, document in enumerate(predicted[:k], start=1):
        if document in actual and document not in predicted[: rank - 1]:
            hits += 1
            total += hits / rank
    return total / min(len(actual), k) if actual else 0.0
"""
MAIN = RIGHT.replace(" and document not in predicted[: rank - 1]", "")
BRANCH = RIGHT.replace("min(len(actual), k)", "min(len(actual), k, len(predicted) or 1)")
CHECK = ("check", "mypkg/metrics.py:average_precision_at_k", "--under", "kaggle", "--measure", "AP@10", "--no-identify")
CASES = "edge.d[eu]*.re*"
"""Denominators and duplicates, which the two branches differ in."""


@pytest.fixture
def shown(capfd, tmp_path, monkeypatch):
    """Run a verb as on a terminal of 120 columns, and give what it prints as the page has it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mypkg").mkdir()

    for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm"), ("COLUMNS", "120")):
        monkeypatch.setenv(name, value)

    def run(*arguments):
        capfd.readouterr()
        with pytest.raises(SystemExit):
            main([*arguments])
        printed = capfd.readouterr()
        assert "rankspec:" not in printed.err
        named = re.sub(r"\x1b\[[0-9;]*m", "", printed.out).replace("mypkg/metrics.py:", "mypkg.metrics:")
        return "\n".join(line.rstrip() for line in named.splitlines())

    return run


@pytest.mark.campaign
def test_the_transcripts_are_real(shown, tmp_path):
    own = ("--cases", CASES, "--write-known-failures")
    for name, body in (("main", MAIN), ("branch", BRANCH)):
        (tmp_path / "mypkg/metrics.py").write_text(body, encoding="utf-8")
        told = shown(*CHECK, *own[:2], "--stream", f"{name}.ndjson", "--badge", "badge.json")
        listed = shown(*CHECK, *own, "known-failures.yaml").splitlines()[-1]
    assert f"--cases '{CASES}'" in PAGE
    assert f".ci/{listed}\n" in PAGE
    assert (tmp_path / "badge.json").read_text(encoding="utf-8").strip() in PAGE
    assert f"$ rankspec diff main.ndjson branch.ndjson\n{shown('diff', 'main.ndjson', 'branch.ndjson')}\n```" in PAGE
    assert "5 of 19 " in told
    lines = (tmp_path / "branch.ndjson").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "run.ndjson").write_text("".join(lines[:7]), encoding="utf-8")
    assert f"$ rankspec report run.ndjson\n{shown('report', 'run.ndjson')}\n" in PAGE
