"""`rankspec report-bug`: the smallest input, a snippet that shows what is claimed, and the clause that demands."""

import json
from types import SimpleNamespace

import pytest
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.reproducing import bug
from rankspec.conformance.reproducing.bug import Printed, run_snippet

WRONG = '''
import os


def ap(relevance, num_relevant, k=None):
    """Divide by the hits, where R is what the convention says; refuse an empty list."""
    top = relevance[:k]
    if not relevance:
        raise LookupError("empty")
    hits = sum(top)
    return sum(sum(top[: n + 1]) / (n + 1) for n, label in enumerate(top) if label) / hits if hits else 0.0


def fatal(relevance, num_relevant, k=None):
    os._exit(3)
'''
MISSED = "edge.denominator.relevant.short-list"

VERB = "report-bug"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "metrics.py").write_text(WRONG)


def test_nothing_to_report(verb):
    status, out, err = verb("metrics.py:ap", MISSED, "--under", "default[denominator=retrieved-relevant]")
    assert (status, out) == (1, "")
    assert (err.count("\n"), "metrics.py:ap: " in err) == (1, True)


def test_the_smallest_failure_of_a_kept_check(verb, tmp_path):
    cases = [
        {"id": MISSED, "verdict": "wrong", "value": 1.0, "got": "1.0", "size": [1, 9, 9]},
        {"id": "edge.no-hits.one.empty-list", "verdict": "error", "got": "LookupError", "size": [1, 0, 1]},
    ]
    told = {"name": "metrics.py:ap", "version": None, "convention": "default", "cases": cases}
    kept = tmp_path / "kept.json"
    kept.write_text(json.dumps({"schema": "rankspec/check/1", "implementations": [told]}))
    found = json.loads(verb("metrics.py:ap", "--check", str(kept), "--json")[1])
    assert (found["got"], found["exact"], found["verdict"], found["smaller"]) == ("LookupError", "0", "error", False)
    assert (found["printed"]["shows"], found["printed"]["lines"][-1]) == (True, "LookupError: empty")
    assert "edge.no-hits.one.empty-list" in json.dumps(found)


def test_a_snippet_runs_on_the_python_of_the_stated_version(tmp_path, monkeypatch):
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "this-one"\n')
    python.chmod(0o755)
    monkeypatch.setattr(bug, "environment_of", lambda pinned: SimpleNamespace(executable=python))
    assert run_snippet(parse("ranx==0.3.16"), ["print(1)"]) == Printed(0, ("this-one",))
