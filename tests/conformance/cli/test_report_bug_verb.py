"""`rankspec report-bug`: the smallest input, a snippet that shows what is claimed, and the clause that demands."""

from types import SimpleNamespace

from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.reproducing import bug
from rankspec.conformance.reproducing.bug import Printed, run_snippet


def test_a_snippet_runs_on_the_python_of_the_stated_version(tmp_path, monkeypatch):
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "this-one"\n')
    python.chmod(0o755)
    monkeypatch.setattr(bug, "environment_of", lambda pinned: SimpleNamespace(executable=python))
    assert run_snippet(parse("ranx==0.3.16"), ["print(1)"]) == Printed(0, ("this-one",))
