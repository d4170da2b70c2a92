"""`pytest --rankspec IMPL`: a test a case, with ids that can be selected; what can't be read is one line."""

import subprocess
import sys

import pytest
from plugin_running import LOADING

pytest_plugins = ["pytester"]


def test_several_implementations_are_told_apart(run):
    found = run(
        "--rankspec", "metrics:right", "--rankspec=metrics:of_hits", "--rankspec-cases=edge.basics.missed-most", "-v"
    )
    found.assert_outcomes(passed=1, failed=1)
    found.stdout.fnmatch_lines(["metrics:right::edge.basics.missed-most PASSED*", "metrics:of_hits::*most FAILED*"])


def test_what_is_collected_can_be_listed(run):
    found = run("--rankspec", "metrics:right", "--collect-only", "-q", "--rankspec-cases", "edge.basics.p*")
    found.stdout.fnmatch_lines(["metrics:right::edge.basics.perfect", "", "1 test collected*"])


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rankspec", "metrics:right", "--rankspec-under", "kagle"], "'kagle'"),
        (["--rankspec", "metrics:right", "--rankspec-measure", "APP@"], "APP@"),
        (["--rankspec", "no_such:right"], "'no_such'"),
        (["--rankspec", "metrics:no_such"], "'no_such'"),
        (["--rankspec", "no_such.py:right"], "no_such.py"),
        (["--rankspec", "no_such"], "'no_such'"),
        (["--rankspec", "metrics:right", "--rankspec-shape", "square"], "--shape square"),
        (["--rankspec", "metrics:no_shape"], "metrics:no_shape"),
        (["--rankspec", "metrics:right", "--rankspec-cases", "no.such.*"], "no.such.*"),
        (["--rankspec", "metrics:right", "--rankspec-cases", "edge.no-such"], "edge.no-such"),
        (["--rankspec", "metrics:right", "--rankspec-known-failures", "none.yaml"], "none.yaml"),
        (["--rankspec", "metrics:right", "--rankspec-fixtures", "none.yaml"], "none.yaml"),
        (["--rankspec", "metrics:right", "--rankspec-case-seconds", "-1"], "-1"),
        (["--rankspec", "metrics:right", "--rankspec-startup-seconds", "0"], "startup-seconds 0"),
        (["--rankspec", "metrics:right", "metrics:right::edge.no-such"], "metrics:right::edge.no-such"),
        (
            ["--rankspec", "metrics:divides_by_k", "--no-rankspec-identify", "--rankspec-cases", "edge.basics.gap"],
            "cutoff",
        ),
        (["--rankspec-under", "kaggle"], "--rankspec-under"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_what_cant_be_read_is_one_line(run, arguments, said):
    found = run(*arguments)
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in found.errlines if line.startswith("ERROR: ")]
    assert said in line
    assert [each for each in found.errlines if each] == [line]
    assert "Traceback" not in "\n".join(found.outlines)


def test_a_pattern_of_known_failures_that_all_conform_is_out_of_date(run, pytester):
    pytester.makefile(".yaml", known="metrics:right:\n  edge.basics.*: lorem\n")
    found = run("--rankspec=metrics:right", "--rankspec-known-failures=known.yaml", "--rankspec-cases=edge.basics.*")
    assert found.parseoutcomes()["failed"] == 1
    found.stdout.fnmatch_lines(["edge.basics.? is listed *"])


@pytest.mark.campaign
def test_workers_of_xdist_run_the_same_tests(run):
    named = [f"metrics:of_hits::edge.basics.{each}" for each in ("gap", "perfect", "missed-most", "cutoff")]
    arguments = ("--rankspec=metrics:of_hits", *named)
    alone, shared = run(*arguments), run(*arguments, "-n2", subprocess=True)
    outcomes = alone.parseoutcomes()
    assert outcomes["failed"] > 0
    assert outcomes["passed"] > 0
    shared.assert_outcomes(**outcomes)
    summaries = [
        [line for line in found.outlines if line.startswith(("FAIL  metrics:of_hits ", "  2: "))]
        for found in (alone, shared)
    ]
    assert summaries[0] == summaries[1]
    text = "\n".join(shared.outlines)
    assert text.count("FAIL  metrics:of_hits ") == 1


def test_the_time_for_a_start_is_an_option_and_its_message_names_it(run, pytester):
    pytester.makepyfile(late="import time\ntime.sleep(60)\ndef f(relevance, num_relevant): return 0.5")
    found = run("--rankspec=late:f", "--rankspec-cases=edge.basics.gap", "--rankspec-startup-seconds=0.5")
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in found.errlines if line.startswith("ERROR: ")]
    assert "0.5 s" in line
    assert "--rankspec-startup-seconds" in line


def test_nothing_is_loaded_as_long_as_it_is_not_used(pytester):
    code = (
        "import sys, pytest; before = set(sys.modules); import rankspec.conformance.pytest_plugin.plugin;"
        "print(sorted(set(sys.modules) - before))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = eval(found.stdout)  # noqa: S307 - a list of names that this very test printed
    assert [name for name in loaded if not name.startswith("rankspec")] == []
    assert len(loaded) <= 4
    pytester.makepyfile("def test(): import sys; assert not {'sympy', 'numpy', 'yaml', 'click'} & set(sys.modules)")
    pytester.runpytest_subprocess(*LOADING, "-p", "no:hypothesispytest", "-p", "no:cov").assert_outcomes(passed=1)
