"""The programs on docs/line-protocol.md run and conform, its messages are valid; the example in Node conforms too."""

import json
import re
import shlex
import shutil
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from rankspec.conformance.cases.catalogue import matching, shipped_cases
from rankspec.conformance.checks.check import Plan, check
from rankspec.conformance.implementations.specs import parse
from rankspec.conformance.infer.identify.identify import identify
from rankspec.conformance.judge.verdicts import Verdict
from rankspec.conformance.questions.question import questions_of
from rankspec.conformance.worker.protocol import parse_answer
from rankspec.oracle.language.expression import parse_measure

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "line-protocol.md").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
MESSAGES = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node")


def checked(program, measure=None):
    stated = None if measure is None else parse_measure(measure)
    questions = questions_of(matching(shipped_cases(), "edge.*"), stated)
    return check(parse(f"jsonl:{program}"), Plan(questions, None, fixed_measure=stated is not None))


def require_conforming(found, at_least):
    assert [(answer.question.id, answer.judgement) for answer in found.nonconforming] == []
    assert sum(answer.verdict is Verdict.EXACT for answer in found.asked) >= at_least


def written(name, folder):
    (folder / name).write_text(PROGRAMS[name], encoding="utf-8")
    return shlex.quote(str(folder / name))


def test_the_python_program(tmp_path):
    require_conforming(checked(f"{shlex.quote(sys.executable)} {written('harness.py', tmp_path)}"), 50)


@pytest.mark.campaign
@needs_node
def test_the_node_program(tmp_path):
    require_conforming(checked(f"node {written('harness.mjs', tmp_path)}"), 50)


@pytest.mark.campaign
@needs_node
@pytest.mark.parametrize("measure", ["AP", "AP@3", "P@2", "RR"])
def test_the_example_in_node_conforms_in_each_of_its_measures(measure):
    found = checked(f"node {shlex.quote(str(ROOT / 'examples' / 'node' / 'harness.mjs'))}", measure)
    require_conforming(found, 40)
    assert (found.hello.name, found.hello.version) == ("metrics.mjs", "1.0.0")
    assert {str(answer.question.measure) for answer in found.asked} == {measure}


@pytest.mark.campaign
@needs_node
def test_the_example_in_node_is_identified():
    found = identify(f"jsonl:node {shlex.quote(str(ROOT / 'examples' / 'node' / 'harness.mjs'))}")
    assert found.status.value == "identified"


def messages():
    """Give the messages that the page shows, on one line or on several."""
    blocks = [block.strip().splitlines() for block in MESSAGES]
    one_a_line = [all(line.startswith('{"type"') for line in lines) for lines in blocks]
    return [
        text
        for lines, several in zip(blocks, one_a_line, strict=True)
        for text in (lines if several else ["".join(lines)])
    ]


@pytest.mark.parametrize("text", messages(), ids=map(str, range(len(messages()))))
def test_every_message_on_the_page_is_one(text):
    schema = json.loads(files("rankspec.fixtures").joinpath("protocol.schema.json").read_text(encoding="utf-8"))
    message = json.loads(text)
    Draft202012Validator(schema).validate(message)
    if message["type"] == "result":
        parse_answer(text.encode())
