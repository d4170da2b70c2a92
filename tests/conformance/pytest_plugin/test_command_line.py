"""`pytest --rankspec IMPL`: a test a case, with ids to select; batches; snippets; which convention was followed."""

import re
import subprocess
import sys
from importlib import import_module
from itertools import islice
from pathlib import Path

import pytest
from campaign import in_campaign
from plugin_running import LOADING
from programs.mutations import compiled, mutants
from programs.right import PROGRAMS
from rankspec.conformance.cases.inputs import case_input
from rankspec.conformance.checks.check import Answer
from rankspec.conformance.judge.verdicts import Judgement, NearConvention, Verdict, likeliest
from rankspec.conformance.pytest_plugin.case_tests import failure_text, followed
from rankspec.conformance.pytest_plugin.suite import Stated, Suite
from rankspec.conformance.questions.question import Question, Refused
from rankspec.conformance.reproducing.snippet import snippet_lines
from rankspec.conformance.worker.adapter import Adapter
from rankspec.oracle import PROFILES, Measure

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


PAGE = (Path(__file__).parents[3] / "docs/gate.md").read_text(encoding="utf-8")


@pytest.mark.campaign
def test_lists_of_lists_and_matrices_are_found_and_checked(run, pytester):
    pytest.importorskip("numpy")
    (written,) = [block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "def mapk" in block]
    pytester.makepyfile(test_it=written)
    found = run("test_it.py")
    assert set(found.parseoutcomes()) == {"passed"}
    found.stdout.re_match_lines([r"PASS  test_it:mapk follows .*: (\d+) of \1 cases.*"])
    found.stdout.re_match_lines([r"  .*--shape lists-of-lists"])
    found.stdout.re_match_lines([r"PASS  test_it:mean_average_precision follows .*: (\d+) of \1 cases.*"])
    found.stdout.re_match_lines([r"  .*--shape matrices"])


NAMES = ("sklearn", "voc2010", "coco", "kaggle")


def answer(*names):
    given = case_input({"relevance": [1], "num_relevant": 1})
    near = tuple(NearConvention(name, PROFILES[name].convention) for name in names)
    detail = " or ".join(names[:2]) + (f", and {len(names) - 2} more" if len(names) > 2 else "")
    judgement = Judgement(Verdict.OTHER_CONVENTION, detail, near)
    return Answer(Question("q", Measure("AP"), given.qrels, given.run), Refused("", ""), None, judgement)


def test_what_the_sentence_does_not_name_counts_too():
    answers = [answer(*NAMES), answer("kaggle"), answer("coco", "kaggle")]
    assert likeliest(each.judgement.conventions for each in answers) == (["kaggle"], 3)
    found = followed(answers[0], ["kaggle"])
    assert found is not None
    assert (found.name, found.convention) == ("kaggle", PROFILES["kaggle"].convention)


def test_without_a_preference_it_is_the_first():
    assert followed(answer(*NAMES), []).name == "sklearn"
    assert followed(answer(), []) is None


def failing_of(suite):
    answers = [suite.answer(question.id) for question in suite.tests]
    return [answer for answer in answers if answer.verdict.is_applicable and not answer.verdict.conforms]


def snippet_of(suite, answer):
    return "\n".join(snippet_lines(suite.implementation, suite.hello, answer))


@pytest.mark.parametrize("program", in_campaign(PROGRAMS, but=["qrels_run_mean"], ids=str))
@pytest.mark.campaign
def test_every_failure_can_be_written_down(program):
    written = 0
    for mutant in islice(mutants(program.function), 3):
        function = compiled(mutant, program.function)
        suite = Suite(Stated(function, program.under, program.measure, cases="edge.[bdt]*", identify=False))
        for answer in failing_of(suite):
            text = failure_text(suite, answer, suite.cause(answer.question.id))
            for heading in ("case  ", "held ", "input ", "returned ", "expected ", "verdict ", "derivation"):
                assert f"\n{heading}" in text
            of_two = text.partition("\nderivation: - ")[2]
            assert not of_two or {"- ", "+ "} <= {line[:2] for line in of_two.splitlines()}
            written += 1
    assert written


def test_a_harness_is_sent_what_it_was_asked(tmp_path):
    program = tmp_path / "harness.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'start':\n"
        "        print(json.dumps({'type': 'hello', 'protocol': 1, 'name': 'h', 'shape': 'ranking',"
        " 'measures': {'AP': {}}}), flush=True)\n"
        "    else:\n"
        "        for call in message['calls']:\n"
        "            print(json.dumps({'type': 'result', 'seq': call['seq'], 'outcome': 'value',"
        " 'value': {'number': '0.25', 'type': 'double'}}), flush=True)\n"
    )
    suite = Suite(Stated(f"jsonl:{sys.executable} {program}", cases="edge.basics.perfect"))
    (answer,) = failing_of(suite)
    text = snippet_of(suite, answer)
    found = subprocess.run(["sh", "-c", text], cwd=tmp_path, capture_output=True, text=True, check=True)  # noqa: S607
    assert '"0.25"' in found.stdout


def test_what_a_copied_adapter_imports_first_stays_first(tmp_path, monkeypatch):
    """`from __future__` belongs to the beginning of a file, whatever else is imported."""
    monkeypatch.syspath_prepend(tmp_path)
    refuses = "from __future__ import annotations\n\n\ndef ap(y_true, y_score):\n    raise OverflowError\n"
    (tmp_path / "infinite.py").write_text(refuses)
    adapter = Adapter("infinite", "pytest", "labels-scores", "default", {"AP": import_module("infinite").ap})
    suite = Suite(Stated(adapter, "default[score_precision=float64]", cases="edge.score-precision.exact.infinite*"))
    answer = failing_of(suite)[0]
    text = snippet_of(suite, answer)
    assert "from math import inf" in text
    with pytest.raises(OverflowError):
        exec(compile(text, "snippet", "exec"), {})  # noqa: S102
