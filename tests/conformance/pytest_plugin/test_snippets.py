"""The snippets fail as the test does, without rankspec, and pass once the function is right."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rankspec.conformance.checks.answer import Answer
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.pytest_plugin.failure import failure_text
from rankspec.conformance.pytest_plugin.snippet import snippet_lines
from rankspec.conformance.pytest_plugin.suite import Stated, Suite
from rankspec.oracle.values import Undefined
from wrong.catalogue import CATALOGUE

FOLDER = Path(__file__).parents[2] / "wrong"
CHOSEN = [
    "ranking.py:over_cutoff",
    "ranking.py:over_hits",
    "labels_scores.py",
    "actual_predicted.py",
    "qrels_run.py",
]
MOST = 6


def failing_of(suite: Suite) -> list[Answer]:
    return [answer for question in suite.tests if not (answer := suite.answer(question.id)).verdict.conforms]


def snippet_of(suite: Suite, answer: Answer) -> str:
    return "\n".join(snippet_lines(suite.implementation, suite.hello, answer))


def first_of(place: str) -> list[str]:
    return [entry for entry in CATALOGUE if entry.place.startswith(place) and not entry.verdict.startswith("un")][:2]


@pytest.mark.parametrize("entry", [each for place in CHOSEN for each in first_of(place)], ids=lambda entry: entry.place)
def test_a_snippet_fails_where_the_case_does(entry):
    suite = Suite(Stated(f"{FOLDER}/{entry.place}", entry.under, entry.measure, cases="edge.*"))
    failing = failing_of(suite)
    assert failing
    for answer in [each for each in failing if each.verdict in {Verdict.WRONG, Verdict.OTHER_CONVENTION}][:MOST]:
        text = snippet_of(suite, answer)
        assert "rankspec" not in text.replace(str(FOLDER), "")
        with pytest.raises(AssertionError):
            exec(compile(text, "snippet", "exec"), {})  # noqa: S102 - that is what it is for
        # The same lines hold for a function that returns what is exact.
        value = answer.put.expectation.value
        if not isinstance(value, Undefined) and "got[" not in text:
            _, call = text.rsplit("got = ", 1)
            checked = "\n".join(["got = " + repr(float(value)), *call.splitlines()[1:]])
            exec(compile(checked, "snippet", "exec"), {})  # noqa: S102


def test_every_failure_can_be_written_down():
    entries = {entry.place: entry for entry in CATALOGUE}
    for place in [*entries][::30]:
        entry = entries[place]
        suite = Suite(Stated(f"{FOLDER}/{place}", entry.under, entry.measure, cases="edge.[bdt]*"))
        for answer in failing_of(suite):
            text = failure_text(suite, answer)
            for heading in ("case  ", "held to ", "input ", "got ", "exact ", "verdict ", "derivation"):
                assert f"\n{heading}" in text


def test_an_adapter_is_copied_with_what_it_calls():
    pytest.importorskip("pytrec_eval")
    suite = Suite(Stated("pytrec_eval", "default", cases="edge.ties.*"))
    text = snippet_of(suite, failing_of(suite)[0])
    assert "def _evaluate" in text
    assert "RelevanceEvaluator" in text
    with pytest.raises(AssertionError):
        exec(compile(text, "snippet", "exec"), {})  # noqa: S102


def test_a_program_is_called_in_the_shell(tmp_path):
    program = tmp_path / "half.py"
    program.write_text("import sys\nassert len(open(sys.argv[1]).readlines()) > 0\nprint('map all 0.25')\n")
    suite = Suite(Stated(f"cmd:{sys.executable} {program} {{qrels}} {{run}}", cases="edge.basics.perfect"))
    (answer,) = failing_of(suite)
    text = snippet_of(suite, answer)
    found = subprocess.run(["sh", "-c", text], cwd=tmp_path, capture_output=True, text=True, check=True)  # noqa: S607
    assert found.stdout == "map all 0.25\n"
    assert text.endswith("# exact: 1")


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


def test_a_function_that_depends_on_what_was_asked_before_is_shown_with_it(tmp_path, monkeypatch):
    (tmp_path / "stateful.py").write_text(
        "SEEN = []\n"
        "def f(relevance, num_relevant):\n"
        "    SEEN.extend([1] if num_relevant == 0 else [])\n"
        "    return 0.25 if SEEN else 0.75\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    suite = Suite(Stated("stateful.py:f", cases="edge.basics.gap"))
    (answer,) = failing_of(suite)
    assert answer.verdict is Verdict.UNSTABLE
    text = snippet_of(suite, answer)
    found = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "AssertionError: (0.75, 0.25)" in found.stderr
    assert os.fspath(tmp_path) not in text
