"""`rankspec report-bug`: the smallest input, a snippet that shows what is claimed, and the clause that demands."""

from fractions import Fraction
from types import SimpleNamespace

import pytest
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.reproducing import bug
from rankspec.conformance.reproducing.bug import Bug, Printed, run_snippet
from rankspec.conformance.run.outcomes import Number, Raised


@pytest.mark.parametrize(
    ("verdict", "outcome", "snippet", "printed", "shown"),
    [
        (Verdict.WRONG, Number(Fraction(1), "float"), "assert x", Printed(1, ("AssertionError: 1.0",)), True),
        (Verdict.WRONG, Number(Fraction(1), "float"), "assert x", Printed(1, ("SyntaxError: no",)), False),
        (Verdict.ERROR, Raised("ValueError", ""), "print(f())", Printed(1, ("ValueError: empty",)), True),
        (Verdict.ERROR, Raised("ValueError", ""), "print(f())", Printed(1, ("ImportError: no",)), False),
        (Verdict.CRASH, None, "print(f())", Printed(-11, ()), True),
        (Verdict.CRASH, None, "print(f())", Printed(0, ("0.5",)), False),
        (Verdict.WRONG, Number(Fraction(1), "float"), "assert x", None, False),
    ],
)
def test_a_snippet_shows_what_is_claimed_or_does_not(verdict, outcome, snippet, printed, shown):
    answer = SimpleNamespace(verdict=verdict, outcome=outcome)
    bug = Bug(None, answer, "", None, "c", False, "", (), {}, (snippet,), printed)  # noqa: FBT003
    assert bug.shown is shown


def test_a_snippet_runs_on_the_python_of_the_stated_version(tmp_path, monkeypatch):
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "this-one"\n')
    python.chmod(0o755)
    monkeypatch.setattr(bug, "environment_of", lambda pinned: SimpleNamespace(executable=python))
    assert run_snippet(parse("ranx==0.3.16"), ["print(1)"]) == Printed(0, ("this-one",))
