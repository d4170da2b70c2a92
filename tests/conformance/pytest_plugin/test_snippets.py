"""The snippets fail as the test does, without rankspec, and pass once the function is right."""

import subprocess
import sys
from importlib import import_module
from itertools import islice

import pytest
from campaign import in_campaign
from programs.mutations import compiled, mutants
from programs.right import PROGRAMS
from rankspec.conformance.pytest_plugin.case_tests import failure_text
from rankspec.conformance.pytest_plugin.suite import Stated, Suite
from rankspec.conformance.reproducing.snippet import snippet_lines
from rankspec.conformance.worker.adapter import Adapter


def failing_of(suite):
    answers = [suite.answer(question.id) for question in suite.tests]
    return [answer for answer in answers if answer.verdict.asked and not answer.verdict.conforms]


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
