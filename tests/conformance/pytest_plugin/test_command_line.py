"""`pytest --rankspec IMPL`: a test a case, with ids that can be selected; what can't be read is one line."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from plugin_running import LOADING
from rankspec.conformance.cases.catalogue import matching, shipped_cases
from rankspec.conformance.checks.check import Plan, check
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.questions.question import questions_of
from rankspec.oracle.language.expression import parse_convention, parse_measure

pytest_plugins = ["pytester"]

BASICS = ("--rankspec-cases", "edge.[bd]*")
KAGGLE = (*BASICS, "--rankspec-under", "kaggle", "--rankspec-measure", "AP@10")


@pytest.mark.campaign
def test_a_right_function_passes_a_test_a_case(run):
    found = run("--rankspec", "metrics:right")
    questions = questions_of(shipped_cases())
    asked = [answer for answer in check(parse("metrics:right"), Plan(questions)).answers if answer.verdict.asked]
    found.assert_outcomes(passed=len(asked))
    assert len(asked) > 100
    found.stdout.fnmatch_lines([f"PASS  metrics:right follows *: {len(asked)} of {len(asked)} *"])


@pytest.mark.campaign
def test_the_cases_are_those_that_check_finds_nonconforming(run, pytester):
    questions = questions_of(matching(shipped_cases(), BASICS[1]), parse_measure("AP@10"))
    plan = Plan(questions, parse_convention("kaggle"), fixed_measure=True)
    expected = {answer.question.id for answer in check(parse("metrics:divides_by_k"), plan).nonconforming}
    found = run("--rankspec", "metrics:divides_by_k", *KAGGLE, "-q", "-rf")
    assert found.ret == pytest.ExitCode.TESTS_FAILED
    (failed,) = (line.split(" ")[1] for line in found.outlines if line.startswith("FAILED "))  # one cause
    assert failed.removeprefix("metrics:divides_by_k::") in expected
    assert found.parseoutcomes()["skipped"] == len(expected) - 1 > 5


@pytest.mark.campaign
def test_the_short_summary_has_the_finding_alone_in_ci_too(run, monkeypatch):
    monkeypatch.setenv("CI", "true")
    found = run("--rankspec", "metrics:divides_by_k", *KAGGLE, "-k", "edge.basics.gap")
    (line,) = (each for each in found.outlines if each.startswith("FAILED"))
    said = "It divides by k; kaggle divides by min(R, k). Returned 0.15, expected 3/4 = 0.75."
    assert line == f"FAILED metrics:divides_by_k::edge.basics.gap - {said}"
    assert "\n".join(found.outlines).count("    from metrics import divides_by_k") == 1


def questions_asked(text):
    return check(parse(text), Plan(questions_of(shipped_cases()))).asked


@pytest.mark.campaign
def test_a_case_is_found_by_the_id_of_another_one_with_the_same_input(run):
    questions = [answer.question for answer in questions_asked("metrics:right")]
    question = next(each for each in questions if len(each.cases) > 1)
    other = question.cases[-1]
    found = run("--rankspec", "metrics:right", f"metrics:right::{other}", "-v")
    found.assert_outcomes(passed=1)
    found.stdout.fnmatch_lines([f"metrics:right::{question.id} PASSED*"])
    assert run("--rankspec", "metrics:right", "-k", other).parseoutcomes()["passed"] >= 1


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
        (["--rankspec", "metrics:divides_by_k", "--rankspec-cases", "edge.basics.gap"], "cutoff"),
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


@pytest.mark.campaign
def test_known_failures_are_strict(run, pytester):
    pytester.makefile(
        ".yaml",
        known="metrics:of_hits:\n  edge.basics.missed-most: issue-12\n  edge.basics.perfect: ipsum\n"
        "  edge.basics.no-such: dolor\n  edge.denominator.*: amet\n"
        "somebody.else:f:\n  edge.basics.gap: sit\n",
    )
    found = run("--rankspec=metrics:of_hits", "--rankspec-known-failures=known.yaml", *BASICS, "-rA", "-v")
    text = "\n".join(found.outlines)
    assert "XFAIL metrics:of_hits::edge.basics.missed-most - issue-12" in text
    assert "FAILED metrics:of_hits::edge.basics.perfect - [XPASS(strict)] ipsum" in text
    assert "FAILED metrics:of_hits::known_failures:edge.basics.no-such" in text
    assert any(line.startswith("edge.basics.no-such ") for line in found.outlines)
    assert "PASSED metrics:of_hits::known_failures:edge.denominator.*" in text
    assert "XFAIL metrics:of_hits::edge.denominator." in text
    assert " - sit" not in text


@pytest.mark.campaign
def test_known_failures_of_cases_that_were_left_out_are_not_out_of_date(run, pytester):
    pytester.makefile(".yaml", known="metrics:right:\n  edge.denominator.relevant.short-list: lorem\n")
    arguments = ("--rankspec=metrics:right", "--rankspec-known-failures=known.yaml", "--rankspec-cases=edge.basics.gap")
    run(*arguments).assert_outcomes(passed=1)


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


@pytest.mark.campaign
def test_an_interrupted_run_leaves_no_process_behind(run, pytester):
    path = pytester.makepyfile(
        endless="import os, pathlib\ndef f(relevance, num_relevant):\n"
        "    pathlib.Path(__file__).with_name('pid').write_text(str(os.getpid()))\n    while True: pass\n"
    )
    note = path.with_name("pid")
    command = [sys.executable, "-m", "pytest", *LOADING, "--rankspec=endless:f", "--rankspec-case-seconds=500"]
    with subprocess.Popen(
        command, cwd=path.parent, stdout=subprocess.PIPE, start_new_session=True, text=True
    ) as pytest_:
        while not (note.exists() and note.read_text()):
            assert pytest_.poll() is None
            time.sleep(0.05)
        worker = psutil.Process(int(note.read_text()))
        os.killpg(pytest_.pid, signal.SIGINT)
        output, _ = pytest_.communicate()
    assert pytest_.returncode == pytest.ExitCode.INTERRUPTED, output
    psutil.wait_procs([worker], timeout=20)
    assert not worker.is_running()
