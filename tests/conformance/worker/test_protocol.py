"""The messages come back as they were sent, and nothing else is taken for one."""

import json
import math
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
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
from rankspec.conformance.worker.messages import (
    AdapterSource,
    Call,
    CommandSource,
    Died,
    EntryPointSource,
    Errored,
    Failed,
    FileSource,
    Hello,
    ModuleSource,
    ProgramSource,
    Result,
    Skipped,
    Start,
    Started,
    Unusable,
    Value,
    Values,
    WireNumber,
)
from rankspec.conformance.worker.protocol import (
    NoiseError,
    ProtocolError,
    batch_line,
    failed_line,
    hello_line,
    parse_answer,
    parse_batch,
    parse_call,
    parse_greeting,
    parse_start,
    result_line,
    start_line,
    started_line,
)
from rankspec.conformance.worker.shapes import Form, Need, Shape, Signature

SCHEMA = json.loads(files("rankspec.fixtures").joinpath("protocol.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
QRELS = queries_of({"q2": {"b": -1, "a": 3}, "10": {}, "9": {"é": 0}})
QRELS_OF_LINES = queries_of({"q2": {"b": -1, "a": 3}, "9": {"é": 0}})
QRELS_OF_SUBTOPICS = (("q2", (("b", 1), ("a", (("x", 2), ("0", 0))))), ("9", (("é", (("x", 1),)),)))
CALLS = [
    Call("AP", RankedLabels((1, 0), 3)),
    Call("P", RankedLabels((), 0), k=5, rel=2),
    Call("AP", LabelsScores((1, 0, 1, 0), (0.1, math.inf, -5.0, 2.0**80))),
    Call("AP", ActualPredicted(("a", "\n"), ("b", "b"))),
    Call("AP", QrelsRun(QRELS, queries_of({"q2": {"b": 0.1, "a": 1e-320}}))),
    Call("AP", Files(QRELS_OF_LINES, (("q2", (("a", "1.10"), ("a", "0.1"), ("c", "inf"))),))),
    Call("P_IA", QrelsRun(QRELS_OF_SUBTOPICS, ()), k=2),
    Call("P_IA", Files(QRELS_OF_SUBTOPICS, ()), k=2),
    Call("AP", QueryLists(("q2", "9"), (("a",), ()), (("b", "a"), ("é",)))),
    Call("AP", Matrices(("q2", "9"), ((1, 0), (0, 0)), ((0.1, math.inf), (-5.0, 2.0**80)))),
    Call("AP", Frames(QRELS_OF_LINES, (("q2", (("a", 0.1), ("a", math.inf))),), ("qid", "docno", "label", "score"))),
    Call("nDCG", RankedLabels((2, 0), 1), k=10, expression="nDCG(dcg='exp-log2')@10"),
    Call(
        "nDCG",
        RankedLabels((2, 0), 1),
        expression="nDCG(gains={1: 0.1}, judged_only=True)",
        parameters=(("gains", ((1, 0.1),)), ("judged_only", True)),
    ),
    Call("IPrec", RankedLabels((1,), 1), expression="IPrec@0.1", parameters=(("recall", 0.1),)),
]


def valid(line):
    """Return a line that is what the shipped JSON Schema says, and has no field of which it says nothing."""
    message, definitions = json.loads(line), SCHEMA["$defs"]
    VALIDATOR.validate(message)
    known = set(definitions[message["type"]]["properties"])
    if message["type"] == "result":
        known |= {key for each in definitions["answer"]["oneOf"] for key in each["properties"]}
    assert set(message) <= known
    for call in message.get("calls", ()):
        assert set(call) <= set(definitions["call"]["properties"])
    for signature in message.get("measures", {}).values():
        assert set(signature) <= set(definitions["signature"]["properties"])
    return line


def test_the_schema_is_one_and_has_every_shape():
    Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["$defs"]["shape"]["enum"]) == {shape.value for shape in Shape}


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
        {"type": "batch", "calls": [{"seq": 0, "measure": "AP", "expression": "AP", "shape": "ranking"}]},
        {"type": "progress"},
    ],
)
def test_the_schema_refuses(message):
    assert not VALIDATOR.is_valid(message)


def test_calls_come_back_with_their_numbers():
    messages = parse_batch(valid(batch_line(7, CALLS)))
    assert [parse_call(message) for message in messages] == list(enumerate(CALLS, 7))


@given(st.lists(st.floats(allow_nan=False) | st.integers(-(10**30), 10**30)))
def test_scores_come_back_as_doubles(scores):
    call = Call("AP", LabelsScores((0,) * len(scores), tuple(scores)))
    [message] = parse_batch(batch_line(0, [call]))
    _, back = parse_call(message)
    assert isinstance(back.arguments, LabelsScores)
    assert list(back.arguments.y_score) == [float(score) for score in scores]
    assert all(type(score) is float for score in back.arguments.y_score)


def test_scores_are_texts_that_every_language_reads():
    scores = (0.1, math.inf, -math.inf, 3.0, -0.0, 2**53 + 1, 1e22, 5e-324, 10**400, -(10**400), 0.1 + 0.2)
    [message] = json.loads(batch_line(0, [Call("AP", LabelsScores((0,) * len(scores), scores))]))["calls"]
    sent = ["0.1", "Infinity", "-Infinity", "3", "-0", "9007199254740992", "1e+22", "5e-324"]
    sent += ["Infinity", "-Infinity", "0.30000000000000004"]
    assert message["arguments"] == {"y_true": [0] * len(scores), "y_score": sent}


def test_files_are_sent_as_they_are_written():
    [message] = json.loads(batch_line(0, CALLS[5:6]))["calls"]
    assert message["arguments"] == {
        "qrels": "q2 0 b -1\nq2 0 a 3\n9 0 é 0\n",
        "run": "q2 Q0 a 1 1.10 rankspec\nq2 Q0 a 2 0.1 rankspec\nq2 Q0 c 3 inf rankspec\n",
    }


@pytest.mark.parametrize(
    ("call", "expression"),
    [
        (Call("AP", RankedLabels((), 0)), "AP"),
        (Call("P", RankedLabels((), 0), k=5, rel=2), "P(rel=2)@5"),
        (Call("P", RankedLabels((), 0), k=5, expression="P(rel=2)@5"), "P(rel=2)@5"),
    ],
)
def test_a_call_says_its_whole_measure(call, expression):
    [message] = json.loads(batch_line(0, [call]))["calls"]
    assert message["expression"] == expression


SOURCES = [
    AdapterSource("ranx"),
    EntryPointSource("mine"),
    FileSource("metric.py", "f"),
    ModuleSource("a.b", "C.f"),
    CommandSource(("trec_eval", "{qrels}", "{run}")),
]


def test_a_program_is_not_burdened_with_what_is_pythons():
    assert json.loads(start_line(Start(ProgramSource(("node",)), None, "folder"))) == {"type": "start", "protocol": 1}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("shape", [None, Form(Shape.FILES), Form(Shape.LABELS_SCORES, "array", is_turned=True)])
def test_start_comes_back(source, shape):
    line = start_line(start := Start(source, shape, "folder"))
    # A form with a container is Python's own affair, and no program is sent one.
    assert parse_start(line if shape and shape.packing else valid(line)) == start


def test_the_greeting_comes_back():
    signature = Signature(Shape.RANKING, ("relevance",), Need.OPTIONAL, Need.ABSENT)
    hello = Hello("ranx", "0.3", "3.11.7", Shape.RANKING, "ranx", {"AP": signature})
    assert parse_greeting(valid(hello_line(hello))) == hello
    assert parse_greeting(valid(failed_line(Failed("why", "numba")))) == Failed("why", "numba")
    assert parse_greeting(valid(failed_line(Failed("why")))) == Failed("why")
    two = Signature(Shape.QRELS_RUN, ("qrels", "run"), Need.ABSENT, Need.REQUIRED)
    hello = Hello("mine", None, None, Shape.RANKING, None, {"AP": signature, "P": two})
    assert parse_greeting(valid(hello_line(hello))) == hello


def test_the_shortest_greeting():
    line = b'{"type":"hello","protocol":1,"name":"x","shape":"qrels-run","measures":{"AP":{},"P":{"k":"required"}}}'
    takes = ("qrels", "run")
    measures = {
        "AP": Signature(Shape.QRELS_RUN, takes, Need.ABSENT, Need.ABSENT),
        "P": Signature(Shape.QRELS_RUN, takes, Need.REQUIRED, Need.ABSENT),
    }
    assert parse_greeting(line) == Hello("x", None, None, Shape.QRELS_RUN, None, measures)


@pytest.mark.parametrize(
    "answer",
    [
        Value(WireNumber("1/3", "fractions.Fraction")),
        Values((("10", WireNumber("1", "int")), ("9", WireNumber("nan", "float")))),
        Values(()),
        Values((("9", WireNumber("0.5000", "printed")),), WireNumber("0.2500", "printed")),
        Unusable("None"),
        Died("SIGSEGV"),
        Errored("ValueError", "é\ud800"),
        Skipped("no"),
    ],
)
@pytest.mark.parametrize("mutated", [True, False])
def test_results_come_back(answer, mutated):
    assert parse_answer(valid(result_line(Result(3, answer, mutated)))) == Result(3, answer, mutated)
    again = Result(3, Value(WireNumber("1", "int")), mutated=True, again=answer)
    assert parse_answer(valid(result_line(again))) == again


def test_started_comes_back_and_is_json():
    assert parse_answer(valid(started_line(12))) == Started(12)
    assert json.loads(started_line(12)) == {"type": "started", "seq": 12}


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b'{"type":"hello"}',
        b'{"type":"started"}',
        b'{"type":"started","seq":"1"}',
        b'{"type":"started","seq":true}',
        b'{"type":"result","outcome":"value","value":1}',
        b'{"level":"info","msg":"a log line"}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_message_is_refused(line):
    with pytest.raises(ProtocolError) as caught:
        parse_answer(line)
    assert not isinstance(caught.value, NoiseError)


@pytest.mark.parametrize("line", [b"", b"garbage", b"\xff\x00", b"[]", b"3", b'{"type":"resu', b'{"a":nan}', b'"{}"'])
def test_what_is_no_object_is_noise(line):
    with pytest.raises(NoiseError):
        parse_answer(line)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("", "there is no outcome None"),
        ('"outcome":"unheard-of"', "there is no outcome 'unheard-of'"),
        ('"outcome":["value"],"value":1', "there is no outcome ['value']"),
        ('"outcome":"value"', "an outcome of 'value' needs a field 'value'"),
        ('"outcome":"value","value":true', "true is not a number"),
        (
            '"outcome":"value","value":null',
            'null is not a number (JSON has no NaN and no infinity: send the text "nan"',
        ),
        ('"outcome":"value","value":[1]', "[1] is not a number"),
        ('"outcome":"value","value":{"number":1,"type":"int"}', "is not a number"),
        ('"outcome":"values","values":3', "an outcome of 'values' needs a field 'values'"),
        ('"outcome":"values","values":[["q"]]', '["q"] is not a pair of a query and its number'),
        ('"outcome":"values","values":[["q",1],["q",1]]', "query q has two values"),
        ('"outcome":"values","values":{},"all":null', "null is not a number"),
        ('"outcome":"skipped"', "an outcome of 'skipped' needs a text 'reason'"),
        ('"outcome":"errored","message":3', "'error' and 'message' are texts"),
    ],
)
def test_a_result_without_an_answer_says_what_is_wrong(fields, said):
    result = parse_answer(b'{"type":"result","seq":1' + (f",{fields}" if fields else "").encode() + b"}")
    assert isinstance(result, Result)
    assert isinstance(result.answer, Unusable)
    assert said in result.answer.reason


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ('"outcome":"value","value":0.1', Value(WireNumber((0.1).hex(), "double"))),
        ('"outcome":"value","value":3', Value(WireNumber("3", "double"))),
        ('"outcome":"value","value":NaN', Value(WireNumber("nan", "double"))),
        ('"outcome":"value","value":1e400', Value(WireNumber("inf", "double"))),
        ('"outcome":"value","value":"7/12"', Value(WireNumber("7/12", "double"))),
        ('"outcome":"value","value":{"number":"0.5"}', Value(WireNumber("0.5", "double"))),
        ('"outcome":"values","values":{"q":0.5},"all":"1/2"', Values(
            (("q", WireNumber((0.5).hex(), "double")),), WireNumber("1/2", "double"))),
        ('"outcome":"errored"', Errored("error", "")),
        ('"outcome":"errored","message":"m","context":{"at":[1]}', Errored("error", 'm ({"at": [1]})')),
        ('"outcome":"errored","context":"the stack"', Errored("error", "the stack")),
    ],
)  # fmt: skip
def test_simple_programs_write_plain_json(fields, answer):
    assert parse_answer(b'{"type":"result","seq":1,' + fields.encode() + b"}") == Result(1, answer)


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"hello"}',
        b'{"type":"hello","protocol":2}',
        b'{"type":"hello","protocol":true,"shape":"ranking","measures":{"AP":{}},"name":"x"}',
        b'{"type":"hello","protocol":1,"shape":"circle","measures":{"AP":{}},"name":"x"}',
        b'{"type":"hello","protocol":1,"shape":"ranking","measures":[],"name":"x"}',
        b'{"type":"hello","protocol":1,"shape":"ranking","measures":{},"name":"x"}',
        b'{"type":"hello","protocol":1,"shape":"ranking","measures":{"AP":true},"name":"x"}',
        b'{"type":"hello","protocol":1,"shape":"ranking","measures":{"AP":{"k":true}},"name":"x"}',
        b'{"type":"hello","protocol":1,"shape":"ranking","measures":{"AP":{"k":["optional"]}},"name":"x"}',
        b'{"type":"hello","protocol":1,"shape":"ranking","measures":{"AP":{"arguments":["run"]}},"name":"x"}',
        b'{"type":"hello","protocol":1,"shape":"ranking","measures":{"AP":{}},"name":1}',
        b'{"type":"hello","protocol":1,"shape":"ranking","measures":{"AP":{}}}',
        b'{"type":"failed"}',
        b'{"type":"started","seq":1}',
    ],
)
def test_what_is_no_greeting_is_refused(line):
    with pytest.raises(ProtocolError):
        parse_greeting(line)


@pytest.mark.parametrize(
    "line", [b"{}", b'{"type":"start","protocol":0}', b'{"type":"start","protocol":1,"source":{}}']
)
def test_what_is_no_start_is_refused(line):
    with pytest.raises(ProtocolError):
        parse_start(line)


def test_what_is_no_call_is_refused():
    with pytest.raises(ProtocolError):
        parse_batch(b'{"type":"batch"}')
    for message in ({}, 3, {"seq": 1, "measure": "AP", "shape": "ranking", "arguments": [1]}):
        with pytest.raises(ProtocolError):
            parse_call(message)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: QrelsRun((), (("q", (("a", 1), ("a", 2))),)), "a document appears twice"),
        (lambda: QrelsRun((("q", ()), ("q", ())), ()), "a query appears twice"),
        (lambda: Files((("q 1", ()),), ()), "can't be a column"),
        (lambda: Files((("q", (("", 1),)),), ()), "can't be a column"),
        (lambda: Files((), (("q", (("a", "1 2"),)),)), "can't be a column"),
    ],
)
def test_what_a_shape_cannot_express_is_refused(build, said):
    assert callable(build)
    with pytest.raises(ValueError, match=said):
        build()


@pytest.mark.parametrize(
    ("arguments", "documents"),
    list(zip([call.arguments for call in CALLS], (2, 0, 4, 4, 5, 6, 3, 3, 4, 8, 5, 2, 2, 1), strict=True)),
)
def test_the_size_is_the_number_of_documents(arguments, documents):
    assert arguments.size == documents
