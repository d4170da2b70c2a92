"""What each verb loads: help nothing, a small score no array or symbolic package, and every verb is listed as it is."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest
from rankspec.conformance.cli.main import VERBS, verbs

HEAVY = ("sympy", "numpy", "jsonschema", "rich", "lark", "mpmath")
CODE = """
import sys
from rankspec.conformance.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as ended:
    assert not ended.code, ended.code
print([name for name in {heavy} if name in sys.modules])
"""


def loaded(*words):
    code = CODE.format(heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    return set(eval(done.stdout.splitlines()[-1]))  # noqa: S307 - a list that was printed above


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "run").write_text("q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\n")
    return "--qrels", str(tmp_path / "qrels"), "--run", str(tmp_path / "run")


def test_help_loads_nothing():
    assert loaded("--help") == set()
    assert loaded("--version") == set()


def test_a_small_score_loads_neither_arrays_nor_symbols(files):
    assert loaded("score", *files, "-m", "AP", "-m", "P@5", "--json") <= {"rich"}
    assert loaded("score", *files, "-m", "nDCG@10", "--under", "trec_eval-9.0.8") <= {"rich", "mpmath"}


def test_resolve_and_explain_load_no_arrays():
    assert not loaded("resolve", "--value", "0.142857", "--relevance", "0,0,0,0,0,0,1") & {"numpy", "jsonschema"}
    assert not loaded("explain", "--relevance", "0,1") & {"numpy", "jsonschema", "lark"}


def test_help_says_of_each_verb_what_the_verb_says():
    context = click.Context(verbs)
    assert {name: verbs.get_command(context, name).get_short_help_str(1000) for name in VERBS} == VERBS
