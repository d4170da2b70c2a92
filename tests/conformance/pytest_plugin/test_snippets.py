"""The snippets fail as the test does, without rankspec, and pass once the function is right."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from campaign import in_campaign
from rankspec.conformance.checks.answer import Answer
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.pytest_plugin.failure import failure_text
from rankspec.conformance.pytest_plugin.suite import Stated, Suite
from rankspec.conformance.questions import rendering
from rankspec.conformance.reproducing.snippet import snippet_lines
from rankspec.conformance.worker.adapter import Adapter
from rankspec.oracle.values import Undefined
from wrong.catalogue import WRONG

FOLDER = Path(__file__).parents[2] / "wrong"
CHOSEN = [
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
    return [entry for entry in WRONG if entry.place.startswith(place) and not entry.verdict.startswith("un")][:2]


@pytest.mark.campaign
@pytest.mark.parametrize("entry", [each for place in CHOSEN for each in first_of(place)], ids=lambda entry: entry.place)
def test_a_snippet_fails_where_the_case_does(entry, monkeypatch):
    monkeypatch.setattr(rendering, "measure_by_name", lambda _: None)  # a name of a fault tells no measure
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


@pytest.mark.parametrize(
    "entry",
    in_campaign(
        {entry.place: entry for entry in WRONG}.values(),
        but=["qrels_run.py:last_query_lost"],  # of a list and of several queries
        ids=lambda entry: entry.place,
    ),
)
@pytest.mark.campaign
def test_every_failure_can_be_written_down(entry, monkeypatch):
    monkeypatch.setattr(rendering, "measure_by_name", lambda _: None)  # a name of a fault tells no measure
    suite = Suite(Stated(f"{FOLDER}/{entry.place}", entry.under, entry.measure, cases="edge.[bdt]*", identify=False))
    for answer in failing_of(suite):
        text = failure_text(suite, answer)
        for heading in ("case  ", "held ", "input ", "got ", "exact ", "verdict ", "derivation"):
            assert f"\n{heading}" in text


@pytest.mark.campaign
def test_of_an_adapter_the_call_of_its_library_is_written():
    pytest.importorskip("pytrec_eval")
    suite = Suite(Stated("pytrec_eval", "default", cases="edge.ties.*"))
    text = snippet_of(suite, failing_of(suite)[0])
    assert "def " not in text
    assert "RelevanceEvaluator(" in text
    with pytest.raises(AssertionError):
        exec(compile(text, "snippet", "exec"), {})  # noqa: S102


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("measure", "handed"),
    [
        ("IPrec@0.1", "recall=0.1"),
        ("F(beta=0.5)@3", "beta=0.5, k=3"),
        ("RBP(p=0.8)", "p=0.8"),
        ("nDCG(dcg='exp-log2')@3", "dcg='exp-log2', k=3"),
        ("nDCG(gains={0: 0, 2: 1.5})@3", "gains={0: 0.0, 2: 1.5}, k=3"),
        ("SetP(relative=True)", "relative=True"),
    ],
)
def test_parameters_of_a_measure_are_handed_over_in_the_call(tmp_path, monkeypatch, measure, handed):
    name = handed.partition("=")[0]
    (tmp_path / "two.py").write_text(f"def f(qrels, run, {name}, k=None, rel=1):\n    return 2.5\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    suite = Suite(Stated("two.py:f", "default", measure, cases="edge.basics.*"))
    failing = [answer for answer in failing_of(suite) if answer.verdict is Verdict.WRONG]
    lines = snippet_lines(suite.implementation, suite.hello, failing[0])
    calls = [line for line in lines if line.startswith("got = ")]
    assert sorted(calls[0][len("got = f(") : -1].split(", ", 2)[2].replace(", rel=1", "").split(", ")) == sorted(
        handed.split(", ")
    )


def test_who_takes_the_expression_is_handed_the_whole_measure(tmp_path, monkeypatch):
    (tmp_path / "whole.py").write_text("def f(qrels, run, expression):\n    return 2.5\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    suite = Suite(Stated("whole.py:f", "default", "P@3", cases="edge.basics.*"))
    text = snippet_of(suite, next(each for each in failing_of(suite) if each.verdict is Verdict.WRONG))
    assert "got = f(qrels=qrels, run=run, expression='P@3')" in text


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
    assert "AssertionError: 0.25" in found.stderr
    assert os.fspath(tmp_path) not in text


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
