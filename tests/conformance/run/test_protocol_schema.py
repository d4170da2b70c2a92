"""What the harness, the Python worker and a program really send is what the shipped JSON Schema says, and no more."""

import json
import math
import shlex
import sys
from importlib.resources import files
from importlib.util import find_spec

import pytest
from jsonschema import Draft202012Validator
from rankspec.conformance.implementations.specs import ImportFailure, parse
from rankspec.conformance.run.session import ask
from rankspec.conformance.run.worker_process import WorkerProcess
from rankspec.conformance.worker.arguments import (
    ActualPredicted,
    Files,
    Frames,
    LabelsScores,
    Matrices,
    QrelsRun,
    QueryLists,
    RankedLabels,
    queries_of,
)
from rankspec.conformance.worker.messages import Call
from rankspec.conformance.worker.shapes import Shape

SCHEMA = json.loads(files("rankspec.fixtures").joinpath("protocol.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
QRELS = queries_of({"10": {"a": 1, "b": -1}, "9": {"é": 2}})
RUN = queries_of({"10": {"b": 0.1, "a": math.inf}, "9": {"é": 5e-324, "x": -3}})
ARGUMENTS = {
    "relevance, num_relevant, k=None": RankedLabels((1, 0), 3),
    "y_true, y_score, k=None": LabelsScores((1, 0, 1, 1, 0), (0.1, math.inf, -math.inf, 2**60, 1e-7)),
    "actual, predicted, k=None": ActualPredicted(("a", "\n"), ("b", "b")),
    "qrels, run, k=None": QrelsRun((*QRELS, ("11", (("x", (("a", 1), ("b", 0))),))), RUN),
    "qrels_path, run_path, k=None": Files(QRELS, (("10", (("a", "1.10"), ("a", "0.1"), ("c", "inf"))),)),
    "actual, predicted, *, k=None": QueryLists(("10", "9"), (("a", "\n"), ()), (("b", "b"), ("a",))),
    "y_true, y_score, *, k=None": Matrices(("10", "9"), ((1, 0), (0, 0)), ((0.1, math.inf), (2**60, 1e-7))),
    "qrels, run, *, k=None": Frames(QRELS, (("10", (("a", 0.1), ("a", math.inf))),)),
}
RESULTS = [
    "0.5",
    "2",
    "float('nan')",
    "-float('inf')",
    "10**5000",
    "__import__('fractions').Fraction(1, 3)",
    "__import__('fractions').Fraction(1, 10**5000)",
    "__import__('decimal').Decimal('0.1')",
    "__import__('numpy').float32(0.1)",
    "{'10': 0.5, '9': float('nan')}",
    "{}",
    "None",
    "1 / 0",
    "exit('text')",
]


@pytest.fixture
def heard(monkeypatch):
    """Every line that goes over the wire, in both directions."""
    lines = []
    send, receive = WorkerProcess.send, WorkerProcess.lines

    def send_and_note(self, line):
        lines.append(line)
        send(self, line)

    def receive_and_note(self, seconds):
        received = receive(self, seconds)
        lines.extend(received)
        return received

    monkeypatch.setattr(WorkerProcess, "send", send_and_note)
    monkeypatch.setattr(WorkerProcess, "lines", receive_and_note)
    yield lines
    assert lines


def require_valid(lines):
    """Validate the lines and give the types of the messages."""
    messages = [json.loads(line) for line in lines]
    for message in messages:
        VALIDATOR.validate(message)
        assert not unlisted(message), message
    return {message["type"] for message in messages}


def unlisted(message):
    """Give the fields of a message, and of the calls and measures in it, of which the schema says nothing."""
    definitions = SCHEMA["$defs"]
    known = set(definitions[message["type"]]["properties"])
    if message["type"] == "result":
        known |= {key for each in definitions["answer"]["oneOf"] for key in each["properties"]}
    found = set(message) - known
    for call in message.get("calls", ()):
        found |= set(call) - set(definitions["call"]["properties"])
    for signature in message.get("measures", {}).values():
        found |= set(signature) - set(definitions["signature"]["properties"])
    return found


@pytest.fixture
def write(written):
    return lambda source: written(source, "metric.py", "")


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["$defs"]["shape"]["enum"]) == {shape.value for shape in Shape}


@pytest.mark.campaign
@pytest.mark.parametrize("parameters", ARGUMENTS)
def test_the_python_worker(heard, write, parameters):
    arguments = ARGUMENTS[parameters]
    if isinstance(arguments, Frames):
        pytest.importorskip("pandas", reason="pandas comes with ranx")
    cases = "\n".join(f"        if k == {index}: return {text}" for index, text in enumerate(RESULTS, 1))
    path = write(f"def f({parameters}):\n{cases}\n        return 0\n".replace("        ", "    "))
    calls = [Call("AP", arguments), *[Call("AP", arguments, k=index) for index in range(1, len(RESULTS) + 1)]]
    ask(parse(f"{path}:f"), [*calls, Call("AP", RankedLabels((), 0), rel=2)], environment={"OMP_NUM_THREADS": "1"})
    assert require_valid(heard) == {"start", "hello", "batch", "started", "result"}


def test_a_worker_that_loads_nothing_and_one_whose_function_changes_its_arguments(heard, write):
    path = write("def f(relevance): return relevance.pop()")
    ask(parse(f"{path}:f"), [Call("AP", RankedLabels((1, 0), 3))])
    with pytest.raises(ImportFailure):
        ask(parse(f"{write('import no_such_module')}:f"), [])
    assert "failed" in require_valid(heard)
    assert any(b'"again":' in line for line in heard)


@pytest.mark.skipif(not find_spec("pytrec_eval"), reason="pytrec_eval")
def test_an_adapter(heard):
    ask(parse("pytrec_eval"), [Call("AP", QrelsRun(QRELS, RUN))])
    assert require_valid(heard) == {"start", "hello", "batch", "started", "result"}


def test_a_command(heard, write):
    path = write("import sys; print('map q 0.5\\nmap all 0.5'); sys.exit(len(sys.argv) - 3)")
    for more in ("", " fail"):
        words = shlex.join([sys.executable, "-S", "-E", path]) + f" {{qrels}} {{run}}{more}"
        ask(parse(f"cmd:{words}"), [Call("AP", ARGUMENTS["qrels_path, run_path, k=None"])])
    assert require_valid(heard) == {"start", "hello", "batch", "started", "result"}


SENT = [shape for shape in Shape if shape is not Shape.PREDICTED_ACTUAL]
"""The shapes that calls have; the other one is stated, and its calls are those of actual-predicted."""


@pytest.mark.parametrize("shape", SENT, ids=lambda shape: shape.value)
def test_a_program(heard, write, shape):
    path = write(f"""
        import json, sys
        measures = {{"AP": {{}}}}
        for line in sys.stdin:
            message = json.loads(line)
            replies = [{{"type": "result", "seq": call["seq"], "outcome": "value", "value": 0.5}}
                       for call in message.get("calls", ())]
            if message["type"] == "start":
                shape = "{shape.value}"
                replies = [{{"type": "hello", "protocol": 1, "name": "p", "shape": shape, "measures": measures}}]
            for reply in replies:
                print(json.dumps(reply), flush=True)
    """)
    [arguments] = [each for each, kind in zip(ARGUMENTS.values(), SENT, strict=True) if kind is shape]
    program = parse(f"jsonl:{shlex.join([sys.executable, '-S', '-E', path])}")
    ask(program, [Call("AP", arguments), Call("AP", arguments, k=3, rel=2)])
    assert require_valid(heard) == {"start", "hello", "batch", "result"}


@pytest.mark.parametrize(
    "message",
    [
        {"type": "result", "seq": 0, "outcome": "value"},
        {"type": "result", "seq": 0, "outcome": "value", "value": None},
        {"type": "result", "seq": 0, "outcome": "value", "value": "a half"},
        {"type": "result", "seq": "0", "outcome": "value", "value": 0.5},
        {"type": "result", "seq": 0, "outcome": "values", "values": [["q", 1, 2]]},
        {"type": "result", "seq": 0, "outcome": "skipped"},
        {"type": "hello", "protocol": 2, "name": "x", "shape": "ranking", "measures": {"AP": {}}},
        {"type": "hello", "protocol": 1, "name": "x", "shape": "ranking", "measures": {}},
        {"type": "hello", "protocol": 1, "name": "x", "shape": "ranking", "measures": {"AP": {"k": True}}},
        {
            "type": "batch",
            "calls": [{"seq": 0, "measure": "AP", "expression": "AP", "shape": "ranking", "arguments": {}}],
        },
        {"type": "progress"},
    ],
)
def test_the_schema_refuses(message):
    assert not VALIDATOR.is_valid(message)
